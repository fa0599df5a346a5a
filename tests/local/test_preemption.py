from __future__ import annotations

from typing import Any

import pytest
from local_invariants import Replay
from local_support import G5, LEND, REGION, RESERVE, Face, InProcess, Queue, borrow, limits

from quota_constructs.local import LocalBatch
from quota_scheduler import Knobs, parse_state

CROSS_SHARE = "Cross-share preemption triggered to reclaim borrowed capacity"


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face, {G5: 4}, {"A": ({G5: 2}, borrow()), "B": ({G5: 2}, LEND)}, in_share=["A"])


def preempt(queue: Queue, **members: Any) -> tuple[list[str], str]:
    """Four jobs of A, two of them borrowed; then a job of B that wants one instance back."""
    jobs = [queue.submit("A", priority=priority, **members) for priority in (9, 8, 7, 6)]
    queue.face.advance(30)
    assert queue.status(*jobs) == ["RUNNING"] * 4
    owner = queue.submit("B")
    queue.face.advance(3)
    return jobs, owner


def test_the_preempted_job_holds_its_instances_until_it_has_stopped(queue: Queue) -> None:
    jobs, owner = preempt(queue)
    stopping = queue.describe(jobs[3])
    assert (stopping["status"], stopping["statusReason"]) == ("RUNNING", f"PREEMPTION_IN_PROGRESS: {CROSS_SHARE}")
    assert queue.status(owner) == ["RUNNABLE"]
    queue.face.advance(20)
    preempted = queue.describe(jobs[3])
    assert (preempted["status"], "statusReason" in preempted) == ("RUNNABLE", False)
    assert queue.status(owner) == ["SCHEDULED"]
    [started] = queue.face.events("preemption_started")
    [completed] = queue.face.events("preemption_completed")
    assert completed["at"] - started["at"] == 20_000
    assert started["preemptor"] == completed["preemptor"] == owner
    # a preempted attempt is in the summary and not among the attempts
    assert "attempts" not in preempted
    [attempt] = preempted["preemptionSummary"]["recentPreemptedAttempts"]
    assert attempt == {
        "serviceResourceId": preempted["latestAttempt"]["serviceResourceId"],
        "startedAt": stopping["startedAt"],
        "stoppedAt": completed["at"],
        "statusReason": CROSS_SHARE,
    }


@pytest.mark.parametrize(
    ("allowed", "want"), [(0, ["FAILED"]), (1, ["RUNNABLE", "FAILED"]), (2, ["RUNNABLE", "RUNNABLE", "FAILED"])]
)
def test_retries_before_termination(face: Face, allowed: int, want: list[str]) -> None:
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})
    queue.submit("A", priority=9)
    job = queue.submit("A", preemptionConfiguration={"preemptionRetriesBeforeTermination": allowed})
    found = []
    for _ in want:
        face.advance(30)
        owner = queue.submit("B")
        face.advance(30)
        found += queue.status(job)
        face.client.terminate_service_job(jobId=owner, reason="done")
        face.advance(30)
    assert found == want
    assert queue.describe(job)["preemptionSummary"]["preemptedAttemptCount"] == len(want)


def test_preemption_uses_up_no_attempts(queue: Queue) -> None:
    jobs, owner = preempt(queue, retryStrategy={"attempts": 1})
    queue.face.advance(60)
    queue.face.client.terminate_service_job(jobId=owner, reason="done")
    queue.face.advance(5000)
    assert queue.status(*jobs) == ["SUCCEEDED"] * 4


def test_the_history_shows_the_newest_attempts_first(face: Face) -> None:
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})
    queue.submit("A", priority=9, run_seconds=90_000)
    job = queue.submit("A", run_seconds=90_000)
    for _ in range(12):
        face.advance(30)
        owner = queue.submit("B")
        face.advance(30)
        face.client.terminate_service_job(jobId=owner, reason="done")
        face.advance(30)
    summary = queue.describe(job)["preemptionSummary"]
    stops = [attempt["stoppedAt"] for attempt in summary["recentPreemptedAttempts"]]
    assert (summary["preemptedAttemptCount"], len(stops)) == (12, 10)
    assert stops == sorted(stops, reverse=True)


