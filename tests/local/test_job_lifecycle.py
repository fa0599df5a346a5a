"""Jobs move through their states on the clock, are tried again, time out, and wait for instances that are scarce."""

from __future__ import annotations

from typing import Any

import pytest
from local_support import G5, LEND, Face, Queue, payload

NO_CAPACITY = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Unable to provision requested compute resources"


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face, {G5: 4}, {"A": ({G5: 4}, LEND)})


def moves(queue: Queue, job: str) -> list[tuple[float, str]]:
    """Seconds since the submission, and the status then."""
    [submitted] = [event for event in queue.face.events("submitted") if event["subject"] == job]
    changes = [event for event in queue.face.events("status") if event["subject"] == job]
    return [((event["at"] - submitted["at"]) / 1000, event["status"]) for event in changes]


def failing(reason: str, **more: Any) -> str:
    return payload({G5: 1}, run_seconds=10, Environment={"QUOTA_LOCAL_FAILURE": reason}, **more)


def test_a_job_goes_through_all_states(queue: Queue) -> None:
    job = queue.submit("A", run_seconds=100)
    queue.face.advance(1000)
    assert moves(queue, job) == [
        (1, "RUNNABLE"),
        (2, "SCHEDULED"),
        (7, "STARTING"),
        (17, "RUNNING"),
        (117, "SUCCEEDED"),
    ]


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"serviceRequestPayload": payload({G5: 1}, run_seconds=None)}, 300),
        (
            {
                "serviceRequestPayload": payload(
                    {G5: 1}, run_seconds=None, StoppingCondition={"MaxRuntimeInSeconds": 1200}
                )
            },
            1200,
        ),
        (
            {
                "serviceRequestPayload": payload({G5: 1}, run_seconds=None),
                "timeoutConfig": {"attemptDurationSeconds": 70},
            },
            70,
        ),
        (
            {
                "serviceRequestPayload": payload(
                    {G5: 1}, run_seconds=30, StoppingCondition={"MaxRuntimeInSeconds": 1200}
                )
            },
            30,
        ),
    ],
    ids=["says nothing", "maximal run time", "time-out", "its own run time"],
)
def test_run_time(queue: Queue, members: dict[str, Any], want: float) -> None:
    job = queue.submit("A", **members)
    queue.face.advance(5000)
    described = queue.describe(job)
    assert (described["status"], (described["stoppedAt"] - described["startedAt"]) / 1000) == ("SUCCEEDED", want)


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"timeoutConfig": {"attemptDurationSeconds": 60}}, "Job attempt duration exceeded timeout"),
        (
            {"serviceRequestPayload": payload({G5: 1}, StoppingCondition={"MaxRuntimeInSeconds": 60})},
            "Received status from SageMaker: MaxRuntimeExceeded: the training job ran longer than MaxRuntimeInSeconds",
        ),
    ],
)
def test_a_job_that_runs_too_long_fails(queue: Queue, members: dict[str, Any], want: str) -> None:
    job = queue.submit("A", retryStrategy={"attempts": 1}, **members)
    queue.face.advance(5000)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("FAILED", want)
    assert described["stoppedAt"] - described["startedAt"] == 60_000


def test_a_failed_attempt_is_tried_again_as_often_as_allowed(queue: Queue) -> None:
    reason = "Received status from SageMaker: InternalServerError: try again"
    job = queue.submit("A", serviceRequestPayload=failing(reason), retryStrategy={"attempts": 3})
    queue.face.advance(1000)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("FAILED", reason)
    assert [attempt["statusReason"] for attempt in described["attempts"]] == [reason] * 3
    assert len({attempt["serviceResourceId"]["value"] for attempt in described["attempts"]}) == 3
    assert [status for _, status in moves(queue, job)].count("RUNNABLE") == 3


def test_rules_on_the_reason_decide_about_another_attempt(queue: Queue) -> None:
    rules = [
        {"action": "RETRY", "onStatusReason": "Received status from SageMaker: InternalServerError*"},
        {"action": "EXIT", "onStatusReason": "*"},
    ]
    strategy = {"attempts": 2, "evaluateOnExit": rules}
    retried = queue.submit("A", serviceRequestPayload=failing("Received status from SageMaker: InternalServerError: x"),
                           retryStrategy=strategy)  # fmt: skip
    given_up = queue.submit("A", serviceRequestPayload=failing("AlgorithmError"), retryStrategy=strategy)
    queue.face.advance(1000)
    assert [len(queue.describe(job)["attempts"]) for job in (retried, given_up)] == [2, 1]


def test_a_job_waits_scheduled_for_scarce_instances(queue: Queue) -> None:
    queue.face.make_scarce(G5, 1)
    first, second = queue.submit("A", run_seconds=60), queue.submit("A", run_seconds=60)
    queue.face.advance(30)
    assert queue.status(first, second) == ["RUNNING", "SCHEDULED"]
    queue.face.advance(60)
    assert queue.status(first, second) == ["SUCCEEDED", "RUNNING"]


def test_lack_of_capacity_is_retried_without_using_attempts(queue: Queue) -> None:
    queue.face.make_scarce(G5, 0)
    job = queue.submit("A", run_seconds=60, retryStrategy={"attempts": 1})
    queue.face.advance(320)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("RUNNABLE", NO_CAPACITY)
    queue.face.advance(800)
    assert [status for _, status in moves(queue, job)][:5] == [
        "RUNNABLE",
        "SCHEDULED",
        "RUNNABLE",
        "SCHEDULED",
        "RUNNABLE",
    ]
    described = queue.describe(job)
    assert len(described["attempts"]) == 1, "only the newest attempt without capacity is kept"
    assert described["attempts"][0]["statusReason"].startswith("CapacityError")
    blocked = queue.face.events("blocked")
    assert {event["reason"] for event in blocked} == {NO_CAPACITY}
    queue.face.make_scarce(G5, None)
    queue.face.advance(500)
    assert queue.status(job) == ["SUCCEEDED"]


def test_a_job_in_back_off_keeps_those_behind_it_waiting(queue: Queue) -> None:
    queue.face.make_scarce(G5, 0)
    first = queue.submit("A")
    queue.face.advance(310)
    second = queue.submit("A")
    queue.face.advance(10)
    assert queue.status(first, second) == ["RUNNABLE", "RUNNABLE"]
    assert queue.describe(first)["statusReason"] == NO_CAPACITY


def test_a_job_is_stopped_while_it_waits_for_scarce_instances(queue: Queue) -> None:
    queue.face.make_scarce(G5, 0)
    job = queue.submit("A")
    queue.face.advance(30)
    queue.face.client.terminate_service_job(jobId=job, reason="enough")
    queue.face.advance(20)
    queue.face.make_scarce(G5, None)
    queue.face.advance(600)
    described = queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("FAILED", "enough")
