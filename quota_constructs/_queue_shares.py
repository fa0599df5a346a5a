"""The shares of one queue, wherever in the app they are declared: what each must know of the queue and the others.

A stack may know one queue by several constructs, its own or imported ones. Their shares are on one queue all the same.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from quota_constructs import _arns, _validation
from quota_constructs._proposal import ForeignQueue
from quota_constructs._scope import root_of
from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import SAME_PLACE
from quota_constructs.quota_guard import QuotaGuard
from quota_scheduler.rules import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aws_cdk import CfnResource, Stack

    from quota_constructs._proposal import ShareEntry
    from quota_constructs.change_guard import ChangeGuard
    from quota_scheduler.rules import QueueConfiguration, ShareConfiguration


class QueueShares:
    """The shares of a queue.

    Args:
        path: Path of the queue's construct.
        arn: ARN of the queue.
        configuration: The queue as the rules see it, without shares.
        guard: Settings of the guard in a stack that has shares of it.
        stack: The queue's stack; None for an imported queue.
        all_known: Whether all shares of the queue are declared in this app.
    """

    def __init__(
        self,
        path: str,
        arn: str,
        configuration: "QueueConfiguration",
        *,
        guard: "ChangeGuard | None",
        stack: "Stack | None",
        all_known: bool,
    ) -> None:
        self.path = path
        self.arn = arn
        self.configuration = replace(configuration, all_shares=all_known)
        self._guard = guard
        self._stack = stack
        self._identity: tuple[str, ...] | None = None

    @property
    def is_owned(self) -> bool:
        """Whether the queue is declared in this app; all below its construct waits for the guard of its stack."""
        return self._stack is not None

    def guard_in(self, stack: "Stack") -> QuotaGuard:
        """Give the guard for shares of this queue in a stack."""
        return QuotaGuard.of(stack, self._guard)

    def seen_by(self, guard: QuotaGuard) -> None:
        """Let a guard's stack report warnings about the queue."""
        if self not in guard.queues:
            guard.queues.append(self)

    def check(
        self, share: "ShareConfiguration", capacity_limits: "Mapping[str, int]", stack: "Stack"
    ) -> "QueueConfiguration":
        """Refuse a share that breaks a rule, by itself or together with the shares so far.

        Args:
            share: The share as the rules see it.
            capacity_limits: Its limits, whose spelling is checked.
            stack: The stack it is declared in.

        Returns:
            The queue with the share.

        Raises:
            QuotaConstructError: With a line for each breach.
        """
        self._check_place(share.path, stack)
        with_share = replace(self.configuration, shares=(*self.configuration.shares, share))
        whole = self.whole(self.same_among(QuotaGuard.queues_in(stack)), with_share)
        _validation.check(whole, share.path, capacity_limits)
        return with_share

    def same_among(self, queues: "Iterable[QueueShares]") -> "list[QueueShares]":
        """Give those that are this queue, known by another construct."""
        return [queue for queue in queues if queue is not self and self._is(queue)]

    def whole(self, same: "Iterable[QueueShares]", own: "QueueConfiguration | None" = None) -> "QueueConfiguration":
        """Give the queue with the shares of all its constructs.

        Args:
            same: The queue by its other constructs.
            own: The queue by this construct. By default as it is so far.
        """
        known = [(self.is_owned, own or self.configuration), *((one.is_owned, one.configuration) for one in same)]
        _, best = max(known, key=lambda one: (one[0], one[1].environment.limits is not UNKNOWN))
        return replace(
            best,
            shares=tuple(share for _, queue in known for share in queue.shares),
            allow_oversubscription=any(queue.allow_oversubscription for _, queue in known),
        )

    def declare(
        self, guard: QuotaGuard, share: "ShareEntry", resource: "CfnResource", queue: "QueueConfiguration"
    ) -> None:
        """Put a share that was checked into the proposal of its stack."""
        self.configuration = queue
        self.seen_by(guard)
        # The owner of a queue has made an entry for it; in another stack it is known by its ARN.
        guard.entry(self.arn, ForeignQueue(self.path, self.arn)).shares.append((share, resource))

    def _is(self, other: "QueueShares") -> bool:
        if self.arn == other.arn:
            return True
        # An own queue has a reference for an ARN, whose value follows from a name that is known.
        return self.is_owned is not other.is_owned and (own := self.known_as) != () and own == other.known_as

    @property
    def known_as(self) -> tuple[str, ...]:
        """Account, Region and name; nothing if one of them is not known."""
        if self._identity is None:
            name = self.configuration.name if self._stack is not None else _arns.queue_name(self.arn)
            if not isinstance(name, str) or is_token(name):
                self._identity = ()
            else:
                place = _arns.place_of(self.arn) if self._stack is None else (self._stack.account, self._stack.region)
                self._identity = () if place is None or any(map(is_token, place)) else (*place, name)
        return self._identity

    def _check_place(self, where: str, stack: "Stack") -> None:
        if stack is self._stack:
            return
        if self._stack is not None and root_of(self._stack) is not root_of(stack):
            raise SAME_PLACE.broken(
                f"share of a queue of another app, got queue {self.path}; "
                "import the queue with QuotaManagedQueue.from_job_queue_arn",
                where,
            )
        queue = _arns.place_of(self.arn) if self._stack is None else (self._stack.account, self._stack.region)
        own = (stack.account, stack.region)
        if queue is None or any(map(is_token, (*queue, *own))) or queue == own:
            return
        raise SAME_PLACE.broken(
            f"share of a queue in another place, got account {own[0]}, Region {own[1]} for the share and account "
            f"{queue[0]}, Region {queue[1]} for the queue; declare it in a stack of that account and Region",
            where,
        )
