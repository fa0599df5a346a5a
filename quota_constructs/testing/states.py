"""Builders of queue states: a case says what matters to it, the rest has a default."""

from typing import TYPE_CHECKING

from quota_scheduler import Job, QueueState, Share
from quota_scheduler.timestamp import parse_timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AT = "2026-01-01T12:00:00Z"
"""When a built state is taken, unless it says otherwise."""

_AT = parse_timestamp(AT)
_HOUR_MILLISECONDS = 3_600_000
_TYPE = "ml.g5.xlarge"


def share(
    name: str,
    limits: "Mapping[str, int]",
    strategy: str = "RESERVE",
    *,
    borrow_limit_percent: int = -1,
    in_share_preemption: bool = False,
    state: str = "ENABLED",
) -> Share:
    """Build a share.

    Args:
        name: Its name.
        limits: Instances of each type.
        strategy: `RESERVE`, `LEND` or `LEND_AND_BORROW`.
        borrow_limit_percent: Percent of its own limits; -1 is no limit.
        in_share_preemption: Whether its jobs may stop each other.
        state: `ENABLED` or `DISABLED`.
    """
    return Share(name, limits, strategy, borrow_limit_percent, in_share_preemption, state)


def running(
    job_id: str,
    share_name: str,
    uses: "Mapping[str, int] | int" = 1,
    *,
    hours: float = 1,
    priority: int = 1,
    owner: str | None = None,
) -> Job:
    """Build a job that runs.

    Args:
        job_id: Its id, also its name.
        share_name: Its share.
        uses: Instances by type, or how many ml.g5.xlarge.
        hours: For how long it has run.
        priority: Its priority; higher goes first.
        owner: Whom to tell.
    """
    started = _AT - round(hours * _HOUR_MILLISECONDS)
    return Job(
        job_id,
        share_name,
        _uses(uses),
        "RUNNING",
        name=job_id,
        priority=priority,
        created_at=started,
        scheduled_at=started,
        started_at=started,
        owner=owner,
    )


def waiting(
    job_id: str,
    share_name: str,
    uses: "Mapping[str, int] | int" = 1,
    *,
    hours: float = 0,
    priority: int = 1,
    owner: str | None = None,
) -> Job:
    """Build a job that waits.

    Args:
        job_id: Its id, also its name.
        share_name: Its share.
        uses: Instances by type, or how many ml.g5.xlarge.
        hours: For how long it has waited.
        priority: Its priority; higher goes first.
        owner: Whom to tell.
    """
    created = _AT - round(hours * _HOUR_MILLISECONDS)
    return Job(
        job_id,
        share_name,
        _uses(uses),
        "RUNNABLE",
        name=job_id,
        priority=priority,
        created_at=created,
        owner=owner,
    )


def queue_state(
    environment: "Mapping[str, int]",
    shares: "Iterable[Share]",
    jobs: "Iterable[Job]" = (),
    *,
    queue: str | None = None,
) -> QueueState:
    """Build the state of a queue.

    Args:
        environment: Instances of each type in the service environment.
        shares: Its shares.
        jobs: Its jobs.
        queue: Name of the queue. By default it has none, and belongs to the one queue of a template.
    """
    return QueueState(_AT, environment, {one.name: one for one in shares}, tuple(jobs), queue=queue)


def _uses(uses: "Mapping[str, int] | int") -> "Mapping[str, int]":
    return {_TYPE: uses} if isinstance(uses, int) else uses
