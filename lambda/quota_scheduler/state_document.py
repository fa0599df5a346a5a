"""Queue state documents: read one into values.

    {"version": 1, "at": …, "environment": {type: n}, "shares": {name: {…}}, "jobs": [{…}, …]}

A state is checked for what cannot be (an unknown share, the same id twice), not for what is unwise: a share over
its limit is fine, and configuration has its own rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from quota_scheduler.document import (
    LARGEST,
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
    nearest,
    shown,
)
from quota_scheduler.job import STATUSES, Job
from quota_scheduler.share import ENABLED, STATES, STRATEGIES, UNLIMITED, Share
from quota_scheduler.state import VERSION, QueueState, TimeLimitAction
from quota_scheduler.timestamp import parse_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SHARE_MEMBERS = ("limits", "strategy", "borrow_limit_percent", "in_share_preemption", "state")
_ROOT = ("version", "at", "queue", "region", "account", "environment", "shares", "time_limit_actions", "jobs")
_JOB = (
    "id",
    "share",
    "uses",
    "status",
    "name",
    "priority",
    "created_at",
    "scheduled_at",
    "started_at",
    "checkpointed_at",
    "expected_end",
    "stopping_for",
    "preemption_retries_before_termination",
    "preempted_attempt_count",
    "owner",
)
_JOB_SET = frozenset(_JOB)
_JOB_REQUIRED = frozenset(_JOB[:4])
_NOTHING: Mapping[str, int] = MappingProxyType({})


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
    if not isinstance(value, (list, tuple)):
        problems.add("$.jobs", f"must be a list, got {shown(value)}")
        return ()
    read = _JobReader(shares, problems)
    return tuple([read.job(given, index) for index, given in enumerate(value)])


class _JobReader:
    """Reads the jobs of one document; equal amounts become one object, since a full queue has few different ones.

    Args:
        shares: the shares of the document, None where it has none that could be read: one problem, not one a job.
        problems: where problems are noted.
    """

    def __init__(self, shares: Mapping[str, Share] | None, problems: Problems) -> None:
        self._shares = shares
        self._problems = problems
        self._index_of: dict[str, int] = {}
        self._amounts: dict[tuple[tuple[str, object], ...], Mapping[str, int]] = {}

    def job(self, given: object, index: int) -> Job:
        """Read one job; with problems it is a job that is thrown away with the document."""
        if type(given) is not dict or not _JOB_REQUIRED <= given.keys() <= _JOB_SET:
            checked = check_members(given, f"$.jobs[{index}]", self._problems, _JOB, _JOB[:4])
            given = {} if checked is None else checked
        get = given.get
        return Job(
            self._id(given["id"], index) if "id" in given else "",
            self._share(given["share"], index) if "share" in given else "",
            self._uses(given["uses"], index) if "uses" in given else _NOTHING,
            self._status(given["status"], index) if "status" in given else "",
            self._text(get("name"), index, "name"),
            self._priority(get("priority"), index),
            self._time(get("created_at"), index, "created_at"),
            self._time(get("scheduled_at"), index, "scheduled_at"),
            self._time(get("started_at"), index, "started_at"),
            self._time(get("checkpointed_at"), index, "checkpointed_at"),
            self._time(get("expected_end"), index, "expected_end"),
            self._stopping_for(given, index),
            self._count(get("preemption_retries_before_termination"), index, "preemption_retries_before_termination"),
            self._count(get("preempted_attempt_count"), index, "preempted_attempt_count") or 0,
            self._text(get("owner"), index, "owner"),
        )

    def _id(self, value: object, index: int) -> str:
        path = f"$.jobs[{index}].id"
        name = check_text(value, path, self._problems)
        if name and self._index_of.setdefault(name, index) != index:
            first = self._index_of[name]
            self._problems.add(path, f"job {shown(name)} is there twice; the first is $.jobs[{first}]")
        return name

    def _share(self, value: object, index: int) -> str:
        if self._shares is None:
            return check_text(value, f"$.jobs[{index}].share", self._problems)
        if isinstance(value, str) and value in self._shares:
            return value
        hint = nearest(value, tuple(self._shares)) if isinstance(value, str) else ""
        self._problems.add(f"$.jobs[{index}].share", f"must be one of the shares, got {shown(value)}{hint}")
        return ""

    def _uses(self, value: object, index: int) -> Mapping[str, int]:
        if type(value) is dict:
            try:
                key = tuple(value.items())
                same = self._amounts.get(key)
            except TypeError:  # an amount that is a list or an object
                same = None
            # 1, 1.0 and true are equal keys, hence the second look
            if same is not None and all(type(amount) is int for amount in value.values()):
                return same
        before = len(self._problems)
        path = f"$.jobs[{index}].uses"
        amounts = check_amounts(value, path, self._problems, least=1)
        if len(self._problems) == before:
            if amounts:
                return self._amounts.setdefault(tuple(amounts.items()), amounts)
            self._problems.add(path, "must name at least one instance type")
        return amounts

    def _status(self, value: object, index: int) -> str:
        if isinstance(value, str) and value in STATUSES:
            return value
        return check_choice(value, f"$.jobs[{index}].status", self._problems, STATUSES)

    def _priority(self, value: object, index: int) -> int | None:
        if value is None or (type(value) is int and -LARGEST <= value <= LARGEST):
            return value
        return check_whole(value, f"$.jobs[{index}].priority", self._problems, -LARGEST)

    def _time(self, value: object, index: int, name: str) -> int | None:
        if value is None:
            return None
        try:
            return parse_timestamp(value)  # type: ignore[arg-type]  # what is no text fails below
        except (TypeError, ValueError, LookupError):  # an object gives a KeyError from Python 3.12 on
            return check_time(value, f"$.jobs[{index}].{name}", self._problems)

    def _count(self, value: object, index: int, name: str) -> int | None:
        return None if value is None else check_whole(value, f"$.jobs[{index}].{name}", self._problems, 0)

    def _text(self, value: object, index: int, name: str) -> str | None:
        return None if value is None else check_text(value, f"$.jobs[{index}].{name}", self._problems)

    def _stopping_for(self, given: Mapping[str, object], index: int) -> str | None:
        value = given.get("stopping_for")
        if value is None:
            return None
        if value == given.get("id"):
            self._problems.add(f"$.jobs[{index}].stopping_for", "a job cannot be stopped for itself")
        return check_text(value, f"$.jobs[{index}].stopping_for", self._problems)