def test_what_several_jobs_free_is_held_for_the_one_they_are_stopped_for(face: Face) -> None:
    """B reclaims two instances; C, which would take the first of them, gets nothing before B."""
    queue = Queue(face, {G5: 4}, {"A": ({G5: 1}, borrow()), "B": ({G5: 2}, LEND), "C": ({G5: 1}, borrow())})
    jobs = [queue.submit("A", priority=priority) for priority in (9, 5, 5, 5)]
    face.advance(30)
    owner = queue.submit("B", 2)
    face.advance(3)
    stopping = [event["subject"] for event in face.events("preemption_started")]
    assert len(stopping) == 2
    # one of them is ended by its user at once, the other stops later
    other = queue.submit("C", 2)
    face.advance(40)
    assert queue.status(owner, other) == ["RUNNING", "RUNNABLE"]
    assert [queue.status(job)[0] for job in jobs].count("RUNNING") == 2


def test_terminating_the_preemptor_gives_the_room_to_others(queue: Queue) -> None:
    jobs, owner = preempt(queue)
    queue.face.client.terminate_service_job(jobId=owner, reason="changed my mind")
    queue.face.advance(60)
    assert queue.status(owner) == ["FAILED"]
    assert queue.status(*jobs) == ["RUNNING"] * 4, "the preempted job has borrowed the instance again"


def test_terminating_a_job_that_is_being_preempted_ends_it(queue: Queue) -> None:
    jobs, owner = preempt(queue)
    queue.face.client.terminate_service_job(jobId=jobs[3], reason="no need")
    queue.face.advance(40)
    described = queue.describe(jobs[3])
    assert (described["status"], described["statusReason"], described["isTerminated"]) == ("FAILED", "no need", True)
    assert queue.status(owner) == ["RUNNING"]
    assert queue.face.events("preemption_completed") == []


def test_a_lowered_limit_stops_a_job_only_when_somebody_needs_the_room(face: Face) -> None:
    queue = Queue(face, {G5: 4}, {"A": ({G5: 2}, RESERVE), "B": ({G5: 2}, LEND)})
    jobs = [queue.submit("A") for _ in range(2)]
    face.advance(30)
    face.client.update_quota_share(quotaShareArn=queue.share_arn("A"), capacityLimits=limits({G5: 1}))
    face.client.update_quota_share(quotaShareArn=queue.share_arn("B"), capacityLimits=limits({G5: 3}))
    face.advance(30)
    assert queue.status(*jobs) == ["RUNNING", "RUNNING"]
    owner = queue.submit("B", 3)
    face.advance(60)
    assert sorted(queue.status(*jobs)) == ["RUNNABLE", "RUNNING"]
    assert queue.status(owner) == ["RUNNING"]


def test_a_lowered_environment_stops_nobody_and_holds_back_new_jobs(queue: Queue) -> None:
    jobs = [queue.submit("A", run_seconds=600) for _ in range(4)]
    queue.face.advance(30)
    queue.face.client.update_service_environment(
        serviceEnvironment=f"{queue.name}-environment", capacityLimits=limits({G5: 2})
    )
    later = queue.submit("A")
    queue.face.advance(120)
    assert queue.status(*jobs, later) == ["RUNNING"] * 4 + ["RUNNABLE"]
    queue.face.advance(600)
    assert queue.status(later) == ["RUNNING"]


@pytest.mark.parametrize(("seconds", "status"), [(3, "SCHEDULED"), (9, "STARTING")])
def test_a_job_that_does_not_run_yet_is_preempted_as_well(queue: Queue, seconds: float, status: str) -> None:
    queue.submit("A", 3, priority=9)
    job = queue.submit("A")
    queue.face.advance(seconds - 2)
    queue.submit("B")
    queue.face.advance(2)
    assert queue.status(job) == [status]
    queue.face.advance(25)
    [attempt] = queue.describe(job)["preemptionSummary"]["recentPreemptedAttempts"]
    assert "startedAt" not in attempt
    assert queue.status(job) == ["RUNNABLE"]
    [started] = queue.face.events("preemption_started")
    assert started["status"] == status


