"""Rules about the limits of the shares against what the service environment has."""

from __future__ import annotations

from quota_scheduler.rules.capacity_limits import ANY_INSTANCE
from quota_scheduler.rules.configuration import are_types_known, are_wholly_known, known_amounts
from quota_scheduler.rules.finding import ERROR, INFO, WARNING
from quota_scheduler.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration


def _check_share_above(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if queue.allow_oversubscription:
        return
    environment = known_amounts(queue.environment.limits)
    for share in queue.shares:
        for unit, amount in known_amounts(share.limits).items():
            if unit in environment and amount > environment[unit]:
                yield (
                    f"{share.path}.limits.{unit}",
                    (
                        f"{share.label} has a limit of {amount} {unit}, the environment has {environment[unit]}; "
                        f"lower the limit to {environment[unit]} or raise the environment to {amount}"
                    ),
                )


def _check_absent(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not are_types_known(queue.environment.limits):
        return
    types = {unit for unit, _ in queue.environment.limits}  # type: ignore[union-attr]  # known, see above
    listed = ", ".join(sorted(map(str, types))) or "none"
    for share in queue.shares:
        for unit in known_amounts(share.limits):
            if unit not in types and unit != ANY_INSTANCE:
                yield (
                    f"{share.path}.limits.{unit}",
                    (
                        f"{share.label} has a limit for {unit}, for which the service environment has none (it has "
                        f"{listed}), so no such job can ever run; add the type to the environment or drop the limit"
                    ),
                )


def _totals(queue: QueueConfiguration) -> Iterator[tuple[str, int, int, str]]:
    """Give, for each type of the environment: type, capacity, sum of the shares' limits, and the sum's parts."""
    owned: dict[str, list[tuple[str, int]]] = {}
    for share in queue.shares:
        for unit, amount in known_amounts(share.limits).items():
            owned.setdefault(unit, []).append((share.label.removeprefix("share "), amount))
    for unit, capacity in known_amounts(queue.environment.limits).items():
        parts = sorted(owned.get(unit, ()), key=lambda part: (-part[1], part[0]))
        total = sum(amount for _, amount in parts)
        yield unit, capacity, total, ", ".join(f"{name} {amount}" for name, amount in parts)


def _check_sum(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if queue.allow_oversubscription:
        return
    for unit, capacity, total, parts in _totals(queue):
        if total > capacity:
            yield (
                f"{queue.environment.path}.{unit}",
                (
                    f"the limits for {unit} add up to {total} ({parts}), the service environment has {capacity}; lower "
                    f"them by {total - capacity}, raise the environment to {total}, or allow oversubscription by name"
                ),
            )


def _check_allowed_sum(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not queue.allow_oversubscription:
        return
    for unit, capacity, total, parts in _totals(queue):
        if total > capacity:
            yield (
                f"{queue.environment.path}.{unit}",
                (
                    f"the limits for {unit} add up to {total} ({parts}), the environment has {capacity}: a share "
                    "below its limit may have to wait though no other is above its own"
                ),
            )


def _check_unowned(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not queue.all_shares or not queue.shares or not all(are_wholly_known(share.limits) for share in queue.shares):
        return
    for unit, capacity, total, _ in _totals(queue):
        if total < capacity:
            yield (
                f"{queue.environment.path}.{unit}",
                (
                    f"{capacity - total} of {capacity} {unit} {'belongs' if capacity - total == 1 else 'belong'} to no "
                    "share, and shares borrow only from the limits of others, so this stays idle; "
                    f"raise a limit or lower the environment to {total}"
                ),
            )


_ENVIRONMENT = '{"environment": {"capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": %s}]}, %s}'
_SHARE = '{"quotaShareName": "%s", "capacityLimits": [{"capacityUnit": "%s", "maxCapacity": %s}]}'


def _example(environment: int, shares: str) -> str:
    return _ENVIRONMENT % (environment, shares)


def _shares(*shares: tuple[str, str, int]) -> str:
    return '"shares": [' + ", ".join(_SHARE % share for share in shares) + "]"


RULES = (
    Rule(
        id="QS007",
        title="no share has a limit above the service environment",
        severity=ERROR,
        source="assumed, docs/decisions/0018-rules-beyond-the-documentation.md; the environment's limit bounds the "
        "total, Batch API, CapacityLimit.maxCapacity",
        check=_check_share_above,
        fix="lower the share's limit or raise the environment; allowing oversubscription allows this, too",
        bad=_example(8, _shares(("research", "ml.p5.48xlarge", 9))),
        good=_example(8, _shares(("research", "ml.p5.48xlarge", 8))),
    ),
    Rule(
        id="QS008",
        title="the service environment has every instance type that a share has",
        severity=ERROR,
        source="assumed, docs/decisions/0018-rules-beyond-the-documentation.md; jobs of other types wait, "
        "Batch API, CapacityLimit.maxCapacity",
        check=_check_absent,
        fix="add the type to the environment or drop it from the share",
        bad=_example(8, _shares(("research", "ml.p5.48xlarge", 8), ("vision", "ml.g5.xlarge", 2))),
        good=_example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 2))),
    ),
    Rule(
        id="QS009",
        title="the limits of all shares together stay within the service environment",
        severity=ERROR,
        source="assumed, docs/decisions/0018-rules-beyond-the-documentation.md",
        check=_check_sum,
        fix="lower limits, raise the environment, or allow oversubscription by name",
        bad=_example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 3))),
        good=_example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 2))),
    ),
    Rule(
        id="QS010",
        title="all capacity of the service environment belongs to a share",
        severity=WARNING,
        source="AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration: only limits of other shares can "
        "be borrowed",
        check=_check_unowned,
        fix="raise a share's limit or lower the environment",
        bad=_example(8, _shares(("research", "ml.p5.48xlarge", 4), ("vision", "ml.p5.48xlarge", 2))),
        good=_example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 2))),
    ),
    Rule(
        id="QS041",
        title="where oversubscription is allowed, a share may have to wait for its own",
        severity=INFO,
        source="assumed, docs/decisions/0018-rules-beyond-the-documentation.md",
        check=_check_allowed_sum,
        fix="nothing, if that is what you want",
        bad='{"allowOversubscription": true, '
        + _example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 3)))[1:],
        good='{"allowOversubscription": true, '
        + _example(8, _shares(("research", "ml.p5.48xlarge", 6), ("vision", "ml.p5.48xlarge", 2)))[1:],
    ),
)
