"""Wait: deploy the change when the jobs that are in its way have ended."""

from __future__ import annotations

from quota_scheduler.advice.advice import Advice
from quota_scheduler.advice.outlook import outlook
from quota_scheduler.advice.phases import cuts_and_grants
from quota_scheduler.advice.what_if import stops_nobody
from quota_scheduler.change import apply_change
from quota_scheduler.timestamp import MILLISECONDS_PER_HOUR, format_timestamp
from quota_scheduler.wording import MINUTE, duration, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_scheduler.advice.what_if import WhatIf
    from quota_scheduler.change import Change
    from quota_scheduler.state import QueueState

    Question = Callable[[QueueState, Change, WhatIf], bool]

NO_STOP = "stops no job"
NO_RISK = "puts no running job at risk"
CONDITION = "if jobs end when expected and nothing new is submitted"


def advise_waiting(state: QueueState, change: Change, verdict: str, what_if: WhatIf) -> Advice | None:
    """Find the first moment at which the whole change stops nobody, or puts nobody at risk if that is all it does.

    Args:
        state: the queue now.
        change: the whole change.
        verdict: about the change now.
        what_if: asks the model.
    """
    is_reached, promise = (_puts_nobody_at_risk, NO_RISK) if verdict == "at_risk" else (_stops_nobody, NO_STOP)
    at = _first_moment(state, change, what_if, is_reached)
    if at is None:
        return None
    hours = _hours(at - state.at)
    return Advice(
        "wait",
        f"wait {_shown(state, at)} with the whole change: then it {promise}, {CONDITION}",
        {"wait_hours": hours, "at": format_timestamp(at)},
    )


def advise_order(state: QueueState, change: Change, what_if: WhatIf) -> Advice | None:
    """Find out whether cutting now and granting later stops nobody, and from when on the grants can follow."""
    phases = cuts_and_grants(state, change)
    if phases is None or not what_if.can_ask(state):
        return None
    cuts, grants = phases
    if not stops_nobody(what_if.ask(state, cuts)):
        return None
    at = _first_moment(apply_change(state, cuts), grants, what_if, _stops_nobody, must_be_quiet_before=True)
    if at is None:
        return None
    hours = _hours(at - state.at)
    return Advice(
        "order",
        f"cut {_named(cuts)} now, wait {_shown(state, at)} and raise {_named(grants)} then: "
        f"this way no job is stopped, {CONDITION}",
        {"first": cuts.to_dict(), "then": grants.to_dict(), "wait_hours": hours, "at": format_timestamp(at)},
    )


def _stops_nobody(state: QueueState, change: Change, what_if: WhatIf) -> bool:
    return what_if.glance(state, change) and stops_nobody(what_if.ask(state, change))


def _puts_nobody_at_risk(state: QueueState, change: Change, what_if: WhatIf) -> bool:
    return what_if.ask(state, change).verdict in ("notice", "safe")


def _first_moment(
    state: QueueState, change: Change, what_if: WhatIf, is_reached: Question, *, must_be_quiet_before: bool = False
) -> int | None:
    """Find the first expected end after which a change has the promised effect.

    Args:
        state: the queue now.
        change: what is done at that moment.
        what_if: asks the model.
        is_reached: whether it has the effect.
        must_be_quiet_before: whether nobody may be stopped on the way to it, either.
    """
    if not what_if.can_ask(state):
        return None
    for later in outlook(state, what_if.knobs):
        if (must_be_quiet_before and later.stopped) or not what_if.can_ask(later.state):
            return None
        if is_reached(later.state, change, what_if):
            return later.state.at
    return None


def _named(change: Change) -> str:
    """Name what a change is about."""
    names = sorted(change.shares)
    parts = [f"{len(names)} shares" if len(names) > 3 else " and ".join(names)] if names else []
    return " and ".join([*parts, *(["the environment"] if change.environment is not None else [])])


def _hours(milliseconds: int) -> float:
    """Give hours with two decimals, rounded up, so that who waits them has waited long enough."""
    return -(-milliseconds * 100 // MILLISECONDS_PER_HOUR) / 100


def _shown(state: QueueState, at: int) -> str:
    """Say how long and until when to wait, to the minute, rounded up as well."""
    until = -(-at // MINUTE) * MINUTE
    return f"{duration(until - state.at // MINUTE * MINUTE)} (until {moment(until)})"
