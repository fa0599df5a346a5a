"""What a plan means, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from quota_live.judgement import judge
from quota_live.plan import QueuePlan, plan_queue
from quota_live.policy import Policy
from quota_live.sentences import MOST_BYTES, blocked_line, change_lines, headline, how_to_acknowledge, job_lines
from quota_live.targets import QueueTarget
from quota_scheduler import Change, Job, QueueState, Share, assess
from quota_scheduler.proposal import (
    CapacityLimit,
    EnvironmentDeclaration,
    QueueDeclaration,
    QueueProposal,
    ShareDeclaration,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

G5 = "ml.g5.xlarge"
HOUR = 3_600_000


def share(name: str, limit: int, strategy: str = "LEND", borrow: int = -1) -> Share:
    return Share(name, {G5: limit}, strategy, borrow)


def job(name: str, of: str, status: str = "RUNNING", size: int = 1) -> Job:
    began = None if status == "RUNNABLE" else 0
    return Job(name, of, {G5: size}, status, name=name, created_at=0, scheduled_at=began, started_at=began)


def plan(change: Change, shares: list[Share], *jobs: Job, environment: int = 3) -> QueuePlan:
    state = QueueState(2 * HOUR, {G5: environment}, {each.name: each for each in shares}, jobs, queue="training")
    return QueuePlan("path", "arn", state, change, assess(state, change, with_advice=False))


def limits(**amounts: int) -> Mapping[str, Mapping[str, object]]:
    return {name: {"limits": {G5: amount}} for name, amount in amounts.items()}


MOVED = "share A: ml.g5.xlarge 2 to 1, share B: ml.g5.xlarge 1 to 2"
NOBODY = "nothing that waits now would claim this room; work that is submitted later may"
FURTHER = "1 share is further above its limit"
NEWLY = "eligible for preemption"
QUIET = "no running or waiting job is put at risk"

CASES = {
    "nothing changes": (plan(Change(), [share("A", 3)]), f"nothing changes, and {QUIET}"),
    "safe": (
        plan(Change(None, {"A": {"state": "DISABLED", "in_share_preemption": True}}), [share("A", 3)]),
        f"share A: state ENABLED to DISABLED, in share preemption off to on: {QUIET}",
    ),
    "a new share": (
        plan(Change(None, {"B": {"limits": {G5: 1}, "strategy": "LEND"}}), [share("A", 2)]),
        f"share B: new, ml.g5.xlarge 1, strategy LEND: {QUIET}",
    ),
    "one job at risk": (
        plan(Change(None, limits(A=1, B=2)), [share("A", 2), share("B", 1)], job("a", "A", size=2)),
        f"{MOVED}: 1 running job becomes {NEWLY}: a (above its limit: A by 1); {NOBODY}",
    ),
    "further above": (
        plan(Change(None, limits(A=1, B=2)), [share("A", 2), share("B", 1)], job("a", "A"), job("b", "A", size=2)),
        f"{MOVED}: no running job becomes {NEWLY} that was not, but {FURTHER}: A by 2, 1 before; {NOBODY}",
    ),
    "removed": (
        plan(Change(None, {"A": None}), [share("A", 2), share("B", 1)], job("a", "A"), job("w", "A", "RUNNABLE", 2)),
        "removing share A ends 2 unfinished jobs: a, w (2 GPU-hours lost)",
    ),
    "can never run": (
        plan(Change(None, limits(A=1)), [share("A", 3)], job("a", "A", size=2), job("w", "A", "RUNNABLE", 2)),
        "share A: ml.g5.xlarge 3 to 1: 1 waiting job of share A could never run any more: w",
    ),
    "the environment": (
        plan(Change({G5: 2}), [share("A", 2)]),
        f"environment: ml.g5.xlarge 3 to 2: {QUIET}",
    ),
    "many changes": (
        plan(Change(None, limits(A=1, B=1, C=1, D=1)), [share(name, 2) for name in "ABCD"], environment=8),
        ", ".join(f"share {name}: ml.g5.xlarge 2 to 1" for name in "ABC") + f" and 1 more change: {QUIET}",
    ),
}


@pytest.mark.parametrize(("made", "want"), CASES.values(), ids=CASES)
def test_a_headline_says_what_changes_and_what_it_does(made: QueuePlan, want: str) -> None:
    assert headline(made) == f"queue training: {want}"


def test_an_error_is_named_by_its_rule() -> None:
    made = plan(Change(None, limits(A=4)), [share("A", 3)])
    assert headline(made).startswith("queue training: ")
    assert "[QS" in headline(made)


def test_a_queue_that_does_not_exist_has_the_path_of_its_construct() -> None:
    limit = (CapacityLimit(G5, 1),)
    one = ShareDeclaration("A", "A", "A", limit, "LEND", None, False, "ENABLED", "MANAGED", "RETAIN")
    new = QueueProposal(
        "Stack/Queue",
        QueueDeclaration("Q"),
        EnvironmentDeclaration("E", None, "ENABLED", limit),
        None,
        (),
        False,
        (one,),
    )
    made = plan_queue(QueueTarget("Stack/Queue", None, new, None), None)
    assert headline(made).startswith("queue Stack/Queue: environment: ml.g5.xlarge 1, share A: new, ml.g5.xlarge 1")


def test_names_are_flat_and_short_and_a_headline_stays_within_bounds() -> None:
    name = "ö\n" * 2000
    made = plan(Change(None, limits(**{name: 1})), [share(name, 2)], job("a", name, size=2))
    assert len(headline(made).encode()) <= MOST_BYTES + len("…".encode())
    assert "\n" not in headline(made)
    assert all(len(line) < 400 for line in change_lines(made))


def test_jobs_are_listed_by_what_they_would_lose() -> None:
    jobs = [replace(job("small", "A"), owner="ann"), job("big", "A", size=2), job("waiting", "A", "RUNNABLE")]
    made = plan(Change(None, {"A": None}), [share("A", 3)], *jobs)
    assert job_lines(made, ["waiting", "small", "big", "gone"]) == (
        "big (big): terminated, share A, 2 × ml.g5.xlarge, 4 GPU-hours",
        "small (small): terminated, share A, 1 × ml.g5.xlarge, 2 GPU-hours, owner ann",
        "waiting (waiting): terminated, share A, 1 × ml.g5.xlarge, 0 GPU-hours",
    )


def test_several_queues_are_acknowledged_together() -> None:
    made = plan(Change(None, {"A": None}), [share("A", 3)], job("a", "A"))
    judged = [judge(made, Policy())] * 3
    line = blocked_line(judged)
    token = made.assessment.acknowledge
    assert (
        f"and 2 more queues. Nothing was changed. To deploy it anyway: {how_to_acknowledge(','.join([token] * 3))}"
        in line
    )
    assert "quota-acknowledge=" in how_to_acknowledge("x" * 500)
    assert how_to_acknowledge("x" * 500).count("x" * 500) == 1
