"""What the local Batch remembers of each resource and each service job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.agenda import Entry

WAITING = "RUNNABLE"
DISPATCHED = ("SCHEDULED", "STARTING", "RUNNING")
ENDED = ("SUCCEEDED", "FAILED")

Members = dict[str, Any]
"""Members of a request or an answer, named as in the Batch API."""


@dataclass(slots=True, kw_only=True)
class SchedulingPolicy:
    """A scheduling policy; it has neither state nor status."""

    name: str
    arn: str
    quota_share_policy: Members | None
    fairshare_policy: Members | None
    tags: dict[str, str]


@dataclass(slots=True, kw_only=True)
class ServiceEnvironment:
    """A service environment with its limits."""

    name: str
    arn: str
    type: str
    capacity_limits: list[Members]
    tags: dict[str, str]
    state: str = "ENABLED"
    status: str = "CREATING"

    @property
    def limits(self) -> dict[str, int]:
        """Most instances of each type."""
        return {limit["capacityUnit"]: limit["maxCapacity"] for limit in self.capacity_limits}


@dataclass(slots=True, kw_only=True)
class JobQueue:
    """A job queue, tied to one service environment."""

    name: str
    arn: str
    priority: int
    scheduling_policy_arn: str | None
    environment_order: list[Members]
    time_limit_actions: list[Members]
    tags: dict[str, str]
    type: str = "SAGEMAKER_TRAINING"
    state: str = "ENABLED"
    status: str = "CREATING"

    @property
    def environment(self) -> str:
        """What its only service environment was called when it was tied to it: a name or an ARN."""
        return str(self.environment_order[0]["serviceEnvironment"])


@dataclass(slots=True, kw_only=True)
class QuotaShare:
    """A quota share of a queue."""

    name: str
    arn: str
    queue_arn: str
    capacity_limits: list[Members]
    sharing: Members
    preemption: Members
    tags: dict[str, str]
    state: str = "ENABLED"
    status: str = "CREATING"


@dataclass(slots=True)
class Attempt:
    """One training job that was made for a service job."""

    training_job_arn: str
    scheduled_at: int
    started_at: int | None = None
    stopped_at: int | None = None
    status_reason: str | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class ServiceJob:
    """A service job with its history. Moments are milliseconds since 1970 UTC, None where they have not come.

    Args:
        number: its place in the order of submission.
        training_name: name of its training job as the payload gives it.
        payload: as it was submitted.
        uses: instances of each type it asks for, as its payload says.
        run_seconds: how long a training job of it runs.
        failure: the reason with which a training job of it fails; None: it succeeds.
        is_refused: whether SageMaker does not even make a training job of it.
        retries_before_termination: how many preemptions it survives; None: any number.
        attempts_allowed: most attempts, the first included; preemptions are none.
        evaluate_on_exit: rules about which failures are tried again.
        request: members that Describe gives back as they were submitted.
        runnable_at: when it last became RUNNABLE.
        not_before: before this time it is not tried again, after a failure for lack of capacity.
        scheduled_seconds: how long it has been SCHEDULED without getting its instances, over all attempts.
        times_runnable: how often it was RUNNABLE; not counted: after a preemption or lack of capacity.
        latest: the training job it has or last had; in `attempts` or `preempted` once it has ended.
        blocked_at: since when it stands at the front of its share and cannot run.
        stopping_for: id of the waiting job it makes room for; it still holds its instances.
        stop_cause: why it is being stopped: `preemption`, `termination` or None.
    """

    number: int
    id: str
    arn: str
    name: str
    type: str
    queue_arn: str
    share: str
    training_name: str
    payload: str
    uses: Mapping[str, int]
    run_seconds: float
    failure: str | None
    is_refused: bool
    priority: int | None
    retries_before_termination: int | None
    attempts_allowed: int
    evaluate_on_exit: list[Members]
    request: Members
    tags: dict[str, str]
    created_at: int
    status: str = "SUBMITTED"
    status_reason: str | None = None
    runnable_at: int | None = None
    not_before: int = 0
    scheduled_at: int | None = None
    started_at: int | None = None
    stopped_at: int | None = None
    scheduled_seconds: float = 0.0
    times_runnable: int = 0
    is_terminated: bool = False
    stopping_for: str | None = None
    stop_cause: str | None = None
    attempts: list[Attempt] = field(default_factory=list)
    preempted: list[Attempt] = field(default_factory=list)
    latest: Attempt | None = None
    preempted_count: int = 0
    blocked_at: int | None = None
    next_step: Entry | None = None

    @property
    def holds_instances(self) -> bool:
        """Whether it is dispatched."""
        return self.status in DISPATCHED

    @property
    def order(self) -> tuple[int, int, str]:
        """Sort key among the waiting jobs of its share: priority descending, created_at, id."""
        return (-(self.priority or 0), self.created_at, self.id)
