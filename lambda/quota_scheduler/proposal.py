"""What a deployment declares: queues, environments and shares, as one document that a guard receives.

The document is the JSON text in the property `Proposal` of a `Custom::QuotaGuard`, or what a template gives. It names
resources by their logical ids only, so that it depends on none of them. This module reads it; `declaration.py` has the
values, `declared_change.py` what they mean for a live queue.
"""

from __future__ import annotations

from quota_scheduler.declaration import (
    DESTROY,
    LIFECYCLES,
    MANAGED,
    NATIVE,
    ON_REMOVAL,
    REFUSE_IF_BUSY,
    REMOVAL_POLICIES,
    RETAIN,
    TERMINATE,
    CapacityLimit,
    EnvironmentDeclaration,
    Proposal,
    QueueDeclaration,
    QueueProposal,
    SchedulingPolicyDeclaration,
    ShareDeclaration,
)
from quota_scheduler.declared_change import change_for, drift_of
from quota_scheduler.document import (
    LARGEST,
    Problems,
    check_choice,
    check_flag,
    check_members,
    check_text,
    check_whole,
    child,
    decode,
    shown,
)
from quota_scheduler.errors import DocumentError, Problem
from quota_scheduler.share import DISABLED, ENABLED, STATES, STRATEGIES, UNLIMITED
from quota_scheduler.state import TimeLimitAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DESTROY",
    "MANAGED",
    "NATIVE",
    "REFUSE_IF_BUSY",
    "RETAIN",
    "TERMINATE",
    "CapacityLimit",
    "EnvironmentDeclaration",
    "Proposal",
    "QueueDeclaration",
    "QueueProposal",
    "SchedulingPolicyDeclaration",
    "ShareDeclaration",
    "UnknownVersionError",
    "change_for",
    "drift_of",
    "parse_proposal",
]

VERSION = 1
"""Version of the proposal document."""


class UnknownVersionError(DocumentError):
    """A proposal of a version that this code does not know; newer or older code wrote it.

    Args:
        version: the version as it was given.
    """

    def __init__(self, version: object) -> None:
        self.version = version
        super().__init__([Problem("$.version", f"must be {VERSION}, got {shown(version)}")])

    def __reduce__(self) -> tuple[type[UnknownVersionError], tuple[object]]:  # type: ignore[override]  # made from the version
        return (UnknownVersionError, (self.version,))


def parse_proposal(document: str | bytes | Mapping[str, object]) -> Proposal:
    """Read a proposal document. Whole numbers may be given as text, as deploy-time values are.

    Args:
        document: JSON text, UTF-8 bytes, or the decoded document.

    Returns:
        The proposal.

    Raises:
        UnknownVersionError: it has another version.
        DocumentError: it cannot be a proposal; the error has every problem with its JSON path.
    """
    decoded = decode(document)
    problems = Problems()
    root = check_members(decoded, "$", problems, ("version", "queues", "unguarded"), ()) if _is_known(decoded) else None
    queues: list[QueueProposal] = []
    unguarded: tuple[str, ...] = ()
    if root is not None:
        for path, item in _items(root.get("queues", ()), "$.queues", problems):
            queue = _queue(item, path, problems)
            if queue is not None:
                queues.append(queue)
        unguarded = tuple(
            check_text(item, path, problems)
            for path, item in _items(root.get("unguarded", ()), "$.unguarded", problems)
        )
    problems.raise_any()
    return Proposal(tuple(queues), unguarded)


def _is_known(decoded: object) -> bool:
    """Whether the version is one this code knows; what has none is of the first version."""
    version = decoded.get("version", VERSION) if isinstance(decoded, dict) else VERSION
    if version not in (VERSION, str(VERSION)) or isinstance(version, bool):
        raise UnknownVersionError(version)
    return True


def _items(value: object, path: str, problems: Problems) -> list[tuple[str, object]]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        problems.add(path, f"must be a list, got {shown(value)}")
        return []
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def _queue(value: object, path: str, problems: Problems) -> QueueProposal | None:
    known = (
        "path",
        "queue",
        "environment",
        "schedulingPolicy",
        "jobStateTimeLimitActions",
        "allowOversubscription",
        "shares",
    )
    members = check_members(value, path, problems, known, ("path", "queue"))
    if members is None or "path" not in members or "queue" not in members:
        return None
    actions = (
        _time_limit(item, where, problems)
        for where, item in _items(
            members.get("jobStateTimeLimitActions"), child(path, "jobStateTimeLimitActions"), problems
        )
    )
    shares = (
        _share(item, where, problems) for where, item in _items(members.get("shares"), child(path, "shares"), problems)
    )
    return QueueProposal(
        path=check_text(members["path"], child(path, "path"), problems),
        queue=_queue_declaration(members["queue"], child(path, "queue"), problems),
        environment=_environment(members.get("environment"), child(path, "environment"), problems),
        scheduling_policy=_policy(members.get("schedulingPolicy"), child(path, "schedulingPolicy"), problems),
        time_limit_actions=tuple(action for action in actions if action is not None),
        allow_oversubscription=_flag(
            members.get("allowOversubscription", False), child(path, "allowOversubscription"), problems
        ),
        shares=tuple(share for share in shares if share is not None),
    )


