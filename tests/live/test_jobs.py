"""Jobs as the service tells them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quota_live.jobs import job_from_summary, job_with_details
from quota_scheduler import Job

G5 = "ml.g5.xlarge"


def test_a_summary_without_times_and_usage_is_a_job_all_the_same() -> None:
    summary = {"jobId": "j", "status": "SUBMITTED", "createdAt": 5, "scheduledAt": 0, "startedAt": 0}
    assert job_from_summary(summary, "A") == Job("j", "A", {}, "SUBMITTED", created_at=5)


def test_instances_are_whole_and_rounded_up() -> None:
    usage = [{"capacityUnit": G5, "quantity": 2.0}, {"capacityUnit": "ml.g6.xlarge", "quantity": 0.5}]
    job = job_from_summary({"jobId": "j", "status": "RUNNING", "capacityUsage": usage}, "A")
    assert dict(job.uses) == {G5: 2, "ml.g6.xlarge": 1}


@pytest.mark.parametrize(
    ("status", "reason", "want"),
    [
        ("RUNNING", "PREEMPTION_IN_PROGRESS: Cross-share preemption triggered", "cross-share"),
        ("SCHEDULED", "PREEMPTION_IN_PROGRESS: In-share preemption triggered", "in-share"),
        ("STARTING", "PREEMPTION_IN_PROGRESS: something new", "unknown"),
        ("RUNNABLE", "PREEMPTION_IN_PROGRESS: late", None),
        ("RUNNING", "something else", None),
        ("RUNNING", None, None),
    ],
)
def test_a_job_that_is_being_stopped_is_known_by_its_reason(status: str, reason: str | None, want: str | None) -> None:
    assert job_from_summary({"jobId": "j", "status": status, "statusReason": reason}, "A").stopping_for == want


def details(payload: Any = None, **more: Any) -> dict[str, Any]:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return {"jobId": "j", "serviceRequestPayload": text, **more}


@pytest.mark.parametrize(
    ("payload", "want"),
    [
        ({"ResourceConfig": {"InstanceType": G5, "InstanceCount": 3}}, {G5: 3}),
        (
            {
                "ResourceConfig": {
                    "InstanceGroups": [
                        {"InstanceType": G5, "InstanceCount": 1},
                        {"InstanceType": "ml.g6.xlarge", "InstanceCount": 2},
                        {"InstanceType": G5, "InstanceCount": 1},
                    ]
                }
            },
            {G5: 2, "ml.g6.xlarge": 2},
        ),
        ({"ResourceConfig": []}, {}),
        ({}, {}),
        ("not json", {}),
        ("[" * 100_000, {}),
        ("3", {}),
    ],
    ids=["plain", "groups", "no config", "empty", "not JSON", "too deep", "a number"],
)
def test_what_a_list_does_not_say_about_capacity_is_read_from_the_payload(payload: Any, want: dict[str, int]) -> None:
    assert dict(job_with_details(Job("j", "A", {}, "RUNNABLE"), details(payload), "owner").uses) == want


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ({"timeoutConfig": {"attemptDurationSeconds": 60}}, 61_000),
        ({"payload": {"StoppingCondition": {"MaxRuntimeInSeconds": 30}}}, 31_000),
        (
            {
                "timeoutConfig": {"attemptDurationSeconds": 60},
                "payload": {"StoppingCondition": {"MaxRuntimeInSeconds": 90}},
            },
            61_000,
        ),
        ({}, None),
        ({"payload": {"StoppingCondition": {"MaxRuntimeInSeconds": "long"}}}, None),
    ],
    ids=["time-out", "stopping condition", "the earlier one", "none", "nonsense"],
)
def test_the_latest_end_is_known_from_what_limits_the_run(given: dict[str, Any], want: int | None) -> None:
    payload = given.pop("payload", {})
    job = Job("j", "A", {G5: 1}, "RUNNING", started_at=1000)
    assert job_with_details(job, details(payload, **given), "owner").expected_end == want


def test_details_fill_in_what_lists_do_not_have() -> None:
    job = Job("j", "A", {G5: 1}, "RUNNING")
    given = details(
        {},
        schedulingPriority=7,
        preemptionConfiguration={"preemptionRetriesBeforeTermination": 2},
        preemptionSummary={"preemptedAttemptCount": 1},
        tags={"team": "vision", "owner": ""},
    )
    assert job_with_details(job, given, "team") == Job(
        "j",
        "A",
        {G5: 1},
        "RUNNING",
        priority=7,
        preemption_retries_before_termination=2,
        preempted_attempt_count=1,
        owner="vision",
    )
    assert job_with_details(job, given, "owner").owner is None
    assert job_with_details(job, details({}), "owner").priority == 0
