"""Queues in few words: builders that hold the defaults, so that a test shows only what matters to it.

    queue(share("research", 4, "LEND_AND_BORROW", borrow=100), share("vision", 4),
          running("a1", "research", 6), waiting("b1", "vision", 2))

One instance type unless said otherwise, an environment as large as all limits together, and it is noon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_scheduler import Job, QueueState, Share
from quota_scheduler.timestamp import MILLISECONDS_PER_HOUR, parse_timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE = "ml.g5.xlarge"
"""The type of a builder that is given only a number; it has one GPU."""

NOON = parse_timestamp("2026-11-29T12:00:00Z")


def amounts(given: int | Mapping[str, int]) -> Mapping[str, int]:
    """Give amounts by type; a number is of the default type."""
    return {TYPE: given} if isinstance(given, int) else given


def hours_ago(hours: float) -> int:
    return NOON - int(hours * MILLISECONDS_PER_HOUR)


def share(
    name: str,
    limits: int | Mapping[str, int] = 4,
    strategy: str = "LEND",
    *,
    borrow: int = -1,
    in_share: bool = False,
    state: str = "ENABLED",
) -> Share:
    return Share(name, amounts(limits), strategy, borrow, in_share, state)


def running(
    name: str,
    share: str,
    uses: int | Mapping[str, int] = 1,
    *,
    priority: int | None = 5,
    hours: float = 1,
    status: str = "RUNNING",
    checkpoint_hours: float | None = None,
    stopping_for: str | None = None,
    retries: int | None = None,
    preempted: int = 0,
    owner: str | None = None,
    ends_in: float | None = None,
) -> Job:
    return Job(
        name,
        share,
        amounts(uses),
        status,
        priority=priority,
        created_at=hours_ago(hours + 1),
        scheduled_at=hours_ago(hours),
        started_at=hours_ago(hours) if status == "RUNNING" else None,
        checkpointed_at=None if checkpoint_hours is None else hours_ago(checkpoint_hours),
        expected_end=None if ends_in is None else hours_ago(-ends_in),
        stopping_for=stopping_for,
        preemption_retries_before_termination=retries,
        preempted_attempt_count=preempted,
        owner=owner,
    )


def waiting(
    name: str,
    share: str,
    uses: int | Mapping[str, int] = 1,
    *,
    priority: int | None = 5,
    hours: float | None = 0.5,
    owner: str | None = None,
) -> Job:
    created = None if hours is None else hours_ago(hours)
    return Job(name, share, amounts(uses), "RUNNABLE", priority=priority, created_at=created, owner=owner)


def queue(*parts: Share | Job, environment: int | Mapping[str, int] | None = None) -> QueueState:
    """Give a queue of shares and jobs in any order; the environment is what the shares add up to, unless given."""
    shares = {part.name: part for part in parts if isinstance(part, Share)}
    jobs = tuple(part for part in parts if isinstance(part, Job))
    if environment is None:
        units = {unit for each in shares.values() for unit in each.limits}
        environment = {unit: sum(each.limits.get(unit, 0) for each in shares.values()) for unit in units}
    return QueueState(NOON, amounts(environment), shares, jobs)
