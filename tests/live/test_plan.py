"""A plan of one queue: the end, what is declared wrongly, and the states in between."""

from __future__ import annotations

from typing import Any

import pytest

from quota_live.plan import ENVIRONMENT_FIRST, REMOVED_STILL_THERE, jobs_at_risk, plan_queue, steps_of
from quota_live.targets import QueueTarget, Removal
from quota_scheduler import Change, Job, QueueState, Share
from quota_scheduler.proposal import (
    CapacityLimit,
    EnvironmentDeclaration,
    QueueDeclaration,
    QueueProposal,
    ShareDeclaration,
)

G5 = "ml.g5.xlarge"
ARN = "arn:aws:batch:eu-west-1:000000000000:job-queue/training"


def declared(environment: int, **shares: Any) -> QueueProposal:
    """A share is its limit, or a tuple of limit and strategy."""
    entries = []
    for name, given in shares.items():
        limit, strategy = given if isinstance(given, tuple) else (given, "LEND")
        limits = limit if isinstance(limit, list) else [limit]
        entries.append(
            ShareDeclaration(
                name,
                name,
                name,
                tuple(CapacityLimit(G5, amount) for amount in limits),
                strategy,
                None,
                False,
                "ENABLED",
                "MANAGED",
                "REFUSE_IF_BUSY",
            )
        )
    limits = EnvironmentDeclaration("E", None, "ENABLED", (CapacityLimit(G5, environment),))
    return QueueProposal("path", QueueDeclaration("Q"), limits, None, (), False, tuple(entries))


def state(environment: int, shares: dict[str, Any], *jobs: tuple[str, int, str]) -> QueueState:
    made = {}
    for name, given in shares.items():
        limit, strategy = given if isinstance(given, tuple) else (given, "LEND")
        made[name] = Share(name, {G5: limit}, strategy)
    return QueueState(
        3_600_000,
        {G5: environment},
        made,
        tuple(
            Job(f"j{number}", share, {G5: size}, status, created_at=number, scheduled_at=number, started_at=number)
            for number, (share, size, status) in enumerate(jobs, 1)
        ),
        queue="training",
    )


def target(new: QueueProposal | None, **more: Any) -> QueueTarget:
    return QueueTarget("path", ARN, new, more.pop("old", None), **more)


def test_a_queue_that_does_not_exist_is_planned_from_nothing() -> None:
    plan = plan_queue(QueueTarget("path", None, declared(3, A=3), None), None, at=5)
    assert (plan.is_live, plan.verdict, plan.state) == (False, "safe", QueueState(5, {}, {}, ()))
    assert plan.change.to_dict()["environment"] == {G5: 3}


def test_a_plan_leaves_the_state_as_it_is() -> None:
    live = state(4, {"A": 2, "B": 2}, ("A", 2, "RUNNING"))
    before = live.to_dict()
    plan_queue(target(declared(3, A=1, B=2)), live)
    assert live.to_dict() == before


def test_the_states_in_between_are_those_that_differ() -> None:
    live = state(4, {"A": 2, "B": 2})
    grown = {"limits": {G5: 3}}
    both = (ENVIRONMENT_FIRST, REMOVED_STILL_THERE)
    cases = [
        (Change({G5: 5}), ()),
        (Change(None, {"A": grown}), ()),
        (Change(None, {"B": None}), ()),
        (Change({G5: 5}, {"A": grown}), both[:1]),
        (Change(None, {"A": grown, "B": None}), both[1:]),
        (Change({G5: 5}, {"A": grown, "B": None}), both),
        (Change({G5: 5}, {"B": None}), both),
        (Change(None), ()),
    ]
    assert [tuple(label for label, _ in steps_of(change, live)) for change, _ in cases] == [want for _, want in cases]


BORROW = "LEND_AND_BORROW"

