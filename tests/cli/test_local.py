"""`batch-quota local` as a process: its ready line, its end, and a port that is taken."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from quota_constructs.cli.sources import progress

if TYPE_CHECKING:
    from cli_support import Cli


def test_local_says_where_it_is_and_ends_cleanly(cli: Cli) -> None:
    command = [sys.executable, "-m", "quota_constructs.cli", "local", "--batch-only", "--port", "0"]
    process = subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline().split()
        assert ready[0] == "ready"
        with urllib.request.urlopen(f"{ready[1]}/_quota/health", timeout=30) as answer:
            assert answer.status == 200
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_local_says_when_its_port_is_taken(cli: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "quota_constructs.cli", "local", "--batch-only", "--port", port]
        done = subprocess.run(command, cwd=cli.folder, capture_output=True, text=True, timeout=60, check=False)
    want = f"batch-quota: port {port} on 127.0.0.1 cannot be used: Address already in use; choose another with --port\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", want)


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (
            ("--set", "stop_seconds=-1", "--set", "run_seconds=-2"),
            "stop_seconds must be at least 0, got -1.0; run_seconds must be at least 0, got -2.0",
        ),
        (("--set", "speed=1"), "unknown setting 'speed'; there are status_seconds, "),
        (("--knob", "head_blockin=x"), "head_blocking"),
        (("--faults", "nowhere.json"), "cannot read nowhere.json: no such file or directory"),
        (("--port", "70000"), "invalid value for '--port': 70000 is not in the range"),
        (("--speed", "fast"), "invalid value for '--speed': 'fast' is not a valid float"),
        (("--delays", "none"), "invalid value for '--delays': 'none' is not one of 'short', 'realistic'"),
    ],
    ids=str,
)
def test_a_wrong_option_is_one_line_as_of_any_command(cli: Cli, arguments: tuple[str, ...], want: str) -> None:
    outcome = cli("local", "--batch-only", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("batch-quota: ")
    assert want in outcome.err


def test_help_says_what_holds_by_default(cli: Cli) -> None:
    told = " ".join(cli("local", "--help").out.split())
    for default in ("[default: 4599; 0<=x<=65535]", "[default: 1.0; x>=0]", "[default: short]"):
        assert default in told


def test_no_progress_is_shown_outside_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("reading") as advance:
        assert advance is None
    assert capsys.readouterr().err == ""


def test_progress_is_shown_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress("reading") as advance:
        assert advance is not None
        advance("jobs", 1, 4)
        advance("jobs", 4, 4)
    captured = capsys.readouterr()
    assert (captured.out, "reading: jobs" in captured.err) == ("", True)