def _queue_declaration(value: object, path: str, problems: Problems) -> QueueDeclaration:
    members = check_members(value, path, problems, ("logicalId", "name", "arn", "state", "removalPolicy"))
    if members is None:
        return QueueDeclaration()
    arn = _optional_text(members.get("arn"), child(path, "arn"), problems)
    logical_id = _optional_text(members.get("logicalId"), child(path, "logicalId"), problems)
    if arn is None and logical_id is None:
        problems.add(path, "needs logicalId, or arn for an imported queue")
    state = members.get("state")
    return QueueDeclaration(
        logical_id=logical_id if arn is None else None,
        name=_optional_text(members.get("name"), child(path, "name"), problems),
        arn=arn,
        state=None if state is None else check_choice(state, child(path, "state"), problems, STATES),
        removal_policy=check_choice(
            members.get("removalPolicy", DESTROY), child(path, "removalPolicy"), problems, REMOVAL_POLICIES
        ),
    )


def _environment(value: object, path: str, problems: Problems) -> EnvironmentDeclaration | None:
    if value is None:
        return None
    known = ("logicalId", "name", "state", "capacityLimits", "removalPolicy")
    members = check_members(value, path, problems, known, ("capacityLimits",))
    if members is None or "capacityLimits" not in members:
        return None
    return EnvironmentDeclaration(
        logical_id=_optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        name=_optional_text(members.get("name"), child(path, "name"), problems),
        state=check_choice(members.get("state", ENABLED), child(path, "state"), problems, STATES),
        capacity_limits=_limits(members["capacityLimits"], child(path, "capacityLimits"), problems),
    )


def _policy(value: object, path: str, problems: Problems) -> SchedulingPolicyDeclaration | None:
    if value is None:
        return None
    members = check_members(value, path, problems, ("logicalId", "name"))
    if members is None:
        return None
    return SchedulingPolicyDeclaration(
        _optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        _optional_text(members.get("name"), child(path, "name"), problems),
    )


def _time_limit(value: object, path: str, problems: Problems) -> TimeLimitAction | None:
    known = ("reason", "state", "maxTimeSeconds", "action")
    members = check_members(value, path, problems, known, ("reason", "maxTimeSeconds", "action"))
    if members is None or not all(name in members for name in ("reason", "maxTimeSeconds", "action")):
        return None
    return TimeLimitAction(
        check_text(members["reason"], child(path, "reason"), problems),
        _whole(members["maxTimeSeconds"], child(path, "maxTimeSeconds"), problems, 0),
        check_text(members["action"], child(path, "action"), problems),
    )


def _share(value: object, path: str, problems: Problems) -> ShareDeclaration | None:
    known = (
        "path",
        "logicalId",
        "name",
        "capacityLimits",
        "resourceSharingConfiguration",
        "preemptionConfiguration",
        "state",
        "lifecycle",
        "onRemoval",
    )
    required = ("name", "capacityLimits", "resourceSharingConfiguration")
    members = check_members(value, path, problems, known, required)
    if members is None or not all(name in members for name in required):
        return None
    strategy, borrow_limit = _sharing(
        members["resourceSharingConfiguration"], child(path, "resourceSharingConfiguration"), problems
    )
    name = check_text(members["name"], child(path, "name"), problems)
    return ShareDeclaration(
        path=check_text(members.get("path", name or "-"), child(path, "path"), problems),
        logical_id=_optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        name=name,
        capacity_limits=_limits(members["capacityLimits"], child(path, "capacityLimits"), problems),
        strategy=strategy,
        borrow_limit_percent=borrow_limit,
        in_share_preemption=_in_share(
            members.get("preemptionConfiguration"), child(path, "preemptionConfiguration"), problems
        ),
        state=check_choice(members.get("state", ENABLED), child(path, "state"), problems, STATES),
        lifecycle=check_choice(members.get("lifecycle", MANAGED), child(path, "lifecycle"), problems, LIFECYCLES),
        on_removal=check_choice(
            members.get("onRemoval", REFUSE_IF_BUSY), child(path, "onRemoval"), problems, ON_REMOVAL
        ),
    )


def _sharing(value: object, path: str, problems: Problems) -> tuple[str, int | None]:
    members = check_members(value, path, problems, ("strategy", "borrowLimit"), ("strategy",))
    if members is None or "strategy" not in members:
        return STRATEGIES[0], None
    strategy = check_choice(members["strategy"], child(path, "strategy"), problems, STRATEGIES)
    limit = members.get("borrowLimit")
    if limit is None:
        return strategy, None
    return strategy, _whole(limit, child(path, "borrowLimit"), problems, UNLIMITED)


def _in_share(value: object, path: str, problems: Problems) -> bool:
    if value is None:
        return False
    members = check_members(value, path, problems, ("inSharePreemption",))
    if members is None:
        return False
    given = members.get("inSharePreemption", DISABLED)
    return check_choice(given, child(path, "inSharePreemption"), problems, STATES) == ENABLED


def _limits(value: object, path: str, problems: Problems) -> tuple[CapacityLimit, ...]:
    limits = []
    for where, item in _items(value, path, problems):
        members = check_members(item, where, problems, ("capacityUnit", "maxCapacity"), ("capacityUnit", "maxCapacity"))
        if members is not None and "capacityUnit" in members and "maxCapacity" in members:
            unit = check_text(members["capacityUnit"], child(where, "capacityUnit"), problems)
            limits.append(
                CapacityLimit(unit, _whole(members["maxCapacity"], child(where, "maxCapacity"), problems, -LARGEST))
            )
    return tuple(limits)


def _whole(value: object, path: str, problems: Problems, least: int) -> int:
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    if isinstance(value, str) and digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST)):
        value = int(value)
    return check_whole(value, path, problems, least)


def _flag(value: object, path: str, problems: Problems) -> bool:
    if value in ("true", "false"):
        return value == "true"
    return check_flag(value, path, problems)


def _optional_text(value: object, path: str, problems: Problems) -> str | None:
    return None if value is None else check_text(value, path, problems)
