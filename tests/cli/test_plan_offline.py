"""Plans from files alone: which queue a snapshot is of, and what a deployment would do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from assembly_support import guard, proposal, raw_queue, raw_share, template, write_assembly
from cli_support import TYPE, job, share, state

if TYPE_CHECKING:
    from cli_support import Cli, Outcome


def queue(limits: dict[str, int], jobs: list[dict[str, Any]], name: str = "ml-training") -> dict[str, Any]:
    return state({share_name: share(limit) for share_name, limit in limits.items()}, jobs, queue=name)


BUSY = [job("a1", "A", owner="ann"), job("b1", "B")]


def plan(cli: Cli, stacks: dict[str, Any], document: dict[str, Any], *options: str) -> Outcome:
    write_assembly(cli.folder / "cdk.out", stacks)
    return cli("plan", "--state", cli.write("state.json", document), *options)


def verdict_and_jobs(outcome: Outcome) -> tuple[int, str, list[str]]:
    document = outcome.json()
    (only,) = document["plans"]
    return outcome.code, document["verdict"], only["assessment"]["terminated"] + only["assessment"]["newly_eligible"]


CASES = {
    "nothing changes": ({"A": 1, "B": 1}, {"A": 1, "B": 1}, (0, "safe", [])),
    "a limit goes up": ({"A": 1, "B": 1}, {"A": 2, "B": 1}, (0, "safe", [])),
    "a limit falls below what runs": ({"A": 2, "B": 1}, {"A": 1, "B": 1}, (1, "at_risk", ["a1", "a2"])),
    "a share is no longer declared": ({"A": 1, "B": 1}, {"A": 1}, (1, "destructive", ["b1"])),
    "more than the environment": ({"A": 1, "B": 1}, {"A": 3, "B": 1}, (1, "invalid", [])),
}


@pytest.mark.parametrize(("live", "declared", "want"), CASES.values(), ids=CASES)
def test_plan_from_a_snapshot(
    cli: Cli, live: dict[str, int], declared: dict[str, int], want: tuple[int, str, list[str]]
) -> None:
    jobs = [*BUSY, job("a2", "A")] if live["A"] == 2 else BUSY
    outcome = plan(cli, {"Demo": template(guard(proposal(declared)))}, queue(live, jobs), "--format", "json")
    assert verdict_and_jobs(outcome) == want


def test_raw_resources_are_planned_too(cli: Cli) -> None:
    body = template({**raw_queue(3), "A": raw_share("A", 1), "B": raw_share("B", 2)})
    outcome = plan(cli, {"Raw": body}, queue({"A": 1, "B": 1}, BUSY), "--format", "json")
    assert verdict_and_jobs(outcome) == (0, "safe", [])
    assert outcome.json()["plans"][0]["stack"] == "Raw"


def test_a_stack_without_a_guard_says_so(cli: Cli) -> None:
    outcome = plan(cli, {"Raw": template({**raw_queue(3), "A": raw_share("A", 1)})}, queue({"A": 1, "B": 1}, BUSY))
    assert "this stack has no guard: nothing will hold the deployment up" in outcome.out


def test_the_guards_policy_decides_what_it_will_do(cli: Cli) -> None:
    removal = proposal({"A": 1})
    live = queue({"A": 1, "B": 1}, BUSY)
    blocked = plan(cli, {"Demo": template(guard(removal))}, live)
    assert "the guard will block the deployment before anything changes" in " ".join(blocked.out.split())
    given = blocked.out.rpartition("quota-acknowledge=")[2].strip()
    assert given.count("-") == 2
    warned = plan(cli, {"Demo": template(guard(removal, '{"verdicts":{"destructive":"WARN"}}'))}, live)
    assert "the guard will let the deployment pass, and say this" in warned.out
    assert "quota-acknowledge" not in warned.out
    acknowledged = plan(cli, {"Demo": template(guard(removal, acknowledge=given))}, live)
    assert "this assembly carries the acknowledgement" in acknowledged.out
    assert (blocked.code, warned.code, acknowledged.code) == (1, 1, 1)


def test_a_policy_that_is_none_fails(cli: Cli) -> None:
    outcome = plan(cli, {"Demo": template(guard(proposal({"A": 1}), '{"version":9}'))}, queue({"A": 1}, []))
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "the guard's policy cannot be read" in outcome.err


ARN = "arn:aws:batch:eu-west-1:111122223333:job-queue/ml-training"


def test_shares_of_team_stacks_are_no_removals(cli: Cli) -> None:
    core = template({**raw_queue(3, JobQueueName="ml-training"), "A": raw_share("A")})
    team = template({"B": raw_share("B", 1, queue=ARN)})
    document = plan(cli, {"Core": core, "Team": team}, queue({"A": 1, "B": 1}, BUSY), "--format", "json").json()
    assert [(item["stack"], item["assessment"]["verdict"]) for item in document["plans"]] == [
        ("Core", "safe"),
        ("Team", "safe"),
    ]


def test_a_team_stack_alone_takes_nothing_away(cli: Cli) -> None:
    team = template({"B": raw_share("B", 1, queue=ARN)})
    outcome = plan(cli, {"Team": team}, queue({"A": 1, "B": 1}, BUSY), "--format", "json")
    assert verdict_and_jobs(outcome) == (0, "safe", [])


def test_the_queue_is_told_by_its_name_among_several(cli: Cli) -> None:
    stacks = {name: template({**raw_queue(3, JobQueueName=name), "A": raw_share("A")}) for name in ("one", "two")}
    document = plan(cli, stacks, queue({"A": 1}, [], name="two"), "--format", "json").json()
    assert [item["stack"] for item in document["plans"]] == ["two"]


def test_the_queue_is_told_by_its_shares_where_it_has_no_name(cli: Cli) -> None:
    stacks = {name: template({**raw_queue(3), name: raw_share(name)}) for name in ("A", "B")}
    document = plan(cli, stacks, queue({"B": 1}, []), "--format", "json").json()
    assert [item["stack"] for item in document["plans"]] == ["B"]


def test_fails_where_the_queue_cannot_be_told(cli: Cli) -> None:
    stacks = {name: template({**raw_queue(3), "A": raw_share("A")}) for name in ("one", "two")}
    outcome = plan(cli, stacks, queue({"A": 1}, []))
    assert (outcome.code, outcome.err) == (
        2,
        "batch-quota: the state could be of any of the queues one/Queue, two/Queue; name the stack with --stack\n",
    )
    assert plan(cli, stacks, queue({"A": 1}, []), "--stack", "two").code == 0


def test_fails_where_no_stack_declares_the_queue(cli: Cli) -> None:
    stacks = {"one": template({**raw_queue(3, JobQueueName="one"), "A": raw_share("A")})}
    outcome = plan(cli, stacks, queue({"A": 1}, [], name="two"))
    assert outcome.code == 2
    assert "no stack of cdk.out declares the queue of state.json, or a quota share on it" in outcome.err


def test_a_knob_changes_the_answer(cli: Cli) -> None:
    live = queue({"A": 1, "B": 1}, [job("a1", "A"), job("b1", "B", "RUNNABLE", uses=2), job("b2", "B", "RUNNABLE")])
    stacks = {"Demo": template(guard(proposal({"A": 1, "B": 1})))}
    strict = plan(cli, stacks, live, "--format", "json").json()["plans"][0]["assessment"]
    backfill = plan(cli, stacks, live, "--knob", "head_blocking=backfill", "--format", "json").json()
    assert strict["blocked_behind"] == ["b2"]
    assert backfill["plans"][0]["assessment"]["blocked_behind"] == []


def test_markdown_and_html_cover_all_queues(cli: Cli) -> None:
    core = template({**raw_queue(3, JobQueueName="ml-training"), "A": raw_share("A")})
    team = template({"B": raw_share("B", 1, queue=ARN)})
    live = queue({"A": 1, "B": 1}, BUSY)
    for layout in ("markdown", "html"):
        text = plan(cli, {"Core": core, "Team": team}, live, "--format", layout).out
        assert "Core/Queue" in text
        assert "Team" in text


def test_the_type_of_a_state_is_the_assemblys(cli: Cli) -> None:
    outcome = plan(
        cli, {"Demo": template(guard(proposal({"A": 1})))}, queue({"A": 1}, [job("a1", "A")]), "--format", "json"
    )
    assert list(outcome.json()["plans"][0]["assessment"]["shares"]["A"]) == [TYPE]
