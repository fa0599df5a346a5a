"""The four EventBridge events of service jobs, made from the event log.

Source: user guide, service job state change events, service job queue blocked events, service job preemption events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.local.operations.service_jobs import job_detail, preemption_summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_constructs.local.event_log import Record
    from quota_constructs.local.records import Members, ServiceJob
    from quota_constructs.local.store import Store

SOURCE = "aws.batch"
STATE_CHANGE = "Batch Service Job State Change"
QUEUE_BLOCKED = "Batch Service Job Queue Blocked"
PREEMPTION_STARTED = "Batch Service Job Preemption Started"
PREEMPTION_COMPLETED = "Batch Service Job Preemption Completed"


@dataclass(frozen=True, slots=True)
class CloudEvent:
    """An event for EventBridge.

    Args:
        detail_type: one of the four documented ones.
        resources: the service job's ARN.
        detail: as documented for the type.
        at: when it happened, in milliseconds since 1970 UTC.
    """

    detail_type: str
    resources: tuple[str, ...]
    detail: Members
    at: int


def cloud_event(record: Record, store: Store) -> CloudEvent | None:
    """Make the event for a record of the log.

    Args:
        record: what has just happened.
        store: where the job is.

    Returns:
        The event; None if nothing is published for it: resources, submissions, changes of priority.
    """
    if record.kind not in _DETAILS:
        return None
    detail_type, detail = _DETAILS[record.kind]
    job = store.job(record.subject)
    return CloudEvent(detail_type, (job.arn,), detail(record, job), record.at)


def _job(_record: Record, job: ServiceJob) -> Members:
    hidden = ("tags", "serviceRequestPayload")
    return {name: value for name, value in job_detail(job).items() if name not in hidden}


def _started(record: Record, job: ServiceJob) -> Members:
    return {"statusReason": record.data["reason"], "preemptedJobArn": job.arn, "status": record.data["status"]}


def _completed(record: Record, job: ServiceJob) -> Members:
    return {
        "preemptedJobArn": job.arn,
        "preemptionSummary": preemption_summary(job),
        "status": record.data["status"],
    }


_DETAILS: dict[str, tuple[str, Callable[[Record, ServiceJob], Members]]] = {
    "status": (STATE_CHANGE, _job),
    "blocked": (QUEUE_BLOCKED, _job),
    "preemption_started": (PREEMPTION_STARTED, _started),
    "preemption_completed": (PREEMPTION_COMPLETED, _completed),
}
