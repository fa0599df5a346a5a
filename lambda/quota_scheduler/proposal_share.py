"""The shares that a proposal declares, read."""

from __future__ import annotations

from quota_scheduler.declaration import LIFECYCLES, MANAGED, ON_REMOVAL, REFUSE_IF_BUSY, ShareDeclaration
from quota_scheduler.document import Problems, check_choice, check_members, check_text, child
from quota_scheduler.proposal_members import limits_of, optional_text, whole_of
from quota_scheduler.share import DISABLED, ENABLED, STATES, STRATEGIES, UNLIMITED


def share_of(value: object, path: str, problems: Problems) -> ShareDeclaration | None:
    """Read a share that a proposal declares; None where too much is missing."""
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
        logical_id=optional_text(members.get("logicalId"), child(path, "logicalId"), problems),
        name=name,
        capacity_limits=limits_of(members["capacityLimits"], child(path, "capacityLimits"), problems),
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
    return strategy, whole_of(limit, child(path, "borrowLimit"), problems, UNLIMITED)


def _in_share(value: object, path: str, problems: Problems) -> bool:
    if value is None:
        return False
    members = check_members(value, path, problems, ("inSharePreemption",))
    if members is None:
        return False
    given = members.get("inSharePreemption", DISABLED)
    return check_choice(given, child(path, "inSharePreemption"), problems, STATES) == ENABLED
