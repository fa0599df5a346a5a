"""Which assumptions mattered: each knob whose other value would give another answer, with the jobs concerned.

Every other value of every knob is tried on the state after the change, unless the state shows at once that it cannot
make a difference.
"""

from __future__ import annotations

from dataclasses import replace

from quota_scheduler.assessment import Assumption
from quota_scheduler.knobs import VALUES, token_of
from quota_scheduler.risk import risk_of
from quota_scheduler.share import RESERVE, UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.risk import Risk
    from quota_scheduler.state import QueueState


def assumptions_of(state: QueueState, index: JobIndex, risk: Risk) -> tuple[Assumption, ...]:
    """Find the assumptions that mattered for a risk.

    Args:
        state: the state that the risk is about.
        index: its jobs.
        risk: the risk with the knobs as they are.

    Returns:
        The assumptions in the order of the knobs.
    """
    return tuple(_of_knobs(state, index, risk)) + tuple(_beyond_knobs(risk))


def _of_knobs(state: QueueState, index: JobIndex, risk: Risk) -> Iterator[Assumption]:
    knobs = risk.ledger.knobs
    sets = risk.sets()
    if not index.waiting:
        return
    for name, tokens in VALUES.items():
        if name in _NEVER_MATTER or not _MAY_MATTER.get(name, _always)(risk):
            continue
        held = token_of(getattr(knobs, name))
        affected: set[str] = set()
        for token in tokens:
            if token != held:
                value = {"true": True, "false": False}.get(token, token)
                other = risk_of(state, index, replace(knobs, **{name: value}), with_costs=False)  # type: ignore[arg-type]
                for mine, theirs in zip(sets, other.sets(), strict=True):
                    affected |= mine ^ theirs
        if affected:
            yield Assumption(name, held, tuple(sorted(affected)))


def _beyond_knobs(risk: Risk) -> Iterator[Assumption]:
    if risk.unknown_priority:
        yield Assumption("unknown_priority", "0", tuple(sorted(risk.unknown_priority)))
    if risk.inexact:
        yield Assumption("exactness", "bound", tuple(sorted(risk.inexact)))


def _always(risk: Risk) -> bool:
    return True


def _has_reserve(risk: Risk) -> bool:
    return any(share.strategy == RESERVE for share in risk.ledger.shares.values())


def _has_surplus(risk: Risk) -> bool:
    return any(risk.ledger.totals(unit).surplus for unit in risk.ledger.units)


def _has_fraction(risk: Risk) -> bool:
    return any(
        share.borrows and share.borrow_limit_percent != UNLIMITED and limit * share.borrow_limit_percent % 100
        for share in risk.ledger.shares.values()
        for limit in share.limits.values()
    )


def _has_unlisted_type(risk: Risk) -> bool:
    return "type_not_listed" in risk.never_fits.values()


_NEVER_MATTER = ("requeue_time",)
"""Matters for the order after a preemption, which is another state."""

_MAY_MATTER: dict[str, Callable[[Risk], bool]] = {
    "borrow_rounding": _has_fraction,
    "borrow_unlisted_type": _has_unlisted_type,
    "reserve_floor": _has_reserve,
    "surplus_borrowable": _has_surplus,
}
