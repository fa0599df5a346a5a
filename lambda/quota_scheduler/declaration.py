"""What a stack declares of queues, environments and shares, as values.

They carry logical ids and names, never what is live, and keep what was declared as it was declared: a capacity limit
that is listed twice is listed twice here, so that the rules can say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from quota_scheduler.share import LEND_AND_BORROW, UNLIMITED, Share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.state import TimeLimitAction

MANAGED = "MANAGED"
NATIVE = "NATIVE"
LIFECYCLES = (MANAGED, NATIVE)

REFUSE_IF_BUSY = "REFUSE_IF_BUSY"
TERMINATE = "TERMINATE"
RETAIN = "RETAIN"
ON_REMOVAL = (REFUSE_IF_BUSY, TERMINATE, RETAIN)

DESTROY = "DESTROY"
REMOVAL_POLICIES = (DESTROY, RETAIN)


@dataclass(frozen=True, slots=True)
class CapacityLimit:
    """One entry of a list of capacity limits, kept as declared: rules want to see an entry that is there twice.

    Args:
        unit: the instance type (`capacityUnit`).
        amount: instances at most (`maxCapacity`).
    """

    unit: str
    amount: int


@dataclass(frozen=True, slots=True)
class QueueDeclaration:
    """A job queue: declared by this stack (logical id) or imported (ARN).

    Args:
        logical_id: None for an imported queue.
        name: None leaves the name to CloudFormation.
        arn: of an imported queue, else None.
        state: `ENABLED` or `DISABLED`; None for an imported queue.
        removal_policy: what happens to the queue once it is no longer declared, or is replaced. Deleting it ends all
            of its jobs, so that a document that does not say counts as `DESTROY`.
    """

    logical_id: str | None = None
    name: str | None = None
    arn: str | None = None
    state: str | None = None
    removal_policy: str = DESTROY


@dataclass(frozen=True, slots=True)
class EnvironmentDeclaration:
    """A service environment with its limits.

    Args:
        logical_id: in the stack.
        name: None leaves the name to CloudFormation.
        state: `ENABLED` or `DISABLED`.
        capacity_limits: as declared, in order.
    """

    logical_id: str | None
    name: str | None
    state: str
    capacity_limits: tuple[CapacityLimit, ...]

    @property
    def limits(self) -> Mapping[str, int]:
        """Instances of each type; of entries with the same type the last."""
        return MappingProxyType({limit.unit: limit.amount for limit in self.capacity_limits})


@dataclass(frozen=True, slots=True)
class SchedulingPolicyDeclaration:
    """A scheduling policy.

    Args:
        logical_id: in the stack.
        name: None leaves the name to CloudFormation.
    """

    logical_id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class ShareDeclaration:
    """A quota share as declared.

    Args:
        path: of the construct, for messages.
        logical_id: in the stack.
        name: of the share.
        capacity_limits: as declared, in order.
        strategy: `RESERVE`, `LEND` or `LEND_AND_BORROW`.
        borrow_limit_percent: None where nothing is declared: unlimited with `LEND_AND_BORROW`.
        in_share_preemption: whether it is enabled.
        state: `ENABLED` or `DISABLED`.
        lifecycle: `MANAGED` (custom resource) or `NATIVE` (`AWS::Batch::QuotaShare`).
        on_removal: what happens to a managed share, or to its jobs, once it is no longer declared.
    """

    path: str
    logical_id: str | None
    name: str
    capacity_limits: tuple[CapacityLimit, ...]
    strategy: str
    borrow_limit_percent: int | None
    in_share_preemption: bool
    state: str
    lifecycle: str
    on_removal: str

    @property
    def limits(self) -> Mapping[str, int]:
        """Instances of each type; of entries with the same type the last."""
        return MappingProxyType({limit.unit: limit.amount for limit in self.capacity_limits})

    @property
    def share(self) -> Share:
        """The share in the model."""
        borrows = self.strategy == LEND_AND_BORROW and self.borrow_limit_percent is not None
        return Share(
            self.name,
            self.limits,
            self.strategy,
            self.borrow_limit_percent if borrows and self.borrow_limit_percent is not None else UNLIMITED,
            self.in_share_preemption,
            self.state,
        )


@dataclass(frozen=True, slots=True)
class QueueProposal:
    """One queue with all that a stack declares about it.

    Args:
        path: of the construct, for messages.
        queue: the job queue.
        environment: None for an imported queue.
        scheduling_policy: None for an imported queue.
        time_limit_actions: job state time limits of the queue.
        allow_oversubscription: the shares may have more than the environment together.
        shares: the shares that this stack declares; other stacks may have more.
    """

    path: str
    queue: QueueDeclaration
    environment: EnvironmentDeclaration | None
    scheduling_policy: SchedulingPolicyDeclaration | None
    time_limit_actions: tuple[TimeLimitAction, ...]
    allow_oversubscription: bool
    shares: tuple[ShareDeclaration, ...]

    @property
    def is_imported(self) -> bool:
        """Whether the queue belongs to somebody else."""
        return self.queue.arn is not None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Everything that one stack declares.

    Args:
        queues: each with its shares.
        unguarded: logical ids of Batch resources of the stack that are still declared, but not by these queues; they
            are not taken for removed.
    """

    queues: tuple[QueueProposal, ...]
    unguarded: tuple[str, ...] = ()
