"""Rules about what makes a job queue one with quota management: its type, environment and scheduling policy."""

from __future__ import annotations

from quota_scheduler.rules.configuration import Unknown, given, is_whole_number
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import SEVERAL_QUEUES, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quota_scheduler.rules.configuration import QueueConfiguration

TRAINING = "SAGEMAKER_TRAINING"
QUOTA_SHARE_POLICY = "quotaSharePolicy"
FAIR_SHARE_POLICY = "fairsharePolicy"
HIGHEST_QUEUE_PRIORITY = 1000


def _got(value: object) -> str:
    return "nothing" if value is None else str(value)


def _check_priority(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    priority = queue.priority
    if not isinstance(priority, Unknown) and not (
        is_whole_number(priority) and 0 <= priority <= HIGHEST_QUEUE_PRIORITY
    ):
        yield (
            f"{queue.path}.priority",
            (
                f"the priority of the job queue must be a whole number from 0 to {HIGHEST_QUEUE_PRIORITY}, "
                f"got {_got(priority)}"
            ),
        )


def _check_queue_type(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not isinstance(queue.type, Unknown) and queue.type != TRAINING:
        yield (
            f"{queue.path}.type",
            f"the type of a job queue with quota management must be {TRAINING}, got {_got(queue.type)}",
        )


def _check_one_environment(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    count = queue.service_environments
    if is_whole_number(count) and count != 1:
        yield (
            f"{queue.path}.service_environments",
            f"a job queue with quota management has exactly one service environment, got {count}",
        )
    if is_whole_number(queue.compute_environments) and queue.compute_environments:
        yield (
            f"{queue.path}.compute_environments",
            (
                "a job queue with quota management has a service environment instead of compute environments, got "
                f"{queue.compute_environments}; drop computeEnvironmentOrder"
            ),
        )


def _check_environment_type(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    kind = queue.environment.type
    if not isinstance(kind, Unknown) and kind != TRAINING:
        yield (
            f"{queue.environment.path}.type",
            f"the type of the service environment must be {TRAINING}, got {_got(kind)}",
        )


def _check_policy_kind(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    kinds = queue.policy.kinds
    if isinstance(kinds, Unknown) or tuple(kinds) == (QUOTA_SHARE_POLICY,):
        return
    got = " and ".join(sorted(kinds)) or "neither kind"
    yield (
        queue.policy.path,
        (
            f"the scheduling policy must hold a {QUOTA_SHARE_POLICY} and no {FAIR_SHARE_POLICY}, got {got}; which "
            "kind it is cannot be changed later"
        ),
    )


def _check_idle_assignment(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    kinds, strategy = queue.policy.kinds, queue.policy.idle_resource_assignment
    if isinstance(kinds, Unknown) or QUOTA_SHARE_POLICY not in kinds or isinstance(strategy, Unknown):
        return
    if strategy != "FIFO":
        yield (
            f"{queue.policy.path}.idle_resource_assignment",
            f"the idle resource assignment strategy must be FIFO, got {_got(strategy)}",
        )


def _check_environment_of_one(queues: Sequence[QueueConfiguration]) -> Iterator[tuple[str, str]]:
    users: dict[str, list[QueueConfiguration]] = {}
    for queue in queues:
        if queue.environment.identity is not None:
            users.setdefault(queue.environment.identity, []).append(queue)
    for identity, sharing in users.items():
        if len(sharing) > 1:
            names = ", ".join(sorted(str(queue.name) if given(queue.name) else queue.path for queue in sharing))
            yield (
                min(queue.environment.path for queue in sharing),
                (
                    f"service environment {identity} is used by {len(sharing)} job queues ({names}), with quota "
                    "management it serves one; give each queue its own"
                ),
            )


RULES = (
    Rule(
        id="QS029",
        title="the priority of a job queue is 0 to 1000",
        severity=ERROR,
        source="CloudFormation schema of AWS::Batch::JobQueue, Priority",
        check=_check_priority,
        fix="choose a whole number from 0 to 1000; it makes no difference between queues with quota management",
        bad='{"queue": {"priority": 1001}}',
        good='{"queue": {"priority": 1}}',
    ),
    Rule(
        id="QS030",
        title="a job queue with quota management is of type SAGEMAKER_TRAINING",
        severity=ERROR,
        source="AWS Batch User Guide, Create quota management resources",
        check=_check_queue_type,
        fix="set the job queue type; it cannot be changed later",
        bad='{"queue": {"jobQueueType": "ECS"}}',
        good='{"queue": {"jobQueueType": "SAGEMAKER_TRAINING"}}',
    ),
    Rule(
        id="QS031",
        title="a job queue with quota management has exactly one service environment",
        severity=ERROR,
        source="AWS Batch User Guide, Create quota management resources; AWS Batch service quotas",
        check=_check_one_environment,
        fix="attach one service environment and no compute environment",
        bad='{"queue": {"serviceEnvironmentOrder": []}}',
        good='{"queue": {"serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "training"}]}}',
    ),
    Rule(
        id="QS032",
        title="a service environment with quota management serves one job queue",
        severity=ERROR,
        source="AWS Batch User Guide, AWS Batch service quotas",
        check=_check_environment_of_one,
        fix="give each queue a service environment of its own",
        bad='[{"queue": {"name": "a"}, "environment": {"name": "training"}},'
        ' {"queue": {"name": "b"}, "environment": {"name": "training"}}]',
        good='[{"queue": {"name": "a"}, "environment": {"name": "training-a"}},'
        ' {"queue": {"name": "b"}, "environment": {"name": "training-b"}}]',
        looks_at=SEVERAL_QUEUES,
    ),
    Rule(
        id="QS033",
        title="the service environment is of type SAGEMAKER_TRAINING",
        severity=ERROR,
        source="Batch API, CreateServiceEnvironment.serviceEnvironmentType",
        check=_check_environment_type,
        fix="set the service environment type; it cannot be changed later",
        bad='{"environment": {"serviceEnvironmentType": "EKS"}}',
        good='{"environment": {"serviceEnvironmentType": "SAGEMAKER_TRAINING"}}',
    ),
    Rule(
        id="QS034",
        title="the scheduling policy holds a quota share policy and nothing else",
        severity=ERROR,
        source="Batch API, CreateSchedulingPolicy; AWS Batch User Guide, Create quota management resources",
        check=_check_policy_kind,
        fix="give quotaSharePolicy, drop fairsharePolicy",
        bad='{"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"},'
        ' "fairsharePolicy": {"shareDecaySeconds": 3600}}}',
        good='{"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}}',
    ),
    Rule(
        id="QS035",
        title="idle resources are assigned first in, first out",
        severity=ERROR,
        source="Batch API, QuotaSharePolicy.idleResourceAssignmentStrategy, required",
        check=_check_idle_assignment,
        fix="say FIFO",
        bad='{"schedulingPolicy": {"quotaSharePolicy": {}}}',
        good='{"schedulingPolicy": {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}}',
    ),
)
