"""Events and metrics as the service publishes them, from a local Batch in this process."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from local_support import G5, LEND, InProcess, Queue, borrow

from quota_constructs.local.cloud_events import (
    PREEMPTION_COMPLETED,
    PREEMPTION_STARTED,
    QUEUE_BLOCKED,
    STATE_CHANGE,
)

if TYPE_CHECKING:
    from quota_constructs.local.outbox import Outbox

CROSS_SHARE = "Cross-share preemption triggered to reclaim borrowed capacity"


@pytest.fixture
def face() -> InProcess:
    return InProcess()


@pytest.fixture
def queue(face: InProcess) -> Queue:
    return Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})


@pytest.fixture
def outbox(face: InProcess) -> Outbox:
    return face.batch.outbox()


def test_every_change_of_state_but_the_submission(face: InProcess, queue: Queue, outbox: Outbox) -> None:
    job = queue.submit("A", run_seconds=60, tags={"a": "b"})
    face.advance(200)
    assert [(event.detail_type, event.detail["status"]) for event in outbox.events] == [
        (STATE_CHANGE, status) for status in ("RUNNABLE", "SCHEDULED", "STARTING", "RUNNING", "SUCCEEDED")
    ]
    last = outbox.events[-1]
    described = queue.describe(job)
    hidden = ("tags", "serviceRequestPayload")
    assert last.detail == {name: value for name, value in described.items() if name not in hidden}
    assert (last.resources, last.at) == ((described["jobArn"],), described["stoppedAt"])


def test_the_pair_of_preemption_events(face: InProcess, queue: Queue, outbox: Outbox) -> None:
    queue.submit("A", priority=9)
    job = queue.submit("A")
    face.advance(30)
    queue.submit("B")
    face.advance(60)
    arn, summary = queue.describe(job)["jobArn"], queue.describe(job)["preemptionSummary"]
    pair = [event for event in outbox.events if event.detail_type in (PREEMPTION_STARTED, PREEMPTION_COMPLETED)]
    assert [(event.detail_type, event.resources, event.detail) for event in pair] == [
        (
            PREEMPTION_STARTED,
            (arn,),
            {"statusReason": f"PREEMPTION_IN_PROGRESS: {CROSS_SHARE}", "preemptedJobArn": arn, "status": "RUNNING"},
        ),
        (
            PREEMPTION_COMPLETED,
            (arn,),
            {"preemptedJobArn": arn, "preemptionSummary": summary, "status": "RUNNABLE"},
        ),
    ]


def test_a_blocked_queue_is_told_once(face: InProcess, queue: Queue, outbox: Outbox) -> None:
    queue.submit("B", 2)
    face.advance(30)
    queue.submit("A")
    face.advance(30)
    blocked = [event.detail for event in outbox.events if event.detail_type == QUEUE_BLOCKED]
    assert [(detail["status"], detail["statusReason"].partition(" ")[0]) for detail in blocked] == [
        ("RUNNABLE", "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED")
    ]


def test_counts_of_jobs(face: InProcess, queue: Queue, outbox: Outbox) -> None:
    queue.submit("A", priority=9, run_seconds=3600)
    queue.submit("A", run_seconds=3600)
    face.advance(30)
    owner = queue.submit("B")
    face.advance(60)
    face.client.terminate_service_job(jobId=owner, reason="r")
    face.advance(7200)
    counts = Counter({value.name: 0 for value in outbox.metrics if value.unit == "Count"})
    for value in outbox.metrics:
        if value.unit == "Count":
            counts[value.name] += value.value
    assert counts == {
        "JobsSubmitted": 3,
        "JobsMovedToRunnable": 4,
        "JobsMovedToScheduled": 4,
        "JobsMovedToStarting": 4,
        "JobsMovedToRunning": 4,
        "JobsPreempted": 1,
        "JobsTerminated": 1,
        "JobsMovedToFailed": 1,
        "JobsMovedToSucceeded": 2,
    }
    assert {value.queue for value in outbox.metrics} == {"training"}


def test_durations_of_a_job(face: InProcess, queue: Queue, outbox: Outbox) -> None:
    queue.submit("A", run_seconds=60)
    face.advance(200)
    durations = {value.name: value.value for value in outbox.metrics if value.unit == "Milliseconds"}
    assert durations == {
        "JobSubmittedToRunnableDuration": 1000,
        "JobSubmittedToFirstScheduledDuration": 2000,
        "JobAttemptRunnableToScheduledDuration": 1000,
        "JobAttemptScheduledToStartingDuration": 5000,
        "JobAttemptStartingToRunningDuration": 10_000,
        "JobAttemptExecutionDuration": 60_000,
        "JobAttemptDuration": 75_000,
    }
