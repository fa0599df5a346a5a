"""What is written as Markdown beside the plans: status and simulation, for a ticket or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli_support import TYPE, job, share, state, walkthrough

if TYPE_CHECKING:
    from cli_support import Cli


def test_status_has_a_row_a_share_and_a_line_for_each_that_waits(cli: Cli) -> None:
    outcome = cli("status", cli.write("state.json", walkthrough()), "--format", "markdown")
    assert outcome.code == 0
    *table, blank, waiting = outcome.out.splitlines()[2:]
    assert table == [
        f"{TYPE} 2 of 3 in use",
        "",
        "| share | instance type | used | of | borrows | lends | waiting |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        f"| QS1 | {TYPE} | 2 | 1 | 1 | - | 1 |",
        f"| QS2 | {TYPE} | 0 | 1 | - | 1 | - |",
        f"| QS3 | {TYPE} | 0 | 1 | - | - | - |",
    ]
    assert (blank, waiting.startswith("- **QS1**: 1 job waiting, first low (1 × ")) == ("", True)


def test_a_name_stays_a_text(cli: Cli) -> None:
    document = state({"A|B": share(1)}, [job("a", "A|B", "RUNNABLE", name="<b>*x*")], environment=1)
    written = cli("status", cli.write("state.json", document), "--format", "markdown").out
    assert r"| A\|B |" in written
    assert r"first &lt;b&gt;\*x\* (" in written


def test_a_simulation_has_both_runs_side_by_side(cli: Cli) -> None:
    file = cli.write("state.json", state({"A": share(2)}, [job("a", "A", "RUNNABLE", uses=2)], environment=2))
    change = cli.write("change.json", {"shares": {"A": {"limits": {TYPE: 1}}}})
    outcome = cli("simulate", file, "--change", change, "--run-hours", "1", "--format", "markdown")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert "| | as it is | changed |" in lines
    assert "| jobs finished | 1 | 0 |" in lines
    assert "| jobs still waiting | 0 | 1 |" in lines
    assert "| share | waiting, mean | longest | still waiting | never run | preempted | GPU-hours lost |" in lines
    assert "| A | 2h → ≥3h | 2h → ≥3h | 0 → 1 | 0 → 1 | 0 | 0 |" in lines
    assert lines[-1] == "1 job without a known run time runs for 1h (--run-hours)"


def test_nothing_is_said_about_run_times_that_are_known(cli: Cli) -> None:
    document = state({"A": share(1)}, [job("a", "A", expected_end="2026-11-29T15:00:00Z")], environment=1)
    assert "--run-hours" not in cli("simulate", cli.write("state.json", document)).out
