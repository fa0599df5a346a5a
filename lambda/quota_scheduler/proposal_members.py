"""Members of a proposal that are of the same kind wherever they stand. Deploy-time values come as text."""

from __future__ import annotations

from quota_scheduler.declaration import CapacityLimit
from quota_scheduler.digits import whole_number
from quota_scheduler.document import (
    LARGEST,
    Problems,
    check_flag,
    check_members,
    check_text,
    check_whole,
    child,
    shown,
)


def items_of(value: object, path: str, problems: Problems) -> list[tuple[str, object]]:
    """Give the items of a list with their paths; null is an empty list."""
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        problems.add(path, f"must be a list, got {shown(value)}")
        return []
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def limits_of(value: object, path: str, problems: Problems) -> tuple[CapacityLimit, ...]:
    """Check capacity limits. What amounts and units are allowed is for the rules to say."""
    limits = []
    for where, item in items_of(value, path, problems):
        members = check_members(item, where, problems, ("capacityUnit", "maxCapacity"), ("capacityUnit", "maxCapacity"))
        if members is not None and "capacityUnit" in members and "maxCapacity" in members:
            unit = check_text(members["capacityUnit"], child(where, "capacityUnit"), problems)
            limits.append(
                CapacityLimit(unit, whole_of(members["maxCapacity"], child(where, "maxCapacity"), problems, -LARGEST))
            )
    return tuple(limits)


def whole_of(value: object, path: str, problems: Problems, least: int) -> int:
    """Check a whole number, which may be given as text."""
    number = whole_number(value)
    return check_whole(value if number is None else number, path, problems, least)


def flag_of(value: object, path: str, problems: Problems) -> bool:
    """Check true or false, which may be given as text."""
    if value in ("true", "false"):
        return value == "true"
    return check_flag(value, path, problems)


def optional_text(value: object, path: str, problems: Problems) -> str | None:
    """Check a text that may be null."""
    return None if value is None else check_text(value, path, problems)