WORSE_ON_THE_WAY = {
    "the environment is cut before the share that claims it": (
        state(5, {"A": (1, BORROW), "B": (1, BORROW), "C": (3, BORROW)}, ("B", 2, "RUNNING"), ("C", 2, "RUNNABLE")),
        declared(3, A=(1, BORROW), B=(1, BORROW), C=(1, BORROW)),
        (),
        ("notice", "disruptive", ENVIRONMENT_FIRST),
    ),
    "a removed share still reserves its room": (
        state(
            5, {"A": (1, "RESERVE"), "B": (1, "RESERVE"), "C": (3, BORROW)}, ("C", 2, "RUNNABLE"), ("B", 2, "RUNNING")
        ),
        declared(4, B=(1, "RESERVE"), C=(3, BORROW)),
        (Removal("A", "MANAGED", "REFUSE_IF_BUSY"),),
        ("safe", "disruptive", REMOVED_STILL_THERE),
    ),
}


@pytest.mark.parametrize(("live", "new", "removals", "want"), WORSE_ON_THE_WAY.values(), ids=WORSE_ON_THE_WAY)
def test_the_verdict_is_the_worst_of_the_end_and_the_way(
    live: QueueState, new: QueueProposal, removals: tuple[Removal, ...], want: tuple[str, str, str]
) -> None:
    plan = plan_queue(target(new, removals=removals), live)
    assert (plan.assessment.verdict, plan.verdict) == want[:2]
    assert want[2] in [step.label for step in plan.intermediate if step.verdict == plan.verdict]
    running = tuple(job.id for job in live.jobs if job.status == "RUNNING")
    assert (jobs_at_risk(plan.assessment), plan.jobs_at_risk) == ((), running)


def test_rules_of_configuration_do_not_count_on_the_way() -> None:
    live = state(4, {"A": 2, "B": 2})
    plan = plan_queue(target(declared(2, A=1, B=1)), live)
    assert (plan.verdict, [step.verdict for step in plan.intermediate]) == ("safe", ["safe"])


def test_a_limit_that_is_declared_twice_is_invalid_unless_it_was_so_before() -> None:
    live = state(3, {"A": 1})
    twice = declared(3, A=[1, 1])
    plan = plan_queue(target(twice, old=declared(3, A=1)), live)
    assert (plan.verdict, plan.assessment.verdict) == ("invalid", "safe")
    assert plan.declared[0].severity == "error"
    assert plan_queue(target(twice, old=twice), live).verdict == "safe"


def test_a_deleted_queue_ends_the_jobs_of_all_its_shares() -> None:
    live = state(4, {"A": 2, "B": 2}, ("A", 1, "RUNNING"), ("B", 1, "RUNNABLE"))
    plan = plan_queue(QueueTarget("path", ARN, None, None, is_deleted=True), live)
    assert (plan.verdict, plan.assessment.terminated) == ("destructive", ("j1", "j2"))


def test_a_busy_share_that_refuses_to_go_is_said() -> None:
    live = state(4, {"A": 2, "B": 2}, ("A", 1, "RUNNING"))
    removals = tuple(Removal(name, "MANAGED", "REFUSE_IF_BUSY") for name in "AB")
    plan = plan_queue(target(declared(4), removals=removals), live)
    assert [note.split(" with ")[0] for note in plan.notes] == ["share A is removed"]
    terminate = (Removal("A", "MANAGED", "TERMINATE"),)
    assert plan_queue(target(declared(4, B=2), removals=terminate), live).notes == ()


def test_jobs_that_are_not_assessed_yet_but_end_with_a_share_are_said() -> None:
    live = state(4, {"A": 2, "B": 2}, ("A", 1, "SUBMITTED"), ("A", 1, "PENDING"))
    plan = plan_queue(target(declared(4, B=2), removals=(Removal("A", "NATIVE", "REFUSE_IF_BUSY"),)), live)
    assert (plan.verdict, plan.notes) == ("safe", ("2 jobs of share A that are not RUNNABLE yet end with it as well",))


def test_all_shares_of_a_deleted_queue_are_looked_at_for_jobs_that_are_not_assessed() -> None:
    live = state(4, {"A": 2, "B": 2}, ("A", 1, "RUNNING"), ("A", 1, "FAILED"), ("B", 1, "PENDING"))
    plan = plan_queue(QueueTarget("path", ARN, None, None, is_deleted=True), live)
    assert plan.notes == ("1 job of share B that is not RUNNABLE yet ends with it as well",)
