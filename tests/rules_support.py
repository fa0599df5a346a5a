"""Builders for configurations in the form of the Batch API, for the tests of the rules."""

from typing import Any

P5, G5 = "ml.p5.48xlarge", "ml.g5.xlarge"


def limits(**amounts: Any) -> list[dict[str, Any]]:
    return [
        {
            "capacityUnit": {"p5": P5, "g5": G5, "p4": "ml.p4.24xlarge", "m5": "ml.m5.large"}.get(unit, unit),
            "maxCapacity": n,
        }
        for unit, n in amounts.items()
    ]


def share(name: str, strategy: str = "", borrow: Any = None, **amounts: Any) -> dict[str, Any]:
    """A share with limits by the short names p5 and g5."""
    document: dict[str, Any] = {"quotaShareName": name, "capacityLimits": limits(**amounts)}
    if strategy:
        document["resourceSharingConfiguration"] = {"strategy": strategy}
        if borrow is not None:
            document["resourceSharingConfiguration"]["borrowLimit"] = borrow
    return document


def queue(*shares: dict[str, Any], environment: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"shares": list(shares), **parts}
    if environment is not None:
        document["environment"] = {"capacityLimits": limits(**environment)}
    return document


BOTH = "LEND_AND_BORROW"
