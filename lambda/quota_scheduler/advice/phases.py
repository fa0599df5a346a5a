"""Cut a change in two: what takes away, and what gives."""

from __future__ import annotations

from quota_scheduler.change import Change, apply_change
from quota_scheduler.share import LEND_AND_BORROW, STRATEGIES, UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.share import Share
    from quota_scheduler.state import QueueState

    Members = Mapping[str, object]

_GIVES_MORE = {strategy: rank for rank, strategy in enumerate(STRATEGIES)}


def cuts_and_grants(state: QueueState, change: Change) -> tuple[Change, Change] | None:
    """Split a change into one that only takes away and one that only gives.

    Taken away are limits and types, the right to borrow, in-share preemption, removed shares, and what the
    environment loses; given are higher limits, new types and shares, and the rest.

    Args:
        state: what the change is for.
        change: the whole change.

    Returns:
        The cuts, and the grants that lead from there to the same result as the whole change; None if one of the
        two would be empty, or would leave a share or the environment without a type.
    """
    after = apply_change(state, change)
    cuts: dict[str, Members | None] = {}
    grants: dict[str, Members | None] = {}
    for name in change.shares:
        if name not in after.shares:
            cuts[name] = None
        elif name not in state.shares:
            grants[name] = change.shares[name]
        else:
            cut, grant = _of_share(state.shares[name], after.shares[name])
            if "limits" in cut and not cut["limits"]:
                return None
            if cut:
                cuts[name] = cut
            if grant:
                grants[name] = grant
    less, more = _of_amounts(state.environment, after.environment)
    if not (cuts or less) or not (grants or more) or less == {}:
        return None
    first, then = Change(less, cuts), Change(more, grants)
    # A borrow limit of a share that does not borrow is dropped on the way.
    return (first, then) if apply_change(apply_change(state, first), then) == after else None


def _of_amounts(
    before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[dict[str, int] | None, dict[str, int] | None]:
    """Give the map with only the cuts, and the final map if that is more; None where nothing changes."""
    least = {unit: min(amount, after[unit]) for unit, amount in before.items() if unit in after}
    return (None if least == dict(before) else least), (None if least == dict(after) else dict(after))


def _of_share(before: Share, after: Share) -> tuple[dict[str, object], dict[str, object]]:
    cut: dict[str, object] = {}
    grant: dict[str, object] = {}
    less, more = _of_amounts(before.limits, after.limits)
    if less is not None:
        cut["limits"] = less
    if more is not None:
        grant["limits"] = more
    if _sharing(before) != _sharing(after):
        (grant if _borrows_more(before, after) else cut).update(_sharing(after))
    if before.in_share_preemption != after.in_share_preemption:
        (grant if after.in_share_preemption else cut)["in_share_preemption"] = after.in_share_preemption
    if before.state != after.state:
        cut["state"] = after.state
    return cut, grant


def _sharing(share: Share) -> dict[str, object]:
    return {"strategy": share.strategy, "borrow_limit_percent": share.borrow_limit_percent}


def _borrows_more(before: Share, after: Share) -> bool:
    if before.strategy == after.strategy == LEND_AND_BORROW:
        return after.borrow_limit_percent == UNLIMITED or (
            before.borrow_limit_percent != UNLIMITED and after.borrow_limit_percent > before.borrow_limit_percent
        )
    return _GIVES_MORE[after.strategy] > _GIVES_MORE[before.strategy] and after.strategy == LEND_AND_BORROW
