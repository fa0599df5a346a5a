"""A service job as a value: what it asks for, how urgent it is, how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RUNNABLE = "RUNNABLE"
DISPATCHED_STATUSES = ("SCHEDULED", "STARTING", "RUNNING")
FINISHED_STATUSES = ("SUCCEEDED", "FAILED")
STATUSES = ("SUBMITTED", "PENDING", RUNNABLE, *DISPATCHED_STATUSES, *FINISHED_STATUSES)
"""Every status of a service job. Only RUNNABLE (waiting) and the dispatched ones count; others are ignored."""


@dataclass(frozen=True, slots=True)
class Job(Value):
    """A service job. Times are milliseconds since 1970 UTC, None where unknown.

    Args:
        id: unique in its queue.
        share: name of its quota share.
        uses: instances of each type it asks for or holds; mostly one type.
        status: as the service reports it.
        name: the user's name for it.
        priority: scheduling priority, higher goes first in its share. None: nobody asked for it.
        created_at: when it was submitted.
        scheduled_at: when it was dispatched.
        started_at: when it began to run. Work is lost from here on if it is stopped.
        checkpointed_at: when it last saved its work.
        expected_end: when it will be done.
        stopping_for: id of the waiting job for which it is being stopped; it still holds its room.
        preemption_retries_before_termination: how often it is put back after a preemption before it fails.
            None: without limit.
        preempted_attempt_count: how often it was preempted so far.
        owner: whom to tell.

    Source: DescribeServiceJob, SubmitServiceJob.

    >>> Job("j1", "research", {"ml.g5.xlarge": 2}, "RUNNABLE", priority=5).is_waiting
    True
    """

    id: str
    share: str
    uses: Mapping[str, int]
    status: str
    name: str | None = None
    priority: int | None = None
    created_at: int | None = None
    scheduled_at: int | None = None
    started_at: int | None = None
    checkpointed_at: int | None = None
    expected_end: int | None = None
    stopping_for: str | None = None
    preemption_retries_before_termination: int | None = None
    preempted_attempt_count: int = 0
    owner: str | None = None

    def __post_init__(self) -> None:
        if type(self.uses) is not MappingProxyType:
            object.__setattr__(self, "uses", MappingProxyType(dict(self.uses)))

    @property
    def is_waiting(self) -> bool:
        """Whether it waits to be dispatched."""
        return self.status == RUNNABLE

    @property
    def is_dispatched(self) -> bool:
        """Whether it holds capacity."""
        return self.status in DISPATCHED_STATUSES

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits or holds capacity; all others are ignored."""
        return self.is_waiting or self.is_dispatched

    @property
    def fails_if_preempted(self) -> bool:
        """Whether a preemption ends it instead of putting it back.

        Source: AWS Batch User Guide, Preemption, `preemptionRetriesBeforeTermination`; assumed for the number of the
        last retry.
        """
        retries = self.preemption_retries_before_termination
        return retries is not None and self.preempted_attempt_count >= retries

    @property
    def dispatched_at(self) -> int | None:
        """When it got its capacity: `scheduled_at`, or `started_at` where that is missing."""
        return self.started_at if self.scheduled_at is None else self.scheduled_at