def test_a_job_never_stops_twice_for_two_owners(face: Face) -> None:
    """Two owners come at once; each gets a job of its own to wait for."""
    queue = Queue(face, {G5: 4}, {"A": ({G5: 2}, borrow()), "B": ({G5: 1}, LEND), "C": ({G5: 1}, LEND)})
    jobs = [queue.submit("A", priority=priority) for priority in (9, 8, 7, 6)]
    face.advance(30)
    owners = [queue.submit("B"), queue.submit("C")]
    face.advance(60)
    assert queue.status(*owners) == ["RUNNING", "RUNNING"]
    assert queue.status(*jobs) == ["RUNNING", "RUNNING", "RUNNABLE", "RUNNABLE"]
    stopped = face.events("preemption_started")
    assert sorted(event["subject"] for event in stopped) == sorted(jobs[2:])
    assert sorted(event["preemptor"] for event in stopped) == sorted(owners)


def test_a_cascade_settles(face: Face) -> None:
    """A preempted job of high priority displaces one of its own share, which waits then."""
    queue = Queue(face, {G5: 3}, {"A": ({G5: 2}, borrow()), "B": ({G5: 1}, LEND)}, in_share=["A"])
    low = queue.submit("A", priority=1)
    middle = queue.submit("A", priority=2)
    face.advance(30)
    high = queue.submit("A", priority=3)
    face.advance(30)
    assert queue.status(low, middle, high) == ["RUNNING"] * 3
    owner = queue.submit("B")
    face.advance(120)
    assert queue.status(owner, high, middle, low) == ["RUNNING", "RUNNING", "RUNNING", "RUNNABLE"]


def test_the_scheduler_s_assumptions_can_be_others() -> None:
    """With backfill a small job passes a large one of its share that does not fit now."""
    found = {}
    for head_blocking in ("strict", "backfill"):
        face = InProcess()
        face.batch = LocalBatch(knobs=Knobs(head_blocking=head_blocking))
        face.client = face.batch.client()
        queue = Queue(face, {G5: 4}, {"A": ({G5: 4}, RESERVE)})
        jobs = [queue.submit("A", uses) for uses in (3, 2, 1)]
        face.advance(30)
        found[head_blocking] = queue.status(*jobs)
    assert found == {
        "strict": ["RUNNING", "RUNNABLE", "RUNNABLE"],
        "backfill": ["RUNNING", "RUNNABLE", "RUNNING"],
    }


def test_a_queue_can_be_asked_for_as_the_model_sees_it() -> None:
    face = InProcess()
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow(100)), "B": ({G5: 1}, LEND)}, in_share=["A"])
    running, waiting = queue.submit("A", 2, priority=7), queue.submit("A")
    face.advance(30)
    state = face.batch.queue_state("training")
    assert parse_state(state.to_dict()) == state
    assert (state.environment, state.queue, state.region) == ({G5: 2}, "training", REGION)
    assert {job.id: (job.status, job.priority) for job in state.jobs} == {
        running: ("RUNNING", 7),
        waiting: ("RUNNABLE", 1),
    }
    assert state.shares["A"].borrow_limit_percent == 100
    assert state.shares["A"].in_share_preemption


def test_room_goes_to_a_more_urgent_job_that_came_meanwhile(face: Face) -> None:
    queue = Queue(face, {G5: 2}, {"A": ({G5: 2}, RESERVE)}, in_share=["A"])
    low = queue.submit("A", 2, priority=1)
    face.advance(30)
    high = queue.submit("A", 1, priority=5)
    face.advance(5)
    urgent = queue.submit("A", 2, priority=9)
    face.advance(60)
    assert queue.status(low, high, urgent) == ["RUNNABLE", "RUNNABLE", "RUNNING"]
    assert [event["subject"] for event in face.events("released")] == [high]
    assert [event["subject"] for event in face.events("preemption_started")] == [low]


def test_a_job_that_is_being_terminated_makes_room_for_nobody(face: Face) -> None:
    """It holds its instance until it has stopped, and is not stopped a second time for somebody else."""
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})
    queue.submit("A", priority=9)
    borrower = queue.submit("A")
    face.advance(30)
    face.client.terminate_service_job(jobId=borrower, reason="enough")
    owner = queue.submit("B")
    face.advance(5)
    assert queue.status(owner) == ["RUNNABLE"]
    face.advance(40)
    assert queue.status(borrower, owner) == ["FAILED", "RUNNING"]
    assert borrower not in [event["subject"] for event in face.events("preemption_started")]
    assert Replay().play(face.events()) == []
