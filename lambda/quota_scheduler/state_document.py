"""Queue state documents: read one into values.

    {"version": 1, "at": …, "environment": {type: n}, "shares": {name: {…}}, "jobs": [{…}, …]}

A state is checked for what cannot be (an unknown share, the same id twice), not for what is unwise: a share over
its limit is fine, and configuration has its own rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from quota_scheduler.document import (
    Problems,
    check_amounts,
    check_choice,
    check_flag,
    check_members,
    check_repeated,
    check_text,
    check_time,
    check_version,
    check_whole,
    child,
    decode,
    shown,
)
from quota_scheduler.job_columns import read_columns
from quota_scheduler.share import ENABLED, STATES, STRATEGIES, UNLIMITED, Share
from quota_scheduler.state import VERSION, QueueState, TimeLimitAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_scheduler.job import Job

SHARE_MEMBERS = ("limits", "strategy", "borrow_limit_percent", "in_share_preemption", "state")
_ROOT = ("version", "at", "queue", "region", "account", "environment", "shares", "time_limit_actions", "jobs")


def parse_state(document: str | bytes | Mapping[str, object]) -> QueueState:
    """Read a queue state document.

    Args:
        document: JSON text, UTF-8 bytes, or the decoded document.

    Returns:
        The state. `parse_state(state.to_dict()) == state`.

    Raises:
        DocumentError: it cannot be a state; the error has every problem with its JSON path.

    >>> parse_state('{"version": 1, "at": "2026-11-29T12:00:00Z", "environment": {}, "shares": {}}')
    Traceback (most recent call last):
    quota_scheduler.errors.DocumentError: $: member jobs is missing
    """
    problems = Problems()
    root = check_members(decode(document), "$", problems, _ROOT, ("version", "at", "environment", "shares", "jobs"))
    if root is None:
        problems.raise_any()
        raise AssertionError
    check_version(root, problems, VERSION)
    at = check_time(root["at"], "$.at", problems) if "at" in root else 0
    texts = {name: _optional_text(root, name, "$", problems) for name in ("queue", "region", "account")}
    environment = check_amounts(root.get("environment", {}), "$.environment", problems, least=0)
    shares = _parse_shares(root.get("shares", {}), problems)
    actions = _parse_actions(root.get("time_limit_actions"), problems)
    known = shares if isinstance(root.get("shares"), Mapping) else None
    jobs = _parse_jobs(root.get("jobs", ()), known, problems)
    problems.raise_any()
    return QueueState(at, environment, MappingProxyType(shares), jobs, **texts, time_limit_actions=actions)


def parse_share_members(value: object, path: str, problems: Problems, *, complete: bool) -> dict[str, object]:
    """Check the members of a share that are given.

    Args:
        value: the share's object in the document.
        path: its JSON path.
        problems: where problems are noted.
        complete: whether `limits` and `strategy` must be among them.

    Returns:
        The members that are there, checked.
    """
    given = check_members(value, path, problems, SHARE_MEMBERS, ("limits", "strategy") if complete else ())
    members: dict[str, object] = {}
    for name, check in _SHARE_CHECKS.items():
        if given is not None and name in given:
            members[name] = check(given[name], child(path, name), problems)
    return members


def make_share(name: str, members: Mapping[str, object]) -> Share:
    """Make a share of checked members, with the service's defaults for what is left out."""
    return Share(
        name,
        members.get("limits", MappingProxyType({})),  # type: ignore[arg-type]  # checked by _SHARE_CHECKS
        members.get("strategy", STRATEGIES[0]),  # type: ignore[arg-type]  # as above
        members.get("borrow_limit_percent", UNLIMITED),  # type: ignore[arg-type]  # as above
        members.get("in_share_preemption", False),  # type: ignore[arg-type]  # as above
        members.get("state", ENABLED),  # type: ignore[arg-type]  # as above
    )


def _check_borrow_limit(value: object, path: str, problems: Problems) -> int:
    return check_whole(value, path, problems, UNLIMITED)


_SHARE_CHECKS: dict[str, Callable[[object, str, Problems], object]] = {
    "limits": lambda value, path, problems: check_amounts(value, path, problems, least=0),
    "strategy": lambda value, path, problems: check_choice(value, path, problems, STRATEGIES),
    "borrow_limit_percent": _check_borrow_limit,
    "in_share_preemption": check_flag,
    "state": lambda value, path, problems: check_choice(value, path, problems, STATES),
}


def _optional_text(root: Mapping[str, object], name: str, path: str, problems: Problems) -> str | None:
    value = root.get(name)
    return None if value is None else check_text(value, child(path, name), problems)


def _parse_shares(value: object, problems: Problems) -> dict[str, Share]:
    if not isinstance(value, Mapping):
        problems.add("$.shares", f"must be an object of share names and shares, got {shown(value)}")
        return {}
    check_repeated(value, "$.shares", problems)
    shares = {}
    for name, given in value.items():
        path = child("$.shares", str(name))
        if check_text(name, path, problems):
            shares[name] = make_share(name, parse_share_members(given, path, problems, complete=True))
    return shares


def _parse_actions(value: object, problems: Problems) -> tuple[TimeLimitAction, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        problems.add("$.time_limit_actions", f"must be a list, got {shown(value)}")
        return ()
    names = ("reason", "max_time_seconds", "action")
    actions = []
    for index, given in enumerate(value):
        path = f"$.time_limit_actions[{index}]"
        members = check_members(given, path, problems, names, names)
        if members is not None and all(name in members for name in names):
            reason = check_text(members["reason"], f"{path}.reason", problems)
            seconds = check_whole(members["max_time_seconds"], f"{path}.max_time_seconds", problems, 0)
            actions.append(TimeLimitAction(reason, seconds, check_text(members["action"], f"{path}.action", problems)))
    return tuple(actions)


def _parse_jobs(value: object, shares: Mapping[str, Share] | None, problems: Problems) -> tuple[Job, ...]:
    """Read the jobs; `shares` is None where the document has none that could be read."""
    if not isinstance(value, (list, tuple)):
        problems.add("$.jobs", f"must be a list, got {shown(value)}")
        return ()
    jobs = None if shares is None else read_columns(value, shares.keys())
    if jobs is None:
        from quota_scheduler.job_document import JobReader  # only where something is wrong, or unusual

        read = JobReader(shares, problems)
        jobs = tuple([read.job(given, index) for index, given in enumerate(value)])
    return jobs
