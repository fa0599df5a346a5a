"""What a deployment declares: queues, environments and shares, as one document that a guard receives.

The document is the JSON text in the property `Proposal` of a `Custom::QuotaGuard`, or what a template gives. It names
resources by their logical ids only, so that it depends on none of them. This module reads it, `proposal_share.py` its
shares; `declaration.py` has the values, `declared_change.py` what they mean for a live queue.
"""

from __future__ import annotations

from quota_scheduler.declaration import (
    DESTROY,
    MANAGED,
    NATIVE,
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
    Problems,
    check_choice,
    check_members,
    check_text,
    child,
    decode,
    is_version,
    shown,
)
from quota_scheduler.errors import DocumentError, Problem
from quota_scheduler.proposal_members import flag_of, items_of, limits_of, optional_text, whole_of
from quota_scheduler.proposal_share import share_of
from quota_scheduler.share import ENABLED, STATES
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
        for path, item in items_of(root.get("queues", ()), "$.queues", problems):
            queue = _queue(item, path, problems)
            if queue is not None:
                queues.append(queue)
        unguarded = tuple(
            check_text(item, path, problems)
            for path, item in items_of(root.get("unguarded", ()), "$.unguarded", problems)
        )
    problems.raise_any()
    return Proposal(tuple(queues), unguarded)


def _is_known(decoded: object) -> bool:
    """Whether the version is one this code knows; what has none is of the first version."""
    version = decoded.get("version", VERSION) if isinstance(decoded, dict) else VERSION
    if not is_version(version, VERSION):
        raise UnknownVersionError(version)
    return True


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
        for where, item in items_of(
            members.get("jobStateTimeLimitActions"), child(path, "jobStateTimeLimitActions"), problems
        )
    )
    listed = items_of(members.get("shares"), child(path, "shares"), problems)
    shares = (share_of(item, where, problems) for where, item in listed)
    return QueueProposal(
        path=check_text(members["path"], child(path, "path"), problems),
        queue=_queue_declaration(members["queue"], child(path, "queue"), problems),
        environment=_environment(members.get("environment"), child(path, "environment"), problems),
        scheduling_policy=_policy(members.get("schedulingPolicy"), child(path, "schedulingPolicy"), problems),
        time_limit_actions=tuple(action for action in actions if action is not None),
        allow_oversubscription=flag_of(
            members.get("allowOversubscription", False), child(path, "allowOversubscription"), problems
        ),
        shares=tuple(share for share in shares if share is not None),
    )


def _queue_declaration(value: object, path: str, problems: Problems) -> QueueDeclaration:
    members = check_members(value, path, problems, ("logicalId", "name", "arn", "state", "removalPolicy"))
    if members is None:
        return QueueDeclaration()
    arn = optional_text(members.get("arn"), child(path, "arn"), problems)
    logical_id = optional_text(members.get("logicalId"), child(path, "logicalId"), problems)
    if arn is None and logical_id is None:
        problems.add(path, "needs logicalId, or arn for an imported queue")
    state = members.get("state")
    return QueueDeclaration(
        logical_id=logical_id if arn is None else None,
        name=optional_text(members.get("name"), child(path, "name"), problems),
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
        logical_id=optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        name=optional_text(members.get("name"), child(path, "name"), problems),
        state=check_choice(members.get("state", ENABLED), child(path, "state"), problems, STATES),
        capacity_limits=limits_of(members["capacityLimits"], child(path, "capacityLimits"), problems),
    )


def _policy(value: object, path: str, problems: Problems) -> SchedulingPolicyDeclaration | None:
    if value is None:
        return None
    members = check_members(value, path, problems, ("logicalId", "name"))
    if members is None:
        return None
    return SchedulingPolicyDeclaration(
        optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        optional_text(members.get("name"), child(path, "name"), problems),
    )


def _time_limit(value: object, path: str, problems: Problems) -> TimeLimitAction | None:
    known = ("reason", "state", "maxTimeSeconds", "action")
    members = check_members(value, path, problems, known, ("reason", "maxTimeSeconds", "action"))
    if members is None or not all(name in members for name in ("reason", "maxTimeSeconds", "action")):
        return None
    return TimeLimitAction(
        check_text(members["reason"], child(path, "reason"), problems),
        whole_of(members["maxTimeSeconds"], child(path, "maxTimeSeconds"), problems, 0),
        check_text(members["action"], child(path, "action"), problems),
    )
