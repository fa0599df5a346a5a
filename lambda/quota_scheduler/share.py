"""A quota share as a value: its limits, what it lends and borrows, whether its own jobs may displace each other.

Left out: everything that depends on the jobs of the moment (`sharing.py`) and what makes a good configuration
(`rules`).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RESERVE = "RESERVE"
LEND = "LEND"
LEND_AND_BORROW = "LEND_AND_BORROW"
STRATEGIES = (RESERVE, LEND, LEND_AND_BORROW)

ENABLED = "ENABLED"
DISABLED = "DISABLED"
STATES = (ENABLED, DISABLED)

UNLIMITED = -1
"""Borrow limit of a share that may borrow whatever is idle."""


@dataclass(frozen=True, slots=True)
class Share(Value):
    """A quota share.

    Args:
        name: unique in its queue.
        limits: instances of each type that its jobs can get without borrowing (`capacityLimits`).
        strategy: `RESERVE` neither lends nor borrows, `LEND` lends what is idle, `LEND_AND_BORROW` does both.
        borrow_limit_percent: how much it may borrow of each type, in percent of its own limit of that type, beyond
            that limit. -1 is no limit, 0 is no borrowing. Counts with LEND_AND_BORROW only.
        in_share_preemption: whether a job of higher priority may stop dispatched jobs of this share.
        state: a `DISABLED` share takes no new jobs; those it has run on and are dispatched as before.

    Source: CreateQuotaShare, and the user guide's page on quota shares.

    >>> Share("research", {"ml.g5.xlarge": 4}, "LEND_AND_BORROW", borrow_limit_percent=200).limits["ml.g5.xlarge"]
    4
    """

    name: str
    limits: Mapping[str, int]
    strategy: str
    borrow_limit_percent: int = UNLIMITED
    in_share_preemption: bool = False
    state: str = ENABLED

    def __post_init__(self) -> None:
        if type(self.limits) is not MappingProxyType:
            object.__setattr__(self, "limits", MappingProxyType(dict(self.limits)))

    @property
    def lends(self) -> bool:
        """Whether its idle capacity may be borrowed."""
        return self.strategy != RESERVE

    @property
    def borrows(self) -> bool:
        """Whether it may ever use more than its own limits."""
        return self.strategy == LEND_AND_BORROW

    def to_dict(self) -> dict[str, object]:
        """Give the share's members in the form of a queue state document."""
        members: dict[str, object] = {"limits": dict(self.limits), "strategy": self.strategy}
        if self.borrows or self.borrow_limit_percent != UNLIMITED:
            members["borrow_limit_percent"] = self.borrow_limit_percent
        members["in_share_preemption"] = self.in_share_preemption
        members["state"] = self.state
        return members
