"""Checks of capacity limits that service environments and quota shares have in common.

Source: API Reference, CapacityLimit; user guide, create quota management resources and quota shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from quota_constructs.local.records import Members

MOST_LIMITS = 5
ANY_INSTANCE = "NUM_INSTANCES"
"""The capacity unit of a service environment without quota management."""


def check_limits(limits: list[Members], least: int) -> None:
    """Refuse limits the service does not take.

    Args:
        limits: `capacityLimits` of a request.
        least: the smallest `maxCapacity` allowed.

    Raises:
        ClientException: there are none or too many, one is incomplete, too small, or a unit comes twice.
    """
    problems = []
    if not 1 <= len(limits) <= MOST_LIMITS:
        problems.append(f"capacityLimits must have 1 to {MOST_LIMITS} entries, got {len(limits)}")
    units = []
    for index, limit in enumerate(limits):
        unit, capacity = limit.get("capacityUnit"), limit.get("maxCapacity")
        if not unit:
            problems.append(f"capacityLimits[{index}].capacityUnit is missing")
        if capacity is None:
            problems.append(f"capacityLimits[{index}].maxCapacity is missing")
        elif capacity < least:
            problems.append(f"capacityLimits[{index}].maxCapacity must be at least {least}, got {capacity}")
        units.append(unit)
    twice = sorted({unit for unit in units if unit and units.count(unit) > 1})
    problems += [f"capacityLimits names {unit} more than once" for unit in twice]
    if problems:
        raise ClientException("; ".join(problems))
