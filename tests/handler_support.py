"""A small account for the handler's tests: the local Batch, a stack that says what it is told to, and answers.

All API calls go through one place, `Account.call`, which counts them and can let one fail.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError, ReadTimeoutError

from quota_constructs.local import LocalBatch, ManualClock, Settings
from quota_constructs.local.errors import ServiceError
from quota_handler.handler import Surroundings, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quota_handler.answer import Answer

STACK_ID = "arn:aws:cloudformation:eu-west-1:000000000000:stack/ml/11111111-2222-3333-4444-555555555555"
OTHER_STACK_ID = "arn:aws:cloudformation:eu-west-1:000000000000:stack/other/99999999-2222-3333-4444-555555555555"
QUEUE_ARN = "arn:aws:batch:eu-west-1:000000000000:job-queue/training"
ENVIRONMENT_ARN = "arn:aws:batch:eu-west-1:000000000000:service-environment/gpus"
G5 = "ml.g5.xlarge"

OWNER = "quota-constructs:owner"


class KilledError(BaseException):
    """The process is gone: nothing after this runs."""


class Face:
    """Looks like a client; every operation goes to the account."""

    def __init__(self, account: Account, service: str) -> None:
        self.meta = SimpleNamespace(service_model=SimpleNamespace(service_name=service), method_to_api_mapping=None)
        self._account = account
        self._service = service

    def __getattr__(self, name: str) -> Any:
        operation = "".join(part.capitalize() for part in name.split("_"))

        def called(**members: Any) -> dict[str, Any]:
            return self._account.call(self._service, operation, members)

        called.__name__ = name
        return _Bound(called, self, name)


class _Bound:
    def __init__(self, function: Callable[..., Any], owner: Face, name: str) -> None:
        self.__self__ = owner
        self.__name__ = name
        self._function = function

    def __call__(self, **members: Any) -> dict[str, Any]:
        return self._function(**members)


@dataclass
class Account:
    """Batch, CloudFormation and SNS of one account.

    Args:
        batch: the local Batch; its clock is manual.
        statuses: `StackStatus` of each stack; unknown stacks do not exist.
        resources: the resources of each stack, as ListStackResources gives them.
        fault: is asked before and after each call, and may raise.
    """

    batch: LocalBatch = field(
        default_factory=lambda: LocalBatch(clock=ManualClock(), settings=Settings(status_seconds=2.0), seed=7)
    )
    statuses: dict[str, str] = field(default_factory=lambda: {STACK_ID: "CREATE_IN_PROGRESS"})
    resources: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    fault: Callable[[str, str, bool], None] = lambda service, operation, done: None
    calls: list[tuple[str, str]] = field(default_factory=list)
    published: list[dict[str, Any]] = field(default_factory=list)
    hooks: list[Callable[[str, str], None]] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)

    def call(self, service: str, operation: str, members: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((service, operation))
        for hook in list(self.hooks):
            hook(service, operation)
        self.fault(service, operation, False)
        answer = self._answer(service, operation, dict(members))
        self.fault(service, operation, True)
        return answer

    def _answer(self, service: str, operation: str, members: dict[str, Any]) -> dict[str, Any]:
        if service == "batch":
            try:
                return self.batch.checked_call(operation, members)
            except ServiceError as error:
                raise client_error(operation, error.code, str(error)) from error
        if operation == "DescribeStacks":
            status = self.statuses.get(members["StackName"])
            if status is None:
                raise client_error(operation, "ValidationError", f"Stack {members['StackName']} does not exist")
            return {"Stacks": [{"StackStatus": status}]}
        if operation == "ListStackResources":
            return {"StackResourceSummaries": list(self.resources.get(members["StackName"], []))}
        if operation == "Publish":
            self.published.append(members)
            return {}
        raise AssertionError(f"{service} {operation} is not expected")

    @property
    def clients(self) -> Any:
        return SimpleNamespace(
            batch=Face(self, "batch"),
            cloudformation=Face(self, "cloudformation"),
            sns=Face(self, "sns"),
            describe_quickly=None,
        )

    def set_status(self, status: str, stack_id: str = STACK_ID) -> None:
        self.statuses[stack_id] = status

    def share(self, name: str) -> dict[str, Any] | None:
        try:
            return self.batch.checked_call("DescribeQuotaShare", {"quotaShareArn": share_arn(name)})
        except ServiceError:
            return None

    def changes(self) -> list[str]:
        """Operations of Batch that change something, in order."""
        reading = ("Describe", "List", "Get")
        return [
            operation for service, operation in self.calls if service == "batch" and not operation.startswith(reading)
        ]


def client_error(operation: str, code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


def read_timeout() -> ReadTimeoutError:
    return ReadTimeoutError(endpoint_url="https://batch.test")


@dataclass
class Context:
    """Lambda's context; the time that is left follows the clock of the account."""

    account: Account
    seconds: float = 600.0
    log_stream_name: str = "2026/11/29/[$LATEST]0123456789abcdef"

    def __post_init__(self) -> None:
        self._ends = self.account.batch.now() + self.seconds * 1000

    def get_remaining_time_in_millis(self) -> int:
        return int(self._ends - self.account.batch.now())


