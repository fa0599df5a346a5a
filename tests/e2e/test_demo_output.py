"""What `make demo` shows of the cdk command line, and how it ends when it is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sample_app.demo.cdk_output import CdkOutput

ROOT = Path(__file__).resolve().parents[2]


def event(number: int, status: str, kind: str, path: str, logical_id: str = "") -> str:
    named = f"{path} ({logical_id})" if logical_id else path
    return f"QuotaDemo | {number}/5 | 11:27:31 PM | {status:<15} | {kind:<30} | {named} "


def shown(*lines: str, unchanged: tuple[str, ...] = ()) -> list[str]:
    output = CdkOutput(lambda: unchanged)
    return [told for line in (*lines, None) for told in output.shown(line)]


def test_events_are_shown_once_each_behind_what_they_depend_on() -> None:
    assert shown(
        "QuotaDemo: deploying... [1/1]",
        event(1, "UPDATE_IN_PROGRESS", "Custom::QuotaShare", "Training/QS1", "QS1A"),
        event(9, "UPDATE_COMPLETE", "AWS::CloudFormation::Stack", "QuotaDemo"),
        event(7, "UPDATE_COMPLETE", "AWS::Batch::JobQueue", "Training", "Training1D"),
        event(6, "UPDATE_COMPLETE", "Custom::QuotaShare", "Training/QS1", "QS1A"),
        event(2, "UPDATE_COMPLETE", "AWS::IAM::Role", "Handler/Role", "Role1"),
        event(5, "UPDATE_COMPLETE", "Custom::QuotaGuard", "QuotaGuard", "Guard1"),
        " ✅  QuotaDemo".strip(),
        unchanged=("Training1D",),
    ) == [
        "QuotaDemo: deploying... [1/1]",
        "  UPDATE_COMPLETE  Custom::QuotaGuard          QuotaGuard",
        "  UPDATE_COMPLETE  Custom::QuotaShare          Training/QS1",
        "  UPDATE_COMPLETE  AWS::CloudFormation::Stack  QuotaDemo",
        "✅  QuotaDemo",
    ]


def test_a_failure_is_said_once_and_stays_one_after_the_rollback() -> None:
    assert shown(
        event(5, "UPDATE_FAILED", "Custom::QuotaGuard", "QuotaGuard", "Guard1") + "disruptive: queue q",
        "a second line of the reason",
        event(7, "UPDATE_COMPLETE", "Custom::QuotaGuard", "QuotaGuard", "Guard1"),
        "Failed resources:",
        "the reason again",
        "❌  QuotaDemo failed to deploy",
        "  disruptive: queue q",
    ) == ["  UPDATE_FAILED  Custom::QuotaGuard  QuotaGuard", "❌  QuotaDemo failed to deploy", "  disruptive: queue q"]


def test_an_error_has_the_lines_that_the_guard_gave_it() -> None:
    assert shown(
        "❌  QuotaDemo failed to deploy",
        "‣ DeploymentError: Resource updates failed:",
        "QuotaDemo/QuotaGuard/Resource  (Custom::QuotaGuard QuotaGuardA08BF9C6)",
        "  disruptive: queue q: share A: ml.g5.xlarge 2 to",
        "  1: stops a job",
        "job (1): possible, 1",
        "  × ml.g5.xlarge",
        "",
        "advice: wait",
        "  CloudWatch Log Stream: 2026",
        "  Logs from /aws/cloudformation/QuotaDemo:",
        '    {"kind":"answer"}',
    ) == [
        "❌  QuotaDemo failed to deploy",
        "  ‣ DeploymentError: Resource updates failed:",
        "  QuotaDemo/QuotaGuard/Resource  (Custom::QuotaGuard QuotaGuardA08BF9C6)",
        "  disruptive: queue q: share A: ml.g5.xlarge 2 to 1: stops a job",
        "  job (1): possible, 1 × ml.g5.xlarge",
        "  advice: wait",
        "  CloudWatch Log Stream: 2026",
    ]


def test_what_goes_does_so_before_what_it_depends_on() -> None:
    kinds = ("AWS::CloudFormation::Stack", "Custom::QuotaGuard", "AWS::Batch::JobQueue", "Custom::QuotaShare")
    lines = [event(number, "DELETE_COMPLETE", kind, f"P{number}") for number, kind in enumerate(kinds)]
    told = shown(*lines, "✅  QuotaDemo: destroyed", unchanged=("P0", "P1", "P2", "P3"))
    assert [line.split()[1] for line in told[:-1]] == [kinds[3], kinds[2], kinds[1], kinds[0]]


def test_nothing_ended_is_nothing_shown() -> None:
    assert shown("", "Stack ARN:", "arn:aws:x", "✅  QuotaDemo (no changes)") == ["✅  QuotaDemo (no changes)"]


@pytest.mark.timeout(120)
@pytest.mark.xdist_group("local-cloud")
def test_an_interrupt_ends_the_demo_cleanly_though_its_parent_ignores_interrupts(tmp_path: Path) -> None:
    """As of a shell that starts it in the background."""
    ignore = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code = f"import os, signal, sys; {ignore}; os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", code, sys.executable, "-m", "sample_app.demo"]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "lambda")])
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        try:
            assert demo.stdout is not None
            assert any("http://127.0.0.1:" in line for line in demo.stdout)
            demo.send_signal(signal.SIGINT)
            _, err = demo.communicate(timeout=60)
        finally:
            demo.kill()
    want = "\ndemo: stopped; the local cloud is gone and nothing was left running\n"
    assert (demo.returncode, err) == (130, want)
