"""What the rules look at: the configuration of a queue, as far as it is known.

One form for all who check: a live queue, a deployment's proposal, the properties of a template, a construct before
synthesis. Three things can stand in a member:

    a value      as it was given, of whatever type: a rule says what is wrong with it
    None         left out on purpose, so that the service's default holds
    UNKNOWN      nobody can say yet (an unresolved token, a resource that is only referred to); no rule looks at it

Left out: jobs that run now, which are no configuration (`assess`).
"""

from __future__ import annotations

from dataclasses import dataclass

from quota_scheduler.document import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard


class Unknown:
    """Type of `UNKNOWN`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
"""Stands for a value that nobody can say yet; rules pass over it."""


@dataclass(frozen=True, slots=True)
class ShareConfiguration:
    """A quota share.

    Args:
        name: `quotaShareName`.
        limits: pairs of instance type and most instances, as given (a type may stand there twice).
        strategy: `RESERVE`, `LEND` or `LEND_AND_BORROW`.
        borrow_limit_percent: in percent of each limit; None if it was left out.
        in_share_preemption: True, False, or what was given instead.
        state: `ENABLED` or `DISABLED`.
        tags: mapping of keys to values.
        path: where findings point to; `shares.<name>` unless given.
    """

    name: object = UNKNOWN
    limits: tuple[tuple[object, object], ...] | Unknown | None = UNKNOWN
    strategy: object = UNKNOWN
    borrow_limit_percent: object = UNKNOWN
    in_share_preemption: object = UNKNOWN
    state: object = UNKNOWN
    tags: object = UNKNOWN
    path: str = ""

    def __post_init__(self) -> None:
        if not self.path:
            object.__setattr__(self, "path", f"shares.{self.name}" if isinstance(self.name, str) else "shares")

    @property
    def label(self) -> str:
        """How a message calls the share."""
        return f"share {self.name}" if isinstance(self.name, str) and self.name else self.path


@dataclass(frozen=True, slots=True)
class EnvironmentConfiguration:
    """A service environment.

    Args:
        name: `serviceEnvironmentName`.
        limits: pairs of instance type and most instances, as given.
        type: `serviceEnvironmentType`.
        state: `ENABLED` or `DISABLED`.
        tags: mapping of keys to values.
        identity: the same for two configurations if they are about the same environment.
        path: where findings point to.
    """

    name: object = UNKNOWN
    limits: tuple[tuple[object, object], ...] | Unknown | None = UNKNOWN
    type: object = UNKNOWN
    state: object = UNKNOWN
    tags: object = UNKNOWN
    identity: str | None = None
    path: str = "environment"


@dataclass(frozen=True, slots=True)
class PolicyConfiguration:
    """A scheduling policy.

    Args:
        name: its name.
        kinds: which of `quotaSharePolicy` and `fairsharePolicy` it holds.
        idle_resource_assignment: `idleResourceAssignmentStrategy` of the quota share policy.
        tags: mapping of keys to values.
        path: where findings point to.
    """

    name: object = UNKNOWN
    kinds: tuple[str, ...] | Unknown = UNKNOWN
    idle_resource_assignment: object = UNKNOWN
    tags: object = UNKNOWN
    path: str = "policy"


@dataclass(frozen=True, slots=True)
class TimeLimitConfiguration:
    """One of a queue's `jobStateTimeLimitActions`."""

    reason: object = UNKNOWN
    state: object = UNKNOWN
    max_time_seconds: object = UNKNOWN
    action: object = UNKNOWN
    path: str = "time_limit_actions"


@dataclass(frozen=True, slots=True)
class JobConfiguration:
    """What somebody asks for with a job.

    Args:
        name: `jobName`.
        share: `quotaShareName`.
        priority: `schedulingPriority`.
        preemption_retries: `preemptionRetriesBeforeTermination`.
        attempts: `retryStrategy.attempts`.
        tags: mapping of keys to values.
        path: where findings point to.
    """

    name: object = UNKNOWN
    share: object = UNKNOWN
    priority: object = UNKNOWN
    preemption_retries: object = UNKNOWN
    attempts: object = UNKNOWN
    tags: object = UNKNOWN
    path: str = "job"


@dataclass(frozen=True, slots=True)
class QueueConfiguration:
    """A job queue with what belongs to it.

    Args:
        environment: its service environment.
        shares: the quota shares that are known of it, in any order.
        policy: its scheduling policy.
        name: `jobQueueName`.
        type: `jobQueueType`.
        priority: the queue's own priority.
        state: `ENABLED` or `DISABLED`.
        tags: mapping of keys to values.
        service_environments: how many service environments it has.
        compute_environments: how many compute environments it has.
        time_limit_actions: its `jobStateTimeLimitActions`.
        jobs: jobs to look at as well.
        allow_oversubscription: whether the limits of the shares may add up to more than the environment has.
        all_shares: whether `shares` are all shares of the queue; others may be declared elsewhere.
        path: where findings about the queue itself point to.
    """

    environment: EnvironmentConfiguration = EnvironmentConfiguration()
    shares: tuple[ShareConfiguration, ...] = ()
    policy: PolicyConfiguration = PolicyConfiguration()
    name: object = UNKNOWN
    type: object = UNKNOWN
    priority: object = UNKNOWN
    state: object = UNKNOWN
    tags: object = UNKNOWN
    service_environments: object = UNKNOWN
    compute_environments: object = UNKNOWN
    time_limit_actions: tuple[TimeLimitConfiguration, ...] = ()
    jobs: tuple[JobConfiguration, ...] = ()
    allow_oversubscription: bool = False
    all_shares: bool = True
    path: str = "queue"


def is_whole_number(value: object) -> TypeGuard[int]:
    """Say whether a value is an integer (True and False are none)."""
    return isinstance(value, int) and not isinstance(value, bool)


def known_amounts(limits: Iterable[tuple[object, object]] | Unknown | None) -> dict[str, int]:
    """Give the limits whose type and amount are known and usable; the others have findings of their own, or none yet.

    >>> known_amounts((("ml.g5.xlarge", 4), ("ml.p5.48xlarge", UNKNOWN), ("ml.m5.large", "many")))
    {'ml.g5.xlarge': 4}
    """
    if limits is None or isinstance(limits, Unknown):
        return {}
    return {
        unit: amount
        for unit, amount in limits
        if isinstance(unit, str) and is_whole_number(amount) and 0 <= amount <= LARGEST
    }


def known_types(limits: Iterable[tuple[object, object]] | Unknown | None) -> set[str]:
    """Give the types of a list of limits, as far as they are known."""
    if limits is None or isinstance(limits, Unknown):
        return set()
    return {unit for unit, _ in limits if isinstance(unit, str)}


def given(value: object) -> bool:
    """Say whether a value was given: it is neither left out nor unknown."""
    return value is not None and not isinstance(value, Unknown)


def are_types_known(limits: Iterable[tuple[object, object]] | Unknown | None) -> bool:
    """Say whether it is known which types a list of limits has, whatever the amounts."""
    if limits is None or isinstance(limits, Unknown):
        return False
    return all(isinstance(unit, str) for unit, _ in limits)


def are_wholly_known(limits: Iterable[tuple[object, object]] | Unknown | None) -> bool:
    """Say whether types and amounts of a list of limits are all known and usable."""
    if limits is None or isinstance(limits, Unknown):
        return False
    return all(isinstance(unit, str) and is_whole_number(amount) for unit, amount in limits)
