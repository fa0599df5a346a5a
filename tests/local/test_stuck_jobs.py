"""Jobs that can never run: flagged at the front with the published texts, ended by the queue's time limits."""

from __future__ import annotations

from typing import Any

import pytest
from local_support import G5, LEND, P4, RESERVE, Face, Queue, borrow, limits

LIMIT = "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"
ENVIRONMENT = "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE"
ABOVE_LIMIT = f"{LIMIT} - Job requirements exceed quota share capacity limits."
ABOVE_BORROW_LIMIT = f"{LIMIT} - Job requirements exceed quota share capacity limits and borrow limits."
ABOVE_POOL = f"{LIMIT} - Job requires borrowing that exceeds all configured borrowable capacity."
ABOVE_ENVIRONMENT = (
    f"{ENVIRONMENT} - Service environment(s) associated with the job queue cannot meet the capacity requirement of "
    "the job."
)


def action(reason: str, seconds: int = 600) -> dict[str, Any]:
    return {"reason": reason, "state": "RUNNABLE", "maxTimeSeconds": seconds, "action": "TERMINATE"}


@pytest.mark.parametrize(
    ("environment", "shares", "uses", "want"),
    [
        ({G5: 10}, {"A": ({G5: 12}, LEND)}, {G5: 12}, ABOVE_ENVIRONMENT),
        ({G5: 10}, {"A": ({G5: 4}, RESERVE)}, {G5: 5}, ABOVE_LIMIT),
        ({G5: 10}, {"A": ({G5: 4}, LEND)}, {G5: 5}, ABOVE_LIMIT),
        ({G5: 10}, {"A": ({G5: 2}, borrow(100)), "B": ({G5: 8}, LEND)}, {G5: 5}, ABOVE_BORROW_LIMIT),
        ({G5: 20}, {"A": ({G5: 4}, borrow(200)), "B": ({G5: 4}, borrow(200))}, {G5: 10}, ABOVE_POOL),
        ({G5: 10, P4: 1}, {"A": ({G5: 4}, LEND)}, {P4: 1}, ABOVE_LIMIT),
        ({G5: 10, P4: 1}, {"A": ({G5: 4}, borrow(100))}, {P4: 1}, ABOVE_BORROW_LIMIT),
    ],
    ids=[
        "more than the environment",
        "more than a reserved share",
        "more than a lending share",
        "more than limit and borrow limit",
        "more than all that could be lent",
        "a type the share does not list",
        "a type the borrowing share does not list",
    ],
)
def test_a_job_that_can_never_run_is_flagged_and_waits(
    face: Face,
    environment: dict[str, int],
    shares: dict[str, tuple[dict[str, int], dict[str, Any]]],
    uses: dict[str, int],
    want: str,
) -> None:
    queue = Queue(face, environment, shares)
    job = queue.submit("A", uses)
    face.advance(100_000)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("RUNNABLE", want)
    [blocked] = face.events("blocked")
    assert (blocked["subject"], blocked["reason"]) == (job, want)


def test_it_is_flagged_at_the_front_only_and_blocks_those_behind(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    running, stuck, behind = queue.submit("A"), queue.submit("A", 2), queue.submit("A")
    face.advance(30)
    assert "statusReason" in queue.describe(stuck)
    assert queue.status(running, stuck, behind) == ["RUNNING", "RUNNABLE", "RUNNABLE"]
    urgent = queue.submit("A", 2, priority=9)
    face.advance(30)
    assert queue.describe(urgent)["statusReason"] == ABOVE_LIMIT
    assert "statusReason" not in queue.describe(stuck), "it is not at the front any more"


def test_a_raised_limit_frees_it(face: Face) -> None:
    queue = Queue(face, {G5: 4}, {"A": ({G5: 1}, LEND)})
    job = queue.submit("A", 2)
    face.advance(30)
    face.client.update_quota_share(quotaShareArn=queue.share_arn("A"), capacityLimits=limits({G5: 2}))
    face.advance(30)
    assert queue.status(job) == ["RUNNING"]
    assert "statusReason" not in queue.describe(job)


@pytest.mark.parametrize(("reason", "ends"), [(LIMIT, True), (ENVIRONMENT, False)])
def test_a_time_limit_ends_it_if_the_reason_matches(face: Face, reason: str, ends: bool) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)}, time_limits=[action(reason)])
    job = queue.submit("A", 2)
    face.advance(601)
    assert queue.status(job) == ["RUNNABLE"]
    face.advance(2)
    described = queue.describe(job)
    if not ends:
        assert described["status"] == "RUNNABLE"
        return
    want = f"Terminated by JobStateTimeLimit action due to reason: {reason}"
    assert (described["status"], described["statusReason"], described["isTerminated"]) == ("FAILED", want, True)


def test_the_clock_runs_at_the_front_only(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)}, time_limits=[action(LIMIT)])
    first, second = queue.submit("A", 2), queue.submit("A", 2)
    face.advance(605)
    assert queue.status(first, second) == ["FAILED", "RUNNABLE"]
    face.advance(590)
    assert queue.status(second) == ["RUNNABLE"]
    face.advance(15)
    assert queue.status(second) == ["FAILED"]


def test_a_time_limit_given_later_counts_from_when_the_job_got_stuck(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    job = queue.submit("A", 2)
    face.advance(500)
    face.client.update_job_queue(jobQueue=queue.name, jobStateTimeLimitActions=[action(LIMIT)])
    face.advance(110)
    assert queue.status(job) == ["FAILED"]


def test_a_time_limit_taken_away_ends_nobody(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)}, time_limits=[action(LIMIT)])
    job = queue.submit("A", 2)
    face.advance(500)
    face.client.update_job_queue(jobQueue=queue.name, jobStateTimeLimitActions=[])
    face.advance(5000)
    assert queue.status(job) == ["RUNNABLE"]


def test_time_without_capacity_adds_up_over_attempts(face: Face) -> None:
    reason = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)}, time_limits=[action(reason, 900)])
    face.make_scarce(G5, 0)
    job = queue.submit("A")
    face.advance(650)
    assert queue.describe(job)["status"] in ("RUNNABLE", "SCHEDULED")
    face.advance(900)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == (
        "FAILED",
        f"Terminated by JobStateTimeLimit action due to reason: {reason}",
    )
