"""The training jobs behind the service jobs, as SageMaker shows them: DescribeTrainingJob and StopTrainingJob.

    SCHEDULED   InProgress / Pending            SUCCEEDED   Completed / Completed
    STARTING    InProgress / Downloading        FAILED      Failed / Failed
    RUNNING     InProgress / Training           preempted or stopped attempts: Stopped / Stopped

Only training jobs that Batch has made are known. Source: user guide, mapping of service job status; SageMaker API.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quota_constructs.local import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.records import Attempt, Members, ServiceJob
    from quota_constructs.local.service import Answer, Service

TARGET = "SageMaker."
"""What `x-amz-target` begins with."""

_IN_PROGRESS = {"SCHEDULED": "Pending", "STARTING": "Downloading", "RUNNING": "Training"}
_COPIED = (
    "AlgorithmSpecification", "Environment", "HyperParameters", "InputDataConfig", "OutputDataConfig",
    "ResourceConfig", "RoleArn", "StoppingCondition", "VpcConfig",
)  # fmt: skip


def sagemaker_answer(service: Service, target: str, body: bytes) -> Answer:
    """Answer a request to SageMaker.

    Args:
        service: whose training jobs it is about.
        target: the request's `x-amz-target`.
        body: the request's body.
    """
    operation = target.removeprefix(TARGET)
    if operation not in _OPERATIONS:
        return _error(f"{operation} is not part of the local Batch: it knows the training jobs of service jobs only")
    try:
        members = json.loads(body)
        name = str(members["TrainingJobName"])
    except (ValueError, TypeError, KeyError):
        return _error("TrainingJobName is missing")
    found = service.store.training_jobs.get(name)
    if found is None:
        return _error(f"Requested resource not found: training job {name}")
    return _json(200, _OPERATIONS[operation](service, *found))


def _describe(_service: Service, job: ServiceJob, attempt: Attempt) -> Members:
    payload = _payload(job)
    status, secondary = _status(job, attempt)
    detail: Members = {
        "TrainingJobName": attempt.training_job_arn.rpartition("/")[2],
        "TrainingJobArn": attempt.training_job_arn,
        "TrainingJobStatus": status,
        "SecondaryStatus": secondary,
        "ModelArtifacts": {"S3ModelArtifacts": ""},
        "CreationTime": attempt.scheduled_at / 1000,
        **{name: payload[name] for name in _COPIED if name in payload},
    }
    if attempt.started_at is not None:
        detail["TrainingStartTime"] = attempt.started_at / 1000
    if attempt.stopped_at is not None:
        detail["TrainingEndTime"] = attempt.stopped_at / 1000
    if status == "Failed" and attempt.status_reason is not None:
        detail["FailureReason"] = attempt.status_reason
    return detail


def _stop(service: Service, job: ServiceJob, attempt: Attempt) -> Members:
    """Stop a training job behind Batch's back: its service job fails."""
    if job.latest is attempt and job.holds_instances:
        service.jobs.stop(job, "termination", reasons.STOPPED_DIRECTLY)
    return {}


_OPERATIONS = {"DescribeTrainingJob": _describe, "StopTrainingJob": _stop}


def _status(job: ServiceJob, attempt: Attempt) -> tuple[str, str]:
    if attempt.stopped_at is None:
        return ("Stopping", "Stopping") if job.stop_cause is not None else ("InProgress", _IN_PROGRESS[job.status])
    if attempt in job.preempted or job.is_terminated or attempt.status_reason == reasons.STOPPED_DIRECTLY:
        return "Stopped", "Stopped"
    return ("Completed", "Completed") if attempt.status_reason is None else ("Failed", "Failed")


def _payload(job: ServiceJob) -> Mapping[str, Any]:
    try:
        members = json.loads(job.payload)
    except (ValueError, RecursionError):
        return {}
    return members if isinstance(members, dict) else {}


def _json(status: int, members: Members) -> Answer:
    return status, {"Content-Type": "application/x-amz-json-1.1"}, json.dumps(members).encode()


def _error(message: str) -> Answer:
    return _json(400, {"__type": "ValidationException", "message": message})
