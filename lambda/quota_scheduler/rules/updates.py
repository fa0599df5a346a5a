"""Rules about what cannot be changed once it is there."""

from __future__ import annotations

from quota_scheduler.rules.configuration import Unknown
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import UPDATE, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration


def _differ(before: object, after: object) -> bool:
    """Say whether two values are both known and not the same; no value is one, too: a generated name."""
    return not isinstance(before, Unknown) and not isinstance(after, Unknown) and before != after


def _said(value: object) -> str:
    return "a generated name" if value is None else str(value)


def _check_identity(before: QueueConfiguration, after: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, what, old, new in (
        (f"{after.path}.name", "the name of the job queue", before.name, after.name),
        (f"{after.path}.type", "the type of the job queue", before.type, after.type),
    ):
        if _differ(old, new):
            yield (
                where,
                (
                    f"{what} cannot be changed, got {_said(new)} for {_said(old)}: CloudFormation would make a second "
                    "queue, which cannot have the environment of the first; keep it, or add one with an environment "
                    "of its own and move the jobs"
                ),
            )
    for where, what, old, new in (
        (
            f"{after.environment.path}.name",
            "the name of the service environment",
            before.environment.name,
            after.environment.name,
        ),
        (
            f"{after.environment.path}.type",
            "the type of the service environment",
            before.environment.type,
            after.environment.type,
        ),
    ):
        if _differ(old, new):
            yield (
                where,
                (
                    f"{what} cannot be changed, got {_said(new)} for {_said(old)}: CloudFormation would replace the "
                    "environment under the queue; keep it, or add a queue with an environment of its own"
                ),
            )


def _check_policy_kind(before: QueueConfiguration, after: QueueConfiguration) -> Iterator[tuple[str, str]]:
    old, new = before.policy.kinds, after.policy.kinds
    if not isinstance(old, Unknown) and not isinstance(new, Unknown) and old and sorted(old) != sorted(new):
        yield (
            after.policy.path,
            (
                f"a scheduling policy keeps its kind, got {' and '.join(sorted(new)) or 'neither'} for "
                f"{' and '.join(sorted(old))}; make a new policy and let the queue refer to it"
            ),
        )


RULES = (
    Rule(
        id="QS039",
        title="name and type of a job queue and of its service environment stay as they are",
        severity=ERROR,
        source="CloudFormation schemas of AWS::Batch::JobQueue and AWS::Batch::ServiceEnvironment, create-only "
        "properties; an environment serves one queue, AWS Batch service quotas",
        check=_check_identity,
        fix="keep name and type, or add a second queue and move the jobs",
        bad='[{"queue": {"name": "training"}}, {"queue": {"name": "training-2"}}]',
        good='[{"queue": {"name": "training"}}, {"queue": {"name": "training"}}]',
        looks_at=UPDATE,
    ),
    Rule(
        id="QS040",
        title="a scheduling policy keeps its kind",
        severity=ERROR,
        source="Batch API, CreateSchedulingPolicy and UpdateSchedulingPolicy",
        check=_check_policy_kind,
        fix="make a new policy and let the queue refer to it",
        bad='[{"schedulingPolicy": {"fairsharePolicy": {}}},'
        ' {"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}}]',
        good='[{"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}},'
        ' {"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}}]',
        looks_at=UPDATE,
    ),
)