def share_arn(name: str) -> str:
    return f"{QUEUE_ARN}/quota-share/{name}"


def owner(logical_id: str = "QS1", stack_id: str = STACK_ID) -> str:
    return f"{stack_id}/{logical_id}"


def account_with_queue(environment: Mapping[str, int] | None = None, seconds: float = 5, **options: Any) -> Account:
    """An account with a queue and no shares; each part of it gets that many seconds."""
    account = Account(**options)
    batch = account.batch
    limits = [{"capacityUnit": unit, "maxCapacity": amount} for unit, amount in (environment or {G5: 3}).items()]
    batch.checked_call(
        "CreateSchedulingPolicy", {"name": "fifo", "quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}
    )
    batch.checked_call(
        "CreateServiceEnvironment",
        {"serviceEnvironmentName": "gpus", "serviceEnvironmentType": "SAGEMAKER_TRAINING", "capacityLimits": limits},
    )
    batch.advance(seconds)
    batch.checked_call(
        "CreateJobQueue",
        {
            "jobQueueName": "training",
            "jobQueueType": "SAGEMAKER_TRAINING",
            "priority": 1,
            "schedulingPolicyArn": "arn:aws:batch:eu-west-1:000000000000:scheduling-policy/fifo",
            "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "gpus"}],
        },
    )
    batch.advance(seconds)
    return account


def share_members(name: str, limit: int = 1, **more: Any) -> dict[str, Any]:
    """The members of CreateQuotaShare."""
    return {
        "quotaShareName": name,
        "jobQueue": QUEUE_ARN,
        "capacityLimits": [{"capacityUnit": G5, "maxCapacity": limit}],
        "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": 200},
        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
        **more,
    }


def make_share(account: Account, name: str, limit: int = 1, **more: Any) -> None:
    account.batch.checked_call("CreateQuotaShare", share_members(name, limit, **more))
    account.batch.advance(5)


def submit(
    account: Account, share: str, name: str, instances: int = 1, seconds: int = 36000, advance: int = 30, **more: Any
) -> str:
    """Submit a job and let it be dispatched if it can; with `advance=0` it stays SUBMITTED."""
    payload = {
        "TrainingJobName": name,
        "ResourceConfig": {"InstanceType": G5, "InstanceCount": instances, "VolumeSizeInGB": 1},
        "StoppingCondition": {"MaxRuntimeInSeconds": seconds},
    }
    answer = account.batch.checked_call(
        "SubmitServiceJob",
        {
            "jobName": name,
            "jobQueue": QUEUE_ARN,
            "quotaShareName": share,
            "serviceJobType": "SAGEMAKER_TRAINING",
            "serviceRequestPayload": json.dumps(payload),
            "schedulingPriority": 1,
            **more,
        },
    )
    account.batch.advance(advance)
    return answer["jobId"]


def job_status(account: Account, job_id: str) -> str:
    return account.batch.checked_call("DescribeServiceJob", {"jobId": job_id})["status"]


def share_properties(
    name: str = "QS1",
    limit: Any = 1,
    strategy: str = "LEND_AND_BORROW",
    borrow: int | None = 200,
    state: str = "ENABLED",
    on_removal: str = "REFUSE_IF_BUSY",
    adopt: bool = False,
    tags: Mapping[str, str] | None = None,
    queue: str = QUEUE_ARN,
    version: Any = 1,
    in_share: str = "ENABLED",
) -> dict[str, Any]:
    """Properties of a `Custom::QuotaShare`, as CloudFormation sends them."""
    sharing: dict[str, Any] = {"strategy": strategy}
    if borrow is not None and strategy == "LEND_AND_BORROW":
        sharing["borrowLimit"] = borrow
    share = {
        "version": version,
        "quotaShareName": name,
        "capacityLimits": [{"capacityUnit": G5, "maxCapacity": limit}],
        "resourceSharingConfiguration": sharing,
        "preemptionConfiguration": {"inSharePreemption": in_share},
        "state": state,
        "tags": dict(tags or {}),
    }
    return {
        "ServiceToken": "arn:aws:lambda:eu-west-1:000000000000:function:handler",
        "ServiceTimeout": "660",
        "Share": json.dumps(share, separators=(",", ":")),
        "JobQueue": queue,
        "OnRemoval": on_removal,
        "AdoptExisting": "true" if adopt else "false",
    }


def event(
    request_type: str,
    properties: Mapping[str, Any],
    old: Mapping[str, Any] | None = None,
    physical_id: str | None = None,
    logical_id: str = "QS1",
    request_id: str = "req-1",
    stack_id: str = STACK_ID,
    resource_type: str = "Custom::QuotaShare",
) -> dict[str, Any]:
    """An event as CloudFormation sends it."""
    made: dict[str, Any] = {
        "RequestType": request_type,
        "RequestId": request_id,
        "ResponseURL": "https://answers.test/where?Signature=secret",
        "StackId": stack_id,
        "LogicalResourceId": logical_id,
        "ResourceType": resource_type,
        "ResourceProperties": dict(properties),
    }
    if physical_id is not None:
        made["PhysicalResourceId"] = physical_id
    if old is not None:
        made["OldResourceProperties"] = dict(old)
    return made


