"""What a share may hold at most, as its configuration alone decides: cap, reach, and jobs that can never run.

Rounding of a borrow limit happens here and nowhere else.
"""

from __future__ import annotations

from quota_scheduler.share import UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.knobs import Knobs
    from quota_scheduler.share import Share


def allowance(share: Share, unit: str, knobs: Knobs) -> int | None:
    """Say how much of a type a share may borrow at most.

    Args:
        share: who borrows.
        unit: instance type.
        knobs: `borrow_rounding` says what becomes of a fraction.

    Returns:
        Instances, or None without limit.

    Source: CreateQuotaShare, `borrowLimit`; assumed for the rounding (docs/decisions/0013-borrow-limit-rounding.md).
    """
    if not share.borrows:
        return 0
    percent = share.borrow_limit_percent
    if percent == UNLIMITED:
        return None
    hundredths = share.limits.get(unit, 0) * percent
    return (hundredths + _ADDED_BEFORE_CUT[knobs.borrow_rounding]) // 100


_ADDED_BEFORE_CUT = {"floor": 0, "ceil": 99, "nearest": 50}


def cap(share: Share, unit: str, knobs: Knobs) -> int | None:
    """Say how much of a type a share may hold at most, None without limit."""
    extra = allowance(share, unit, knobs)
    return None if extra is None else share.limits.get(unit, 0) + extra


def may_use(share: Share, unit: str, knobs: Knobs) -> bool:
    """Say whether jobs of a share may use a type at all.

    Source: assumed for types that the share does not list (knob `borrow_unlisted_type`).
    """
    return unit in share.limits or (
        knobs.borrow_unlisted_type and share.borrows and share.borrow_limit_percent == UNLIMITED
    )


def reach(share: Share, unit: str, shares: Mapping[str, Share], environment: Mapping[str, int], knobs: Knobs) -> int:
    """Say how much of a type a share could hold if it were alone.

    The smallest of its cap, its limit with the limits of the other shares that lend, and the environment.

    Source: AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration.
    """
    limit = share.limits.get(unit, 0)
    most = min(limit + lent_by_others(share, unit, shares), environment.get(unit, 0))
    highest = cap(share, unit, knobs)
    return most if highest is None else min(most, highest)


def lent_by_others(share: Share, unit: str, shares: Mapping[str, Share]) -> int:
    """Add up the limits of the other shares that lend."""
    return sum(other.limits.get(unit, 0) for other in shares.values() if other.lends and other.name != share.name)
