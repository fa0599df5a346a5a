"""Batch resources that a template declares directly, as queues of a proposal.

A queue belongs here when it is of type `SAGEMAKER_TRAINING` and is shared out by quota shares: its scheduling policy
is one for quota shares, or a quota share of the template is attached to it. Shares on a queue of another stack form a
queue that is known by its ARN alone.

Source: CloudFormation template reference of `AWS::Batch::JobQueue`, `ServiceEnvironment`, `SchedulingPolicy` and
`QuotaShare`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.intrinsics import Scope, holds, resolve
from quota_constructs.assembly.json_texts import parse_text
from quota_constructs.assembly.values import Partial, Reference, Unknown, Value, is_hole, members_of, resources_in
from quota_scheduler.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

JOB_QUEUE = "AWS::Batch::JobQueue"
ENVIRONMENT = "AWS::Batch::ServiceEnvironment"
POLICY = "AWS::Batch::SchedulingPolicy"
NATIVE_SHARE = "AWS::Batch::QuotaShare"
MANAGED_SHARE = "Custom::QuotaShare"
TYPES = (JOB_QUEUE, ENVIRONMENT, POLICY, NATIVE_SHARE, MANAGED_SHARE)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a template with its properties worked out as far as they can be."""

    logical_id: str
    type: str
    path: str
    properties: Mapping[str, Value]
    retained: bool = False
    """Whether it is kept when it is no longer declared, or is replaced."""
    condition: str = ""
    """Name of the condition that decides at the deployment whether it exists; empty where it is sure to."""


def resources_of(scope: Scope, types: Iterable[str] = TYPES, label: str = "") -> dict[str, Resource]:
    """Give the resources of the template that are of these types and will exist, by logical id.

    Args:
        scope: The template and what it is resolved against.
        types: The resource types that are looked for.
        label: The stack's path; stands in front of logical ids of resources that carry no construct path.
    """
    wanted = frozenset(types)
    found = {}
    for logical_id, resource in resources_in(scope.template).items():
        condition = resource.get("Condition")
        kind = resource.get("Type")
        if not isinstance(kind, str) or kind not in wanted:
            continue
        exists = condition is None or holds(condition, scope)
        if exists is False:
            continue
        properties = resolve(resource.get("Properties") or {}, scope)
        found[logical_id] = Resource(
            logical_id,
            kind,
            _construct_path(resource, f"{label}/{logical_id}" if label else logical_id),
            properties if isinstance(properties, dict) else {},
            all(str(resource.get(name)).startswith("Retain") for name in ("DeletionPolicy", "UpdateReplacePolicy")),
            "" if exists is True else str(condition),
        )
    return found


def _construct_path(resource: Mapping[str, Value], otherwise: str) -> str:
    path = members_of(resource.get("Metadata")).get("aws:cdk:path")
    return path.removesuffix("/Resource").removesuffix("/Default") if isinstance(path, str) else otherwise


def raw_queues(resources: Mapping[str, Resource]) -> list[dict[str, Value]]:
    """Give the queues that these resources declare, in the form of a proposal's `queues`.

    Args:
        resources: The Batch resources of one template, by logical id.

    Returns:
        One document a queue. What is not known before the deployment stands in it as an `Unknown`, a `Reference` or a
        `Partial`.

    Raises:
        AssemblyError: The text that declares a managed share is no JSON object.
    """
    queues: dict[str, dict[str, Value]] = {}
    for resource in resources.values():
        if resource.type == JOB_QUEUE and _is_shared_out(resource, resources):
            queues[resource.logical_id] = _queue(resource, resources)
    for resource in resources.values():
        if resource.type in (NATIVE_SHARE, MANAGED_SHARE):
            _queue_of_share(resource, queues)["shares"].append(_share(resource))
    return list(queues.values())


def _is_shared_out(queue: Resource, resources: Mapping[str, Resource]) -> bool:
    policy = referred(queue.properties.get("SchedulingPolicyArn"), resources, POLICY)
    if policy is not None:
        return "QuotaSharePolicy" in policy.properties
    return any(
        share.type in (NATIVE_SHARE, MANAGED_SHARE) and _points_at(share.properties.get("JobQueue"), queue.logical_id)
        for share in resources.values()
    )


def referred(value: Value, resources: Mapping[str, Resource], kind: str) -> Resource | None:
    """Give the resource that a property refers to; None where it refers to none of this type in the template.

    Args:
        value: The property, worked out.
        resources: The resources of the template.
        kind: The resource type that is meant.
    """
    if not isinstance(value, Reference):
        return None
    found = resources.get(value.logical_id)
    return found if found is not None and found.type == kind else None


def _points_at(value: Value, logical_id: str) -> bool:
    return isinstance(value, Reference) and not value.stack and value.logical_id == logical_id


def _queue(queue: Resource, resources: Mapping[str, Resource]) -> dict[str, Value]:
    properties = queue.properties
    return {
        "path": queue.path,
        "queue": {
            "logicalId": queue.logical_id,
            "name": properties.get("JobQueueName"),
            "arn": None,
            "state": properties.get("State", "ENABLED"),
            "removalPolicy": _removal(queue),
        },
        "environment": _environment(properties, resources),
        "schedulingPolicy": _policy(properties, resources),
        "jobStateTimeLimitActions": [_members(action, _ACTION) for action in _objects(properties, _ACTIONS)],
        "allowOversubscription": False,
        "shares": [],
    }


