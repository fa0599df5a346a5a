"""Limits and usage of every share before and after a change."""

from __future__ import annotations

from types import MappingProxyType

from quota_scheduler.sharing import cap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.share import Share
    from quota_scheduler.state import QueueState

    Row = Mapping[str, int | None]
    Rows = Mapping[str, Mapping[str, Row]]


def share_rows(before: QueueState, after: QueueState, index: JobIndex, knobs: Knobs) -> Rows:
    """Give a row for every share and type that is listed before or after, or used.

    `limit_before` is null for a new share, `limit_after` for a removed one, and 0 for a type that a share does not
    list. `usage` and `over_after` describe the state after the change, in which the jobs of a removed share are gone.
    """
    rows: dict[str, Mapping[str, Row]] = {}
    for name in sorted({*before.shares, *after.shares}):
        old, new = before.shares.get(name), after.shares.get(name)
        usage = index.usage.get(name, {})
        units = {*usage}
        for share in (old, new):
            units.update(() if share is None else share.limits)
        rows[name] = MappingProxyType({unit: _row(old, new, unit, usage.get(unit, 0), knobs) for unit in sorted(units)})
    return MappingProxyType(rows)


def _row(old: Share | None, new: Share | None, unit: str, usage: int, knobs: Knobs) -> Row:
    limit_before = None if old is None else old.limits.get(unit, 0)
    limit_after = None if new is None else new.limits.get(unit, 0)
    return MappingProxyType(
        {
            "limit_before": limit_before,
            "limit_after": limit_after,
            "usage": 0 if limit_after is None else usage,
            "over_before": 0 if limit_before is None else max(0, usage - limit_before),
            "over_after": 0 if limit_after is None else max(0, usage - limit_after),
            "borrow_cap_after": None if new is None else cap(new, unit, knobs),
        }
    )


def over_after(rows: Rows) -> Mapping[str, int]:
    """Give, by share, how far it is above its limits, summed over types; only shares that are."""
    sums = {name: sum([row["over_after"] or 0 for row in units.values()]) for name, units in rows.items()}
    return MappingProxyType({name: over for name, over in sums.items() if over})


def further_over(rows: Rows) -> list[str]:
    """Name the shares that are further above their limit of a type than before."""
    return [
        name
        for name, units in rows.items()
        if any((row["over_after"] or 0) > (row["over_before"] or 0) for row in units.values())
    ]