@dataclass
class Answered:
    """An answer, and the body that was put for it."""

    answer: Answer
    body: dict[str, Any]
    url: str
    size: int


def handle(account: Account, made: Mapping[str, Any], seconds: float = 600.0) -> Answered:
    """Serve an event; exactly one answer must come."""
    puts: list[tuple[str, bytes]] = []
    answer = serve(
        made,
        Context(account, seconds),
        Surroundings(
            lambda: account.clients,
            lambda url, body: puts.append((url, body)),
            account.batch.advance,
            account.batch.now,
            account.blocked,
        ),
    )
    assert len(puts) == 1
    ((url, body),) = puts
    return Answered(answer, json.loads(body), url, len(body))


def proposal(
    shares: Mapping[str, Any],
    environment: Mapping[str, int] | None = None,
    imported: bool = False,
    **queue: Any,
) -> str:
    """The property `Proposal`, with one queue; a share is a limit, or a mapping of what differs from the default."""
    made = []
    for name, given in shares.items():
        members = {"limit": given} if isinstance(given, int) else dict(given)
        strategy = members.get("strategy", "LEND_AND_BORROW")
        sharing = {"strategy": strategy}
        if strategy == "LEND_AND_BORROW":
            sharing["borrowLimit"] = members.get("borrow", 200)
        made.append(
            {
                "path": f"ml/Training/{name}",
                "logicalId": members.get("logical_id", name),
                "name": members.get("name", name),
                "capacityLimits": [{"capacityUnit": G5, "maxCapacity": members.get("limit", 1)}],
                "resourceSharingConfiguration": sharing,
                "preemptionConfiguration": {"inSharePreemption": members.get("in_share", "ENABLED")},
                "state": members.get("state", "ENABLED"),
                "lifecycle": members.get("lifecycle", "MANAGED"),
                "onRemoval": members.get("on_removal", "REFUSE_IF_BUSY"),
            }
        )
    limits = [{"capacityUnit": unit, "maxCapacity": amount} for unit, amount in (environment or {G5: 3}).items()]
    owned = {
        "queue": {
            "logicalId": queue.get("queue_id", "Queue"),
            "name": queue.get("queue_name"),
            "arn": None,
            "state": "ENABLED",
        },
        "environment": {"logicalId": "Gpus", "name": None, "state": "ENABLED", "capacityLimits": limits},
        "schedulingPolicy": {"logicalId": "Fifo", "name": None},
    }
    foreign = {"queue": {"arn": QUEUE_ARN}, "environment": None, "schedulingPolicy": None}
    if "removal_policy" in queue:
        owned["queue"]["removalPolicy"] = queue["removal_policy"]
    entry = {
        "path": "ml/Training",
        **(foreign if imported else owned),
        "jobStateTimeLimitActions": [],
        "allowOversubscription": queue.get("allow_oversubscription", False),
        "shares": made,
    }
    return json.dumps({"version": 1, "queues": [entry]}, separators=(",", ":"))


def guard_properties(
    proposal_text: str, policy: Mapping[str, Any] | None = None, acknowledge: str = ""
) -> dict[str, Any]:
    """Properties of a `Custom::QuotaGuard`, as CloudFormation sends them."""
    return {
        "ServiceToken": "arn:aws:lambda:eu-west-1:000000000000:function:handler",
        "ServiceTimeout": "660",
        "Proposal": proposal_text,
        "Policy": json.dumps({"version": 1, **(policy or {})}),
        "Acknowledge": acknowledge,
    }


def guard_event(
    request_type: str, properties: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """An event for the guard."""
    return event(
        request_type,
        properties,
        old,
        physical_id=None if request_type == "Create" else "quota-guard",
        logical_id="Guard",
        request_id="guard-1",
        resource_type="Custom::QuotaGuard",
    )


def set_resources(account: Account, shares: Mapping[str, str], stack_id: str = STACK_ID, *, queue: bool = True) -> None:
    """Let a stack have shares (logical id to name), and its queue and environment."""
    listed = [("Custom::QuotaShare", logical_id, share_arn(name)) for logical_id, name in shares.items()]
    if queue:
        listed += [
            ("AWS::Batch::JobQueue", "Queue", QUEUE_ARN),
            ("AWS::Batch::ServiceEnvironment", "Gpus", ENVIRONMENT_ARN),
            ("AWS::Lambda::Function", "Handler", "handler"),
        ]
    account.resources[stack_id] = [
        {
            "LogicalResourceId": logical_id,
            "PhysicalResourceId": physical_id,
            "ResourceType": resource_type,
            "ResourceStatus": "CREATE_COMPLETE",
        }
        for resource_type, logical_id, physical_id in listed
    ]