_ACTIONS = "JobStateTimeLimitActions"
_ACTION = {"Reason": "reason", "State": "state", "MaxTimeSeconds": "maxTimeSeconds", "Action": "action"}
_SHARING = {"Strategy": "strategy", "BorrowLimit": "borrowLimit"}
_PREEMPTION = {"InSharePreemption": "inSharePreemption"}
_LIMIT = {"CapacityUnit": "capacityUnit", "MaxCapacity": "maxCapacity"}


def _objects(properties: Mapping[str, Value], name: str) -> Iterator[Mapping[str, Value]]:
    items = properties.get(name)
    return (item for item in items if isinstance(item, dict)) if isinstance(items, list) else iter(())


def _members(value: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    return {ours: _whole(value[theirs]) for theirs, ours in names.items() if theirs in value}


def _object(properties: Mapping[str, Value], name: str, names: Mapping[str, str], **defaults: str) -> Value:
    """Give an object of the properties; one that is not known stays as it is."""
    value = properties.get(name)
    return value if is_hole(value) else {**defaults, **_members(members_of(value), names)}


def _whole(value: Value) -> Value:
    """Numbers may arrive as texts: CloudFormation takes both."""
    number = whole_number(value)
    return value if number is None else number


def _limits(properties: Mapping[str, Value]) -> Value:
    limits = properties.get("CapacityLimits", [])
    if not isinstance(limits, list):
        return limits
    return [_members(limit, _LIMIT) if isinstance(limit, dict) else limit for limit in limits]


def _environment(properties: Mapping[str, Value], resources: Mapping[str, Resource]) -> dict[str, Value] | None:
    order = next(_objects(properties, "ServiceEnvironmentOrder"), {})
    environment = referred(order.get("ServiceEnvironment"), resources, ENVIRONMENT)
    if environment is None:
        return None
    return {
        "logicalId": environment.logical_id,
        "name": environment.properties.get("ServiceEnvironmentName"),
        "state": environment.properties.get("State", "ENABLED"),
        "capacityLimits": _limits(environment.properties),
        "removalPolicy": _removal(environment),
    }


def _removal(resource: Resource) -> str:
    return "RETAIN" if resource.retained else "DESTROY"


def _policy(properties: Mapping[str, Value], resources: Mapping[str, Resource]) -> dict[str, Value] | None:
    policy = referred(properties.get("SchedulingPolicyArn"), resources, POLICY)
    return None if policy is None else {"logicalId": policy.logical_id, "name": policy.properties.get("Name")}


def _queue_of_share(share: Resource, queues: dict[str, dict[str, Value]]) -> dict[str, Value]:
    target = share.properties.get("JobQueue")
    for logical_id, queue in queues.items():
        if _points_at(target, logical_id) or (isinstance(target, str) and target == queue["queue"]["name"]):
            return queue
    key = f"arn {target}"
    if key not in queues:
        queues[key] = {
            "path": share.path.rpartition("/")[0] or share.path,
            "queue": {"logicalId": None, "name": None, "arn": target, "state": "ENABLED"},
            "environment": None,
            "schedulingPolicy": None,
            "jobStateTimeLimitActions": [],
            "allowOversubscription": False,
            "shares": [],
        }
    return queues[key]


def _share(share: Resource) -> dict[str, Value]:
    declared = _declaration(share)
    managed = share.type == MANAGED_SHARE
    return {
        "path": share.path,
        "logicalId": share.logical_id,
        "name": declared.get("QuotaShareName"),
        "capacityLimits": _limits(declared),
        "resourceSharingConfiguration": _object(declared, "ResourceSharingConfiguration", _SHARING),
        "preemptionConfiguration": _object(
            declared, "PreemptionConfiguration", _PREEMPTION, inSharePreemption="DISABLED"
        ),
        "state": declared.get("State", "ENABLED"),
        "lifecycle": "MANAGED" if managed else "NATIVE",
        "onRemoval": share.properties.get("OnRemoval", "REFUSE_IF_BUSY") if managed else "TERMINATE",
    }


def _declaration(share: Resource) -> Mapping[str, Value]:
    if share.type == NATIVE_SHARE:
        return share.properties
    text = share.properties.get("Share")
    if isinstance(text, Unknown | Reference):
        return {"CapacityLimits": text}
    what = f"the share of {share.path}"
    declared = parse_text(text, what) if isinstance(text, str | Partial) else None
    if not isinstance(declared, dict):
        raise AssemblyError(f"{what} is no JSON object")
    members: dict[str, Value] = _pascal(declared)
    return members


def _pascal(value: Value) -> Value:
    if isinstance(value, list):
        return [_pascal(item) for item in value]
    if isinstance(value, dict):
        return {name[:1].upper() + name[1:]: _pascal(member) for name, member in value.items()}
    return value
