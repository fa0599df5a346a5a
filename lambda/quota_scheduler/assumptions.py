"""Which assumptions mattered: each knob whose other value would give another answer, with the jobs concerned.

Every other value of every knob is tried on the state after the change, unless the state shows at once that it cannot
make a difference. The number of decisions for that is bounded by the size of the queue; a knob for which it did not
suffice is named as `budget`, with the jobs found until then under its own name.
"""

from __future__ import annotations

from dataclasses import replace

from quota_scheduler.assessment import Assumption
from quota_scheduler.cycle import Budget, Pass
from quota_scheduler.knobs import VALUES, token_of
from quota_scheduler.risk import Steps, stuck_jobs
from quota_scheduler.share import RESERVE, UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.risk import Risk
    from quota_scheduler.state import QueueState

LEAST_DECISIONS = 500
JOBS_PER_DECISION = 100
"""Trying a value of a knob may take so many decisions: a number, and one for so many jobs of the queue."""

_CHANGE_WHAT_NEVER_FITS = ("borrow_rounding", "borrow_unlisted_type", "head_blocking", "surplus_borrowable")

_RESTRICT = (
    "allow_mixed",
    "order_of_remedies",
    "in_share_while_borrowing",
    "minimality",
    "hold_idle_for_blocked_owner",
    "fifo_key",
    "fifo_blocking",
)
"""The other values of these knobs let nothing start that would not start anyway; they only choose or forbid."""


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
    decisions = LEAST_DECISIONS + len(index.by_id) // JOBS_PER_DECISION
    cut_short = []
    for name, tokens in VALUES.items():
        if name in _NEVER_MATTER or not _MAY_MATTER.get(name, _has_waiting)(risk):
            continue
        held = token_of(getattr(knobs, name))
        if name in _RESTRICT and held == tokens[0] and not risk.starts:
            continue
        affected: set[str] = set()
        for token in tokens:
            if token != held:
                changed = replace(knobs, **{name: token})  # type: ignore[arg-type]  # a token of VALUES
                other = Pass(state, index, changed, budget=Budget(decisions)).run()
                affected |= _difference(risk, other)
                # The other values of these knobs let more jobs fit: where all fit already there is nothing to find.
                if name in _CHANGE_WHAT_NEVER_FITS and (risk.never_fits or held != tokens[0]):
                    affected |= _difference_of_stuck(risk, other)
                if other.is_cut_short and name not in cut_short:
                    cut_short.append(name)
        if affected:
            yield Assumption(name, held, tuple(sorted(affected)))
    if cut_short:
        yield Assumption("budget", ", ".join(cut_short), ())


def _difference(risk: Risk, other: Pass) -> set[str]:
    """Give the jobs for which another pass has another answer. Of one that was cut short, what it adds."""
    steps = Steps(other)
    # What is only a bound there is no difference; the likely jobs of such a step are possible for sure.
    possible = (steps.possible - steps.inexact) | (steps.inexact & risk.possible) | steps.likely
    pairs: list[tuple[AbstractSet[str], AbstractSet[str]]] = [
        (risk.starts, steps.starts),
        (risk.likely, steps.likely),
        (risk.possible, possible),
        (risk.eligible, risk.eligible_by_rule | possible),
    ]
    if other.is_cut_short:
        return {job for mine, theirs in pairs for job in theirs - mine}
    pairs.append((risk.certain, steps.certain))
    return {job for mine, theirs in pairs for job in mine ^ theirs}


def _difference_of_stuck(risk: Risk, other: Pass) -> set[str]:
    """Give the jobs that can never run, or are blocked behind one, in one of two passes only."""
    never_fits, blocked_behind = stuck_jobs(other.ledger)
    return (risk.never_fits.keys() ^ never_fits.keys()) | (risk.blocked_behind.keys() ^ blocked_behind.keys())


def _beyond_knobs(risk: Risk) -> Iterator[Assumption]:
    if risk.unknown_priority:
        yield Assumption("unknown_priority", "0", tuple(sorted(risk.unknown_priority)))
    if risk.inexact:
        yield Assumption("exactness", "bound", tuple(sorted(risk.inexact)))


def _has_waiting(risk: Risk) -> bool:
    return any(risk.ledger.index.waiting.get(name) for name in risk.ledger.shares)


def _is_above_cap(risk: Risk) -> bool:
    ledger = risk.ledger
    return any(
        usage.get(unit, 0) > cap_of
        for name, usage in ledger.index.usage.items()
        if name in ledger.shares
        for unit in usage
        if (cap_of := ledger.cell(name, unit).cap) is not None
    )


def _is_above_environment(risk: Risk) -> bool:
    ledger = risk.ledger
    used = dict.fromkeys(ledger.units, 0)
    for name, usage in ledger.index.usage.items():
        if name in ledger.shares:
            for unit, amount in usage.items():
                used[unit] += amount
    return any(amount > ledger.totals(unit).environment for unit, amount in used.items())


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
    "env_reduction": _is_above_environment,
    "reduction_mode": _is_above_cap,
    "borrow_unlisted_type": _has_unlisted_type,
    "reserve_floor": _has_reserve,
    "surplus_borrowable": _has_surplus,
}
