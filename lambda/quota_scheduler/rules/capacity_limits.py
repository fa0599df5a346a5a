"""Rules about one list of capacity limits: how many, which types, which amounts."""

from __future__ import annotations

from quota_scheduler.document import LARGEST, shown
from quota_scheduler.instance_types import GPUS, KNOWN, suggest
from quota_scheduler.rules.configuration import Unknown, is_whole_number
from quota_scheduler.rules.finding import ERROR, INFO, WARNING
from quota_scheduler.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration

MOST_LIMITS = 5
"""Capacity limits that one share or one service environment can have."""

ANY_INSTANCE = "NUM_INSTANCES"
"""Capacity unit of service environments without quota management."""


def _lists(queue: QueueConfiguration) -> Iterator[tuple[str, str, tuple[tuple[object, object], ...]]]:
    """Give place, owner and pairs of each list of limits that is known; a list left out is an empty one."""
    if not isinstance(queue.environment.limits, Unknown):
        yield queue.environment.path, "the service environment", queue.environment.limits or ()
    for share in queue.shares:
        if not isinstance(share.limits, Unknown):
            yield f"{share.path}.limits", share.label, share.limits or ()


def _check_count(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, limits in _lists(queue):
        if not limits:
            yield where, f"{owner} has no capacity limit, allowed are 1 to {MOST_LIMITS}; give it at least one"
        elif len(limits) > MOST_LIMITS:
            yield (
                where,
                (
                    f"{owner} has {len(limits)} capacity limits, allowed are 1 to {MOST_LIMITS}; "
                    f"drop {len(limits) - MOST_LIMITS} or use a second queue"
                ),
            )


def _check_amount(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, limits in _lists(queue):
        for unit, amount in limits:
            if isinstance(amount, Unknown) or (is_whole_number(amount) and 1 <= amount <= LARGEST):
                continue
            if is_whole_number(amount) and amount > LARGEST:
                yield (
                    f"{where}.{unit}",
                    (
                        f"the limit of {owner} for {unit} is larger than any the service takes, got {shown(amount)}, "
                        f"allowed are 1 to {LARGEST}; lower it"
                    ),
                )
                continue
            got = "nothing" if amount is None else repr(amount)
            yield (
                f"{where}.{unit}",
                (
                    f"the limit of {owner} for {unit} must be a whole number of instances from 1, got {got}; "
                    "leave the type out if there shall be none"
                ),
            )


def _check_duplicate(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, limits in _lists(queue):
        amounts: dict[str, list[object]] = {}
        for unit, amount in limits:
            if isinstance(unit, str):
                amounts.setdefault(unit, []).append(amount)
        for unit, given in amounts.items():
            if len(given) > 1:
                yield (
                    f"{where}.{unit}",
                    (
                        f"{owner} has {len(given)} limits for {unit} "
                        f"({', '.join(sorted(map(str, given)))}), allowed is one; keep one of them"
                    ),
                )


def _check_unit(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, limits in _lists(queue):
        for unit, _ in limits:
            if unit == ANY_INSTANCE:
                yield (
                    f"{where}.{unit}",
                    (
                        f"{owner} has a limit in {ANY_INSTANCE}, but quota management counts each type by itself; "
                        "name the type, for example ml.p5.48xlarge"
                    ),
                )
            elif not isinstance(unit, (str, Unknown)) or unit == "":
                got = "nothing" if unit is None else repr(unit)
                yield (
                    where,
                    f"a limit of {owner} names no instance type, got {got}; name one, for example ml.p5.48xlarge",
                )


def _check_known_type(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, limits in _lists(queue):
        for unit, _ in limits:
            if not isinstance(unit, str) or unit in KNOWN or unit in ("", ANY_INSTANCE):
                continue
            meant = suggest(unit)
            newer = "if it is a newer one, its losses are counted in instance-hours; check the spelling"
            hint = f"did you mean {meant}?" if meant else newer
            yield (
                f"{where}.{unit}",
                (
                    f"{owner} has a limit for {unit}, which is not among the {len(KNOWN)} instance types known for "
                    f"SageMaker Training; {hint}"
                ),
            )


def _check_has_accelerators(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    places: dict[str, list[str]] = {}
    for where, _, limits in _lists(queue):
        for unit, _ in limits:
            if isinstance(unit, str) and unit in KNOWN and unit not in GPUS:
                places.setdefault(unit, []).append(where)
    for unit, wheres in places.items():
        # Once a type, at the environment if that has it.
        where = queue.environment.path if queue.environment.path in wheres else min(wheres)
        yield (
            f"{where}.{unit}",
            f"{unit} has no accelerators, so its losses are counted in instance-hours instead of GPU-hours",
        )


RULES = (
    Rule(
        id="QS001",
        title="a share and a service environment have 1 to 5 capacity limits",
        severity=ERROR,
        source="AWS Batch User Guide, Quota shares; Create quota management resources",
        check=_check_count,
        fix="give each list between one and five instance types; use a second queue for more",
        bad='{"shares": [{"quotaShareName": "research", "capacityLimits": []}]}',
        good='{"shares": [{"quotaShareName": "research",'
        ' "capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 4}]}]}',
    ),
    Rule(
        id="QS002",
        title="a capacity limit is a whole number of instances from 1 to 2,147,483,647",
        severity=ERROR,
        source="CloudFormation schema of AWS::Batch::QuotaShare, MaxCapacity (shares); Batch API, whose integers have "
        "32 bits (the most); "
        "assumed for service environments, docs/decisions/0018-rules-beyond-the-documentation.md",
        check=_check_amount,
        fix="give at least 1, or leave the type out",
        bad='{"environment": {"capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": -5}]}}',
        good='{"environment": {"capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 5}]}}',
    ),
    Rule(
        id="QS003",
        title="a list of capacity limits names each instance type once",
        severity=ERROR,
        source="assumed, docs/decisions/0018-rules-beyond-the-documentation.md",
        check=_check_duplicate,
        fix="keep one limit for each type",
        bad='{"shares": [{"quotaShareName": "research", "capacityLimits": ['
        '{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 2}, '
        '{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 4}]}]}',
        good='{"shares": [{"quotaShareName": "research", "capacityLimits": ['
        '{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 4}]}]}',
    ),
    Rule(
        id="QS005",
        title="capacity is counted by instance type, not in NUM_INSTANCES",
        severity=ERROR,
        source="Batch API, CapacityLimit.capacityUnit; AWS Batch User Guide, Create quota management resources",
        check=_check_unit,
        fix="name the instance type as in the SageMaker API",
        bad='{"environment": {"capacityLimits": [{"capacityUnit": "NUM_INSTANCES", "maxCapacity": 8}]}}',
        good='{"environment": {"capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 8}]}}',
    ),
    Rule(
        id="QS006",
        title="the instance type is one that SageMaker Training takes",
        severity=WARNING,
        source="SageMaker API, TrainingInstanceType; the list grows, so another name is no error",
        check=_check_known_type,
        fix="check the spelling; names begin with ml, as ml.p5.48xlarge does",
        bad='{"environment": {"capacityLimits": [{"capacityUnit": "p4d.24xlarge", "maxCapacity": 8}]}}',
        good='{"environment": {"capacityLimits": [{"capacityUnit": "ml.p4d.24xlarge", "maxCapacity": 8}]}}',
    ),
    Rule(
        id="QS043",
        title="losses are counted in GPU-hours where the instance type has accelerators",
        severity=INFO,
        source="EC2 instance type guide; the count of Trainium chips for trn1 and trn2",
        check=_check_has_accelerators,
        fix="nothing; read the numbers of this type as instance-hours",
        bad='{"environment": {"capacityLimits": [{"capacityUnit": "ml.m5.large", "maxCapacity": 8}]}}',
        good='{"environment": {"capacityLimits": [{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 8}]}}',
    ),
)
