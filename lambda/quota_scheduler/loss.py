"""What is lost when a job is stopped: its work since it started or last saved, in GPU-hours.

Counted in whole GPU-milliseconds, so that sums are exact; rounded only when they are written.
"""

from __future__ import annotations

from quota_scheduler.instance_types import accelerators
from quota_scheduler.timestamp import MILLISECONDS_PER_HOUR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.job import Job

UNKNOWN_TYPE_COUNTS = 1
"""GPUs of an instance type that has none or is not known: its loss is counted in instance-hours."""


def gpus(uses: Mapping[str, int]) -> int:
    """Count the GPUs of some instances."""
    total = 0
    for unit, amount in uses.items():
        per_instance = accelerators(unit)
        total += amount * (UNKNOWN_TYPE_COUNTS if per_instance is None else per_instance)
    return total


def upper_loss(job: Job, at: int) -> int:
    """Give the most that stopping a job now can lose, in GPU-milliseconds.

    Args:
        job: the job; one that has not started loses nothing.
        at: the moment, in milliseconds since 1970 UTC.
    """
    if job.started_at is None or not job.is_dispatched:
        return 0
    saved = job.checkpointed_at
    since = job.started_at if saved is None or saved < job.started_at else saved
    return gpus(job.uses) * (at - since) if at > since else 0


def gpu_hours(gpu_milliseconds: int) -> float:
    """Give GPU-hours, rounded to 4 decimals."""
    return round(gpu_milliseconds / MILLISECONDS_PER_HOUR, 4)


def instances(job: Job) -> int:
    """Count the instances of a job, of all types."""
    return sum(job.uses.values())
