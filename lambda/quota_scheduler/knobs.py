"""What AWS does not publish, as named assumptions with a default.

Each knob is one question; its other values are the other plausible answers. A result names each knob whose other
value would change it, with the jobs concerned. Evidence and consequences of each are in docs/model.md.

Source: assumed (docs/decisions/0010-documented-or-assumed-and-named.md).
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VALUES: dict[str, tuple[str, ...]] = {
    "victim_pool": ("any", "borrowed", "newest"),
    "reclaim_scope": ("whole_job", "headroom"),
    "preemptor_must_fit_limit": ("true", "false"),
    "allow_mixed": ("true", "false"),
    "order_of_remedies": ("reclaim_first", "in_share_first"),
    "in_share_while_borrowing": ("true", "false"),
    "minimality": ("minimal", "any"),
    "surplus_borrowable": ("false", "true"),
    "reserve_floor": ("all", "borrowers"),
    "borrow_rounding": ("floor", "ceil", "nearest"),
    "borrow_unlisted_type": ("false", "true"),
    "reduction_mode": ("on_demand", "eager"),
    "reduction_trigger_own": ("in_share", "any"),
    "env_reduction": ("drain", "eager"),
    "hold_idle_for_blocked_owner": ("false", "true"),
    "head_blocking": ("strict", "backfill"),
    "fifo_key": ("created_at", "earliest_at_position", "share_order"),
    "fifo_blocking": ("skip", "block"),
    "requeue_time": ("created_at", "preempted_at"),
}
"""The tokens of each knob; the first is the default."""

_FLAGS = {"true": True, "false": False}
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Knobs:
    """One answer to each open question about the scheduler.

    Args:
        victim_pool: which jobs of a share above its limit can be taken back: `any`, those that `borrowed` when they
            were dispatched, or the `newest` down to the limit.
        reclaim_scope: what an owner can reclaim: room for a `whole_job` within its limit, or any `headroom`, and
            borrow the rest.
        preemptor_must_fit_limit: whether a job larger than its share's limit can stop nothing, in its own share
            either.
        allow_mixed: whether one decision may stop jobs of other shares and of its own share together.
        order_of_remedies: which comes first in the likely set, jobs of other shares or of the own share.
        in_share_while_borrowing: whether in-share preemption may leave the share above its limit.
        minimality: whether a set of stopped jobs is always `minimal`, or may be `any` that is enough.
        surplus_borrowable: whether capacity of the environment that no share owns may be borrowed.
        reserve_floor: who leaves the idle capacity of RESERVE shares alone: `all`, or only `borrowers`.
        borrow_rounding: how a borrow limit that is no whole instance is rounded.
        borrow_unlisted_type: whether a share without a borrow limit may borrow a type for which it has no limit.
        reduction_mode: whether a lowered limit stops jobs when a waiting job needs room (`on_demand`) or at once.
        reduction_trigger_own: whether a waiting job of a share above its limit takes room from its own share only
            with in-share preemption (`in_share`) or in `any` case.
        env_reduction: whether usage above a lowered environment drains or is cut at once.
        hold_idle_for_blocked_owner: whether idle capacity of a share is kept while its first waiting job cannot run.
        head_blocking: whether the first waiting job of a share blocks those behind it (`strict`).
        fifo_key: what borrowers queue by: submission, time at the front, or the name of the share.
        fifo_blocking: whether a borrower that does not fit is skipped or blocks later borrowers.
        requeue_time: what a preempted job queues by: its submission or its preemption.
        preemption_delay: seconds from the decision to stop a job until its room is free.

    >>> Knobs(head_blocking="backfill").head_blocking
    'backfill'
    """

    victim_pool: str = "any"
    reclaim_scope: str = "whole_job"
    preemptor_must_fit_limit: bool = True
    allow_mixed: bool = True
    order_of_remedies: str = "reclaim_first"
    in_share_while_borrowing: bool = True
    minimality: str = "minimal"
    surplus_borrowable: bool = False
    reserve_floor: str = "all"
    borrow_rounding: str = "floor"
    borrow_unlisted_type: bool = False
    reduction_mode: str = "on_demand"
    reduction_trigger_own: str = "in_share"
    env_reduction: str = "drain"
    hold_idle_for_blocked_owner: bool = False
    head_blocking: str = "strict"
    fifo_key: str = "created_at"
    fifo_blocking: str = "skip"
    requeue_time: str = "created_at"
    preemption_delay: int = 120

    def __post_init__(self) -> None:
        for name, allowed in VALUES.items():
            token = token_of(getattr(self, name))
            if token not in allowed:
                raise ValueError(f"knob {name} is one of {', '.join(allowed)}, got {token}")
            if token in _FLAGS:  # the text "false" would count as true
                object.__setattr__(self, name, _FLAGS[token])
        if type(self.preemption_delay) is not int or self.preemption_delay < 0:
            raise ValueError(f"knob preemption_delay is a whole number of seconds, got {self.preemption_delay}")

    def to_dict(self) -> dict[str, object]:
        """Give every knob with its value."""
        return {name: getattr(self, name) for name in (*VALUES, "preemption_delay")}


def token_of(value: object) -> str:
    """Give a knob's value as it is written on the command line."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def parse_knobs(settings: Iterable[str]) -> Knobs:
    """Read knobs as they are given on the command line.

    Args:
        settings: `name=value` each; the last one of a name holds.

    Returns:
        The knobs, with the default for each that is not named.

    Raises:
        ValueError: an unknown name or value, or no `=`; one line for each, with a suggestion for a near miss.

    >>> parse_knobs(["allow_mixed=false", "borrow_rounding=ceil"]).allow_mixed
    False
    """
    given: dict[str, object] = {}
    problems = []
    for setting in settings:
        name, equals, token = setting.partition("=")
        name, token = name.strip(), token.strip()
        if not equals:
            problems.append(f"knob must be name=value, got {setting}")
        elif name == "preemption_delay":
            if token.isascii() and token.isdecimal() and len(token) <= _MOST_DIGITS:
                given[name] = int(token)
            else:
                problems.append(f"knob preemption_delay is a whole number of seconds, got {token[:40]}")
        elif name not in VALUES:
            problems.append(f"unknown knob {name}{_nearest(name, tuple(VALUES))}; known are {', '.join(VALUES)}")
        elif token not in VALUES[name]:
            hint = _nearest(token, VALUES[name])
            problems.append(f"knob {name} is one of {', '.join(VALUES[name])}, got {token}{hint}")
        else:
            given[name] = token
    if problems:
        raise ValueError("\n".join(problems))
    return Knobs(**given)  # type: ignore[arg-type]  # checked against VALUES


def _nearest(name: str, known: tuple[str, ...]) -> str:
    from quota_scheduler.document import nearest  # only on the way to an error

    return nearest(name, known)
