"""What a change makes different, a line a member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quota_scheduler.wording import amounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from quota_scheduler.change import Change
    from quota_scheduler.state import QueueState

ENVIRONMENT = "environment"
REMOVED = "removed"
NONE = "none"
"""Stands for the limit of a type that is no longer listed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One line of the difference.

    Args:
        sign: `~`, `+` or `-`.
        what: `environment`, or `share` and its name.
        member: of it; an instance type stands for its limit.
        before: in words; empty where there was none.
        after: in words; `removed` for a whole share.
    """

    sign: str
    what: str
    member: str
    before: str
    after: str


_NEW_SHARE: Mapping[str, Any] = {"in_share_preemption": False, "state": "ENABLED"}
"""What a new share has where nothing else is said; not worth a line."""


def differences(state: QueueState, change: Change) -> list[Difference]:
    """Give what a change makes different, a line a member; what stays is left out.

    Args:
        state: the queue without the change.
        change: the change.
    """
    found = []
    if change.environment is not None:
        found += _limits(ENVIRONMENT, state.environment, change.environment)
    for name, members in change.shares.items():
        what = f"share {name}"
        share = state.shares.get(name)
        if members is None:
            found.append(Difference("-", what, "", amounts(share.limits) if share else "", REMOVED))
            continue
        before: Mapping[str, Any] = share.to_dict() if share else {}
        after = dict(members)
        limits = after.pop("limits", None)
        if isinstance(limits, Mapping):
            found += _limits(what, before.get("limits", {}), limits, is_new=share is None)
        for member, value in after.items():
            if before.get(member, _NEW_SHARE.get(member)) != value:
                sign = "~" if share else "+"
                found.append(Difference(sign, what, member, _said(member, before), _said(member, after)))
    return found


def member_label(member: str) -> str:
    """Give a member of a share as people say it; instance types stay as they are."""
    return member if "." in member else member.replace("_percent", "").replace("_", " ")


def _limits(what: str, before: Mapping[str, int], after: Mapping[str, int], is_new: bool = False) -> list[Difference]:
    found = []
    for unit in sorted({*before, *after}):
        old, now = before.get(unit), after.get(unit)
        if old != now:
            sign = "+" if is_new or old is None else "-" if now is None else "~"
            was, will_be = "" if old is None else f"{old:,}", NONE if now is None else f"{now:,}"
            found.append(Difference(sign, what, unit, was, will_be))
    return found


def _said(member: str, members: Mapping[str, Any]) -> str:
    if member not in members:
        return ""
    value = members[member]
    if member == "borrow_limit_percent":
        return "unlimited" if value == -1 else f"{value} %"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
