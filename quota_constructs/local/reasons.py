"""The texts of `statusReason`, word for word where they are published.

Source: user guide, "Jobs stuck in a RUNNABLE status", "due to capacity", "due to misconfiguration", "Service job
preemption events". The text of in-share preemption and of deletions is not published: assumed.
"""

from __future__ import annotations

ENVIRONMENT_TOO_SMALL = (
    "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE - Service environment(s) associated with the job queue cannot "
    "meet the capacity requirement of the job."
)
_LIMIT = "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED - "
ABOVE_LIMIT = _LIMIT + "Job requirements exceed quota share capacity limits."
ABOVE_BORROW_LIMIT = _LIMIT + "Job requirements exceed quota share capacity limits and borrow limits."
ABOVE_POOL = _LIMIT + "Job requires borrowing that exceeds all configured borrowable capacity."
NO_CAPACITY = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Unable to provision requested compute resources"
CAPACITY_ERROR = "CapacityError: Unable to provision requested ML compute capacity"
"""Why a training job failed that did not get its instances; the service looks for the first word."""

CROSS_SHARE = "Cross-share preemption triggered to reclaim borrowed capacity"
IN_SHARE = "In-share preemption triggered to run a job of higher priority"
STOPPED_DIRECTLY = "Received status from SageMaker: Stopped"
QUEUE_HEALTHY = "JobQueue Healthy"
SHARE_DELETED = "Terminated because its quota share was deleted"
QUEUE_DELETED = "Terminated because its job queue was deleted"

_NEVER_FITS = {
    "limit": ABOVE_LIMIT,
    "borrow_limit": ABOVE_BORROW_LIMIT,
    "borrowable_pool": ABOVE_POOL,
    "environment": ENVIRONMENT_TOO_SMALL,
}


def never_fits(reason: str, strategy: str) -> str:
    """The status reason of a job that can never run.

    Args:
        reason: the scheduler's reason code.
        strategy: resource sharing strategy of the job's share.
    """
    if reason == "type_not_listed":
        return ABOVE_BORROW_LIMIT if strategy == "LEND_AND_BORROW" else ABOVE_LIMIT
    return _NEVER_FITS[reason]


def in_progress(reason: str) -> str:
    """The status reason of a job while it is being stopped."""
    return f"PREEMPTION_IN_PROGRESS: {reason}"


def time_limit(reason: str) -> str:
    """The status reason of a job that a time limit of its queue ended."""
    return f"Terminated by JobStateTimeLimit action due to reason: {reason}"


def matches(action_reason: str, status_reason: str) -> bool:
    """Whether a `jobStateTimeLimitActions` entry is about this status reason."""
    return status_reason == action_reason or status_reason.startswith(f"{action_reason} - ")
