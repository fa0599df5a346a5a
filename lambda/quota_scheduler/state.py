"""The state of a queue at one moment: environment, shares, jobs. Immutable; a change gives a new state."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from quota_scheduler.timestamp import format_timestamp
from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.job import Job
    from quota_scheduler.share import Share

VERSION = 1
"""Version of the JSON documents of this package."""

TIME_MEMBERS = ("created_at", "scheduled_at", "started_at", "checkpointed_at", "expected_end")
_PLAIN_MEMBERS = ("name", "priority", "stopping_for", "preemption_retries_before_termination", "owner")


@dataclass(frozen=True, slots=True)
class TimeLimitAction:
    """What the queue does with a job that stays at the front for one reason for too long.

    Args:
        reason: the status reason it looks at, for example `MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED`.
        max_time_seconds: how long the job may stay.
        action: what happens then; `TERMINATE` for queues with quota management.

    Source: CreateJobQueue, `jobStateTimeLimitActions`.
    """

    reason: str
    max_time_seconds: int
    action: str

    def to_dict(self) -> dict[str, object]:
        """Give its members in the form of a queue state document."""
        return {"reason": self.reason, "max_time_seconds": self.max_time_seconds, "action": self.action}


@dataclass(frozen=True, slots=True)
class QueueState(Value):
    """A job queue with quota management, as it was at one moment.

    Args:
        at: the moment, in milliseconds since 1970 UTC.
        environment: instances of each type that the service environment gives at most.
        shares: the quota shares by name.
        jobs: the jobs in any order.
        queue: name of the job queue.
        region: its region.
        account: its account.
        time_limit_actions: what happens to jobs stuck at the front; nothing, unless given.

    >>> from quota_scheduler.share import Share
    >>> QueueState(0, {"ml.g5.xlarge": 4}, {"a": Share("a", {"ml.g5.xlarge": 4}, "LEND")}, ()).to_dict()["at"]
    '1970-01-01T00:00:00Z'
    """

    at: int
    environment: Mapping[str, int]
    shares: Mapping[str, Share]
    jobs: tuple[Job, ...]
    queue: str | None = None
    region: str | None = None
    account: str | None = None
    time_limit_actions: tuple[TimeLimitAction, ...] = ()

    def __post_init__(self) -> None:
        for name in ("environment", "shares"):
            value = getattr(self, name)
            if type(value) is not MappingProxyType:
                object.__setattr__(self, name, MappingProxyType(dict(value)))
        for name in ("jobs", "time_limit_actions"):
            value = getattr(self, name)
            if type(value) is not tuple:
                object.__setattr__(self, name, tuple(value))

    def to_dict(self) -> dict[str, object]:
        """Give the queue state document, from which `parse_state` makes an equal state."""
        document: dict[str, object] = {"version": VERSION, "at": format_timestamp(self.at)}
        for name in ("queue", "region", "account"):
            value = getattr(self, name)
            if value is not None:
                document[name] = value
        document["environment"] = dict(self.environment)
        document["shares"] = {name: share.to_dict() for name, share in self.shares.items()}
        document["time_limit_actions"] = [action.to_dict() for action in self.time_limit_actions]
        document["jobs"] = [job_to_dict(job) for job in self.jobs]
        return document


def job_to_dict(job: Job) -> dict[str, object]:
    """Give a job's members in the form of a queue state document; what is unknown is left out."""
    members: dict[str, object] = {"id": job.id, "share": job.share, "uses": dict(job.uses), "status": job.status}
    for name in _PLAIN_MEMBERS:
        value = getattr(job, name)
        if value is not None:
            members[name] = value
    for name in TIME_MEMBERS:
        moment = getattr(job, name)
        if moment is not None:
            members[name] = format_timestamp(moment)
    if job.preempted_attempt_count:
        members["preempted_attempt_count"] = job.preempted_attempt_count
    return members
