"""Job queues for service jobs.

Source: API Reference, CreateJobQueue and the operations beside it; user guide, create quota management resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local import reasons
from quota_constructs.local.configuration_rules import check_queue_request
from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.preconditions import check_deletable, check_room, check_updatable
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.paging import check_count, page
from quota_constructs.local.records import JobQueue, Members

if TYPE_CHECKING:
    from quota_constructs.local.service import Service

MOST_QUEUES = 50


@operation("CreateJobQueue")
def create(service: Service, request: Members) -> Members:
    """Create a queue; it is VALID after a while."""
    name = request["jobQueueName"]
    queue_type = request.get("jobQueueType", "SAGEMAKER_TRAINING" if "serviceEnvironmentOrder" in request else None)
    if queue_type != "SAGEMAKER_TRAINING":
        raise ClientException(
            f"the local Batch has quota management only: jobQueueType must be SAGEMAKER_TRAINING, got {queue_type}"
        )
    check_queue_request(request)
    arn = service.store.arns.batch("job-queue", name)
    if arn in service.store.queues:
        raise ClientException("Object already exists")
    check_room("job queues", service.store.queues, MOST_QUEUES)
    policy_arn = request.get("schedulingPolicyArn")
    _check_environments(service, request, quota_shares=_has_quota_shares(service, policy_arn))
    queue = JobQueue(
        name=name,
        arn=arn,
        priority=request["priority"],
        scheduling_policy_arn=policy_arn,
        environment_order=request["serviceEnvironmentOrder"],
        time_limit_actions=request.get("jobStateTimeLimitActions", []),
        tags=request.get("tags", {}),
        state=request.get("state", "ENABLED"),
    )
    service.store.queues[arn] = queue
    service.statuses.start(queue, "CREATING")
    return {"jobQueueName": name, "jobQueueArn": arn}


@operation("UpdateJobQueue")
def update(service: Service, request: Members) -> Members:
    """Change state, priority, policy, environment or time limits."""
    queue = service.store.queue(request["jobQueue"])
    check_updatable("job queue", queue)
    check_queue_request(request)
    policy_arn = request.get("schedulingPolicyArn", queue.scheduling_policy_arn)
    if "schedulingPolicyArn" in request:
        if queue.scheduling_policy_arn is None:
            raise ClientException(
                "a job queue created without a scheduling policy cannot get one; create another queue"
            )
        if _has_quota_shares(service, policy_arn) != _has_quota_shares(service, queue.scheduling_policy_arn):
            raise ClientException("a job queue's scheduling policy can be replaced by one of the same kind only")
    if "serviceEnvironmentOrder" in request or "computeEnvironmentOrder" in request:
        request.setdefault("serviceEnvironmentOrder", queue.environment_order)
        _check_environments(service, request, quota_shares=_has_quota_shares(service, policy_arn), queue=queue)
        queue.environment_order = request["serviceEnvironmentOrder"]
    queue.scheduling_policy_arn = policy_arn
    queue.state = request.get("state", queue.state)
    queue.priority = request.get("priority", queue.priority)
    queue.time_limit_actions = request.get("jobStateTimeLimitActions", queue.time_limit_actions)
    service.statuses.start(queue, "UPDATING")
    service.heads.arm(queue.arn)
    service.scheduler.wake(queue.arn)
    return {"jobQueueName": queue.name, "jobQueueArn": queue.arn}


@operation("DeleteJobQueue")
def delete(service: Service, request: Members) -> Members:
    """Delete a DISABLED queue; its shares go with it, its jobs are ended."""
    queue = service.store.queue(request["jobQueue"])
    check_deletable("job queue", queue)
    service.removal.delete_queue(queue, reasons.QUEUE_DELETED)
    return {}


@operation("DescribeJobQueues")
def describe(service: Service, request: Members) -> Members:
    """Describe all queues, or those of the named ones that exist."""
    known = sorted(service.store.queues)
    if "jobQueues" in request:
        check_count("jobQueues", request["jobQueues"], 100)
        asked = {service.store.arns.resolve("job-queue", name) for name in request["jobQueues"]}
        known = [arn for arn in known if arn in asked]
    arns, following = page("DescribeJobQueues", request, known)
    return {"jobQueues": [_detail(service, service.store.queues[arn]) for arn in arns], **following}


def _has_quota_shares(service: Service, policy_arn: str | None) -> bool:
    return policy_arn is not None and service.store.policy(policy_arn).quota_share_policy is not None


def _check_environments(
    service: Service, request: Members, *, quota_shares: bool, queue: JobQueue | None = None
) -> None:
    if request.get("computeEnvironmentOrder"):
        raise ClientException("computeEnvironmentOrder cannot be given for a SAGEMAKER_TRAINING queue")
    order = request.get("serviceEnvironmentOrder", [])
    if len(order) != 1:
        raise ClientException(f"serviceEnvironmentOrder must have exactly 1 entry, got {len(order)}")
    environment = service.store.environment(order[0]["serviceEnvironment"])
    if environment.status not in ("VALID", "UPDATING"):
        raise ClientException(
            f"service environment {environment.name} must be VALID, its status is {environment.status}"
        )
    other = service.store.queue_of(environment)
    if quota_shares and other is not None and other is not queue:
        raise ClientException(f"service environment {environment.name} is already tied to job queue {other.name}")
    if quota_shares:
        check_queue_request({}, environment.limits)


def _detail(service: Service, queue: JobQueue) -> Members:
    environment = service.store.environment_of(queue)
    arn = environment.arn if environment is not None else queue.environment
    detail: Members = {
        "jobQueueName": queue.name,
        "jobQueueArn": queue.arn,
        "state": queue.state,
        "status": queue.status,
        "statusReason": reasons.QUEUE_HEALTHY if queue.status == "VALID" else queue.status.capitalize(),
        "priority": queue.priority,
        "computeEnvironmentOrder": [],
        "serviceEnvironmentOrder": [{"order": queue.environment_order[0]["order"], "serviceEnvironment": arn}],
        "jobQueueType": queue.type,
    }
    if queue.scheduling_policy_arn is not None:
        detail["schedulingPolicyArn"] = queue.scheduling_policy_arn
    if queue.time_limit_actions:
        detail["jobStateTimeLimitActions"] = queue.time_limit_actions
    return detail | ({"tags": queue.tags} if queue.tags else {})
