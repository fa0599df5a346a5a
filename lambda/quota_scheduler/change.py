"""A change of a queue: another environment, other shares. As a value, applied to a state, and read from a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from quota_scheduler.document import (
    Problems,
    check_amounts,
    check_members,
    check_repeated,
    check_text,
    check_version,
    child,
    decode,
    nearest,
    shown,
)
from quota_scheduler.share import LEND_AND_BORROW, UNLIMITED, Share
from quota_scheduler.state import VERSION, QueueState
from quota_scheduler.state_document import make_share, parse_share_members
from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_NO_SHARES: Mapping[str, Mapping[str, object] | None] = MappingProxyType({})
"""Stands for "no member `shares`", so that a change is written as it was given."""


@dataclass(frozen=True, slots=True)
class Change(Value):
    """What is to be different.

    Args:
        environment: the whole new map of instance types and amounts; None leaves it as it is.
        shares: by name the members that change (`limits` is the whole new map), all members of a new share, or
            None for a share that is removed.

    >>> Change(shares={"research": {"limits": {"ml.g5.xlarge": 2}}, "old": None}).to_dict()
    {'shares': {'research': {'limits': {'ml.g5.xlarge': 2}}, 'old': None}}
    """

    environment: Mapping[str, int] | None = None
    shares: Mapping[str, Mapping[str, object] | None] = field(default_factory=lambda: _NO_SHARES)

    def __post_init__(self) -> None:
        if self.environment is not None:
            object.__setattr__(self, "environment", MappingProxyType(dict(self.environment)))
        if self.shares is not _NO_SHARES:
            shares = {name: None if given is None else _frozen(given) for name, given in self.shares.items()}
            object.__setattr__(self, "shares", MappingProxyType(shares))

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        make, members = Value.__reduce__(self)
        return make, (members[:1] if self.shares is _NO_SHARES else members)

    def to_dict(self) -> dict[str, object]:
        """Give exactly the members that were given, without a version."""
        document: dict[str, object] = {}
        if self.environment is not None:
            document["environment"] = dict(self.environment)
        if self.shares is not _NO_SHARES:
            document["shares"] = {
                name: None if given is None else _thawed(given) for name, given in self.shares.items()
            }
        return document


def parse_change(document: str | bytes | Mapping[str, object], state: QueueState | None = None) -> Change:
    """Read a change document.

    Args:
        document: JSON text, UTF-8 bytes, or the decoded document.
        state: the state it is for. With it new shares must be complete, and only known shares can be removed.

    Returns:
        The change, with exactly the members given.

    Raises:
        DocumentError: it cannot be a change (of this state); the error has every problem with its JSON path.
    """
    problems = Problems()
    root = check_members(decode(document), "$", problems, ("version", "environment", "shares"))
    problems_of_root = root is None
    environment = None
    shares = _NO_SHARES
    if root is not None:
        check_version(root, problems, VERSION)
        if "environment" in root:
            environment = check_amounts(root["environment"], "$.environment", problems, least=0)
        if "shares" in root:
            shares = _parse_shares(root["shares"], problems)
    change = Change(environment, shares)
    if state is not None and not problems_of_root:
        _check_against(state, change, problems)
    problems.raise_any()
    return change


def apply_change(state: QueueState, change: Change) -> QueueState:
    """Give the state as it is right after a change.

    Removed shares are gone with their jobs. A share that stops being LEND_AND_BORROW loses its borrow limit, unless
    the change gives one.

    Args:
        state: the state before; it stays as it is.
        change: what is to be different.

    Returns:
        The state after.

    Raises:
        DocumentError: the change removes an unknown share, a new share is not complete, or a member is none.
    """
    problems = Problems()
    _check_members(change, problems)
    _check_against(state, change, problems)
    problems.raise_any()
    shares = dict(state.shares)
    for name, members in change.shares.items():
        if members is None:
            del shares[name]
        elif name in shares:
            shares[name] = _changed(shares[name], members)
        else:
            shares[name] = make_share(name, members)
    jobs = state.jobs
    if any(members is None for members in change.shares.values()):
        jobs = tuple([job for job in jobs if job.share in shares])
    environment = state.environment if change.environment is None else change.environment
    return replace(state, environment=environment, shares=MappingProxyType(shares), jobs=jobs)


def _changed(share: Share, members: Mapping[str, object]) -> Share:
    after = replace(share, **members)  # type: ignore[arg-type]  # member names are field names
    if after.strategy != LEND_AND_BORROW and "borrow_limit_percent" not in members:
        return replace(after, borrow_limit_percent=UNLIMITED)
    return after


def _parse_shares(value: object, problems: Problems) -> Mapping[str, Mapping[str, object] | None]:
    if not isinstance(value, Mapping):
        problems.add("$.shares", f"must be an object of share names and changes, got {shown(value)}")
        return _NO_SHARES
    check_repeated(value, "$.shares", problems)
    shares: dict[str, Mapping[str, object] | None] = {}
    for name, given in value.items():
        path = child("$.shares", str(name))
        if check_text(name, path, problems):
            shares[name] = None if given is None else parse_share_members(given, path, problems, complete=False)
    return shares


def _check_members(change: Change, problems: Problems) -> None:
    """Note what is wrong with the members of a change that was not read from a document."""
    if change.environment is not None:
        check_amounts(change.environment, "$.environment", problems, least=0)
    for name, members in change.shares.items():
        if members is not None:
            parse_share_members(members, child("$.shares", name), problems, complete=False)


def _check_against(state: QueueState, change: Change, problems: Problems) -> None:
    """Note removals of unknown shares and new shares with members missing."""
    for name, members in change.shares.items():
        if name in state.shares:
            continue
        path = child("$.shares", name)
        hint = nearest(name, tuple(state.shares))
        if members is None:
            problems.add(path, f"there is no share of this name to remove{hint}")
        else:
            missing = [member for member in ("limits", "strategy") if member not in members]
            if missing:
                problems.add(path, f"a new share needs {' and '.join(missing)}{hint}")


def _frozen(members: Mapping[str, object]) -> Mapping[str, object]:
    copy = dict(members)
    limits = copy.get("limits")
    if isinstance(limits, Mapping):
        copy["limits"] = MappingProxyType(dict(limits))
    return MappingProxyType(copy)


def _thawed(members: Mapping[str, object]) -> dict[str, object]:
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in members.items()}
