"""The commands themselves: help with an example each, version, exit codes, rules."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from cli_support import TYPE, job, share, state, walkthrough

from quota_constructs.cli.group import COMMANDS
from quota_constructs.cli.options import LEVELS, exit_code
from quota_constructs.report.verdicts import worst
from quota_scheduler import VERDICTS
from quota_scheduler.rules import RULES

if TYPE_CHECKING:
    from cli_support import Cli


def test_help_lists_all_commands(cli: Cli) -> None:
    outcome = cli("--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert [name for name in COMMANDS if f"\n  {name} " not in outcome.out] == []
    assert "Example: batch-quota plan" in outcome.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(cli: Cli, name: str) -> None:
    outcome = cli(name, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert f"batch-quota {name}" in outcome.out.partition("Example:")[2]


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    outcome = cli()
    assert (outcome.code, "Usage: batch-quota" in outcome.out) == (2, True)


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"batch-quota {version('quota-constructs')}\n"


def test_levels_are_the_verdicts() -> None:
    assert tuple(reversed(VERDICTS)) == LEVELS


def test_worst_knows_the_models_verdicts() -> None:
    for index, verdict in enumerate(VERDICTS):
        assert worst([*VERDICTS[index:]]) == verdict


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("level", LEVELS)
def test_exit_code(verdict: str, level: str) -> None:
    assert exit_code(verdict, level) == (1 if VERDICTS.index(verdict) <= VERDICTS.index(level) else 0)
    assert exit_code(verdict, "never") == 0


def test_assess_without_a_change_tells_how_it_is(cli: Cli) -> None:
    outcome = cli("assess", cli.write("state.json", walkthrough()))
    assert outcome.code == 0
    assert "nothing: this is how the queue is now" in outcome.out


def test_oversubscription_is_allowed_by_name(cli: Cli) -> None:
    arguments = (
        "assess",
        cli.write("state.json", walkthrough()),
        "--change",
        cli.write("change.json", {"shares": {"QS2": {"limits": {TYPE: 3}}}}),
        "--format",
        "json",
    )
    assert cli(*arguments).json()["verdict"] == "invalid"
    assert cli(*arguments, "--allow-oversubscription").json()["verdict"] == "safe"


def test_explain_finds_a_job_by_id_name_or_start_of_its_id(cli: Cli) -> None:
    waiting = job("0a1b2c3d-0000-4000-8000-000000000000", "QS2", "RUNNABLE", name="mine")
    file = cli.write("state.json", state({"QS2": share(3)}, [waiting, job("x", "QS2", "RUNNABLE", name="mine, too")]))
    for given in (waiting["id"], "mine", "0a1b2c3d"):
        assert cli("explain", file, "--job", given, "--format", "json").json()["job"] == waiting["id"]


def test_explain_asks_which_of_two_jobs_of_one_name(cli: Cli) -> None:
    jobs = [job(f"id-{number}", "QS2", "RUNNABLE", name="same") for number in range(2)]
    outcome = cli("explain", cli.write("state.json", state({"QS2": share(3)}, jobs)), "--job", "same")
    assert (outcome.code, outcome.err) == (
        2,
        "batch-quota: 2 jobs are called same; give one of the ids id-0, id-1\n",
    )


OUTCOMES = {
    "starts": (f"share=QS2,uses={TYPE}:1", "STARTS  "),
    "waits": (f"share=QS3,uses={TYPE}:1,priority=9", "WAITS  "),
    "can never run": (f"share=QS3,uses={TYPE}:2", "CAN NEVER RUN"),
}


@pytest.mark.parametrize(("asked", "want"), OUTCOMES.values(), ids=OUTCOMES)
def test_explain_says_what_becomes_of_a_submission(cli: Cli, asked: str, want: str) -> None:
    shares = {"QS2": share(2), "QS3": share(1, "RESERVE")}
    file = cli.write("state.json", state(shares, [job("a", "QS3")]))
    assert want in cli("explain", file, "--submit", asked).out
    assert cli("explain", file, "--submit", asked, "--format", "markdown").out.startswith("**submitted: ")


def test_a_submission_may_ask_for_several_types(cli: Cli) -> None:
    shares = {"A": {"limits": {TYPE: 1, "ml.p5.48xlarge": 2}, "strategy": "LEND"}}
    file = cli.write("state.json", {**state(shares, []), "environment": {TYPE: 1, "ml.p5.48xlarge": 2}})
    asked = f"share=A,uses={TYPE}:1,uses=ml.p5.48xlarge:2,name=both"
    assert cli("explain", file, "--submit", asked, "--format", "json").json()["outcome"] == "dispatch"


def test_rules_lists_each_rule_once(cli: Cli) -> None:
    outcome = cli("rules").out
    assert [name for name in RULES if outcome.count(f"{name} ") != 1] == ["QS001"]  # it is the example, too
    assert cli("rules", "--format", "markdown").out.count("\n| QS") == len(RULES)


def test_a_rule_may_be_named_by_its_number(cli: Cli) -> None:
    assert cli("rules", "QS7").out == cli("rules", "7").out == cli("rules", "QS007").out


@pytest.mark.parametrize("name", RULES)
def test_rules_explains_each_rule(cli: Cli, name: str) -> None:
    outcome = cli("rules", name.lower())
    assert outcome.code == 0
    for title in ("What to do", "Breaks it", "Keeps it", "Source"):
        assert f"\n{title}\n" in outcome.out
