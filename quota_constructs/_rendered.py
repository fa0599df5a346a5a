"""What a template says about the queues and shares of a stack, against what the guard of the stack is told."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs import _tags
from quota_constructs._template_values import canonical, document_of, plain
from quota_constructs.construct_rules import AS_PROPOSED, GATED, ConstructRule
from quota_scheduler.rules import RULES as QUEUE_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_GUARD_TYPE = "Custom::QuotaGuard"
_INSTEAD = {
    "Policy": "give the queue another ChangeGuard",
    "Acknowledge": "acknowledge with the context key quota-acknowledge or the parameter QuotaAcknowledge",
    "ServiceToken": "set the handler's options with QuotaHandler.of",
}
_TAGS = ConstructRule(_tags.RULE, QUEUE_RULES[_tags.RULE].title)
_SHARE_TYPES = {"MANAGED": "Custom::QuotaShare", "NATIVE": "AWS::Batch::QuotaShare"}
_PARTS = ("capacityLimits", "preemptionConfiguration", "quotaShareName", "resourceSharingConfiguration", "state")
_JOB_TYPE = "SAGEMAKER_TRAINING"
_FIXED: "Mapping[str, Mapping[str, object]]" = {
    "AWS::Batch::JobQueue": {"jobQueueType": _JOB_TYPE, "computeEnvironmentOrder": None},
    "AWS::Batch::ServiceEnvironment": {"serviceEnvironmentType": _JOB_TYPE},
    "AWS::Batch::SchedulingPolicy": {
        "quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"},
        "fairsharePolicy": None,
    },
}
"""What a queue with quota shares must be, whatever else is declared, by the type of the resource."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A resource that is not as it should be.

    Args:
        rule: The rule that says so.
        message: What is wrong, and what to change.
        logical_id: Name of the resource in the template.
    """

    rule: ConstructRule
    message: str
    logical_id: str


def breaches(
    template: "Mapping[str, Any]", guard: str, guard_properties: "Mapping[str, Any]", declared: "Mapping[str, str]"
) -> "Iterator[Breach]":
    """Find what does not wait for the guard, or differs from what the guard is told.

    Args:
        template: The template as it was written.
        guard: Logical id of the guard.
        guard_properties: What the guard was made with, beside its proposal.
        declared: Logical ids of the queues, environments, policies and shares of the constructs.
    """
    resources: Mapping[str, Any] = template.get("Resources", {})
    yield from _changed_guard(guard, resources.get(guard, {}), guard_properties)
    try:
        proposal = document_of(resources.get(guard, {}).get("Properties", {}).get("Proposal"))
    except ValueError as error:
        yield Breach(AS_PROPOSED, f"the proposal of the guard is overridden, and {error}; drop the override", guard)
        return
    told = dict(told_resources(proposal))
    for logical_id in declared:
        if logical_id not in told:
            yield Breach(AS_PROPOSED, f"the guard is not told of {logical_id}; drop the override", logical_id)
    for logical_id, wanted in told.items():
        if logical_id not in resources:
            yield Breach(AS_PROPOSED, f"the guard is told of {logical_id}, which is not in the template", logical_id)
            continue
        yield from _differences(logical_id, resources, wanted)
        if "Custom::QuotaShare" in (wanted["Type"], resources[logical_id].get("Type")):
            yield from _changed(logical_id, resources[logical_id], {"ServiceToken": guard_properties["ServiceToken"]})
        if "Condition" in resources[logical_id]:
            message = (
                f"{logical_id} has the condition {resources[logical_id]['Condition']}, and the guard is told of it as "
                "if it always held; leave the construct out with an `if` in Python instead of a condition"
            )
            yield Breach(AS_PROPOSED, message, logical_id)
        if guard not in _list(resources[logical_id].get("DependsOn")):
            message = f"{logical_id} does not depend on {guard} and would change unchecked; put the dependency back"
            yield Breach(GATED, message, logical_id)
    for logical_id, message in _tags.rendered_problems(template, declared):
        yield Breach(_TAGS, message, logical_id)


def _changed_guard(
    logical_id: str, resource: "Mapping[str, Any]", properties: "Mapping[str, Any]"
) -> "Iterator[Breach]":
    if resource.get("Type") != _GUARD_TYPE:
        message = f"Type of {logical_id} is {plain(resource.get('Type'))}, not {_GUARD_TYPE}; drop the override"
        yield Breach(GATED, message, logical_id)
        return
    if "Condition" in resource:
        message = (
            f"{logical_id} has the condition {resource['Condition']}, and nothing waits for the guard while it does "
            "not hold; drop the condition"
        )
        yield Breach(GATED, message, logical_id)
    yield from _changed(logical_id, resource, properties)


def _changed(logical_id: str, resource: "Mapping[str, Any]", properties: "Mapping[str, Any]") -> "Iterator[Breach]":
    """Find properties that are not what a resource of this library was made with."""
    found = resource.get("Properties", {})
    for name, value in properties.items():
        if canonical(found.get(name)) != canonical(value):
            message = (
                f"{name} of {logical_id} is {plain(canonical(found.get(name)))} in the template, it was made with "
                f"{plain(canonical(value))}; {_INSTEAD[name]}, not with an override"
            )
            yield Breach(AS_PROPOSED, message, logical_id)


def _differences(logical_id: str, resources: "Mapping[str, Any]", wanted: "Mapping[str, Any]") -> "Iterator[Breach]":
    found = _found(resources[logical_id], resources)
    for name, value in _FIXED.get(wanted["Type"], {}).items():
        if found.get(name) != value:
            message = (
                f"{name} of {logical_id} is {plain(found.get(name))} in the template, quota shares need "
                f"{plain(value) if value is not None else 'it to be missing'}; drop the override"
            )
            yield Breach(AS_PROPOSED, message, logical_id)
    for name, value in wanted.items():
        if found.get(name) != value and not (name == "jobQueue" and _same_queue(resources[logical_id], value)):
            message = (
                f"{name} of {logical_id} is {plain(found.get(name))} in the template, the guard is told "
                f"{plain(value)}; change it with the parameters of the construct, not with an override"
            )
            yield Breach(AS_PROPOSED, message, logical_id)


def told_resources(proposal: "Mapping[str, Any]") -> "Iterator[tuple[str, dict[str, Any]]]":
    """Give every resource in a proposal: its logical id and what it should be.

    Args:
        proposal: The document, in the form of `_template_values`.
    """
    for queue in proposal.get("queues", ()):
        own = queue["queue"].get("logicalId")
        if own is not None:
            environment, policy = queue["environment"], queue["schedulingPolicy"]
            yield (
                _text(own),
                {
                    "Type": "AWS::Batch::JobQueue",
                    "jobQueueName": queue["queue"].get("name"),
                    "state": queue["queue"]["state"],
                    "removal policy": queue["queue"]["removalPolicy"],
                    "jobStateTimeLimitActions": queue["jobStateTimeLimitActions"],
                    "schedulingPolicyArn": policy["logicalId"],
                    "serviceEnvironmentOrder": [environment["logicalId"]],
                },
            )
            yield (
                _text(environment["logicalId"]),
                {
                    "Type": "AWS::Batch::ServiceEnvironment",
                    "serviceEnvironmentName": environment.get("name"),
                    "state": environment["state"],
                    "removal policy": environment["removalPolicy"],
                    "capacityLimits": environment["capacityLimits"],
                },
            )
            yield (
                _text(policy["logicalId"]),
                {"Type": "AWS::Batch::SchedulingPolicy", "name": policy.get("name")},
            )
        for share in queue["shares"]:
            yield _text(share["logicalId"]), _told_share(share, own or queue["queue"].get("arn"))


def _told_share(share: "Mapping[str, Any]", queue: object) -> dict[str, Any]:
    kind = _SHARE_TYPES.get(share["lifecycle"], "")
    told = {"Type": kind, "jobQueue": queue, "quotaShareName": share["name"]}
    told |= {part: share[part] for part in _PARTS if part != "quotaShareName"}
    if kind.startswith("Custom"):
        return told | {"onRemoval": share["onRemoval"]}
    return told | {"removal policy": "RETAIN" if share["onRemoval"] == "RETAIN" else "DESTROY"}


def _same_queue(share: "Mapping[str, Any]", told: object) -> bool:
    """Say whether a share's queue is the one that is told by its ARN, also if that refers to a resource."""
    return bool(canonical(share.get("Properties", {}).get("JobQueue")) == told)


def _found(resource: "Mapping[str, Any]", resources: "Mapping[str, Any]") -> dict[str, Any]:
    """Give what the template says of a resource, in the names of a proposal."""
    properties = {_camel(name): _members(canonical(value)) for name, value in resource.get("Properties", {}).items()}
    for reference in ("jobQueue", "schedulingPolicyArn"):
        if reference in properties:
            target = _target(resource["Properties"][f"{reference[:1].upper()}{reference[1:]}"], resources)
            properties[reference] = target or properties[reference]
    if isinstance(properties.get("serviceEnvironmentOrder"), list):
        entries = resource["Properties"]["ServiceEnvironmentOrder"]
        properties["serviceEnvironmentOrder"] = [
            _target(entry.get("ServiceEnvironment"), resources) or canonical(entry.get("ServiceEnvironment"))
            for entry in entries
        ]
    properties.setdefault("jobStateTimeLimitActions", [])
    retained = all(str(resource.get(name)).startswith("Retain") for name in ("DeletionPolicy", "UpdateReplacePolicy"))
    if resource.get("Type") == "Custom::QuotaShare":
        properties |= _share_document(resource["Properties"].get("Share"))
        if retained:  # then the handler is not called when the share is removed
            properties["onRemoval"] = "RETAIN"
    return properties | {
        "Type": str(resource.get("Type")),
        "removal policy": "RETAIN" if retained else "DESTROY",
    }


def _share_document(text: object) -> dict[str, Any]:
    try:
        return document_of(text)
    except ValueError:
        return dict.fromkeys(_PARTS)


def _target(value: object, resources: "Mapping[str, Any]") -> str | None:
    """Give the resource of the template that a value refers to, whatever attribute it takes."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    target = value.get("Ref") or value.get("Fn::GetAtt")
    name = target[0] if isinstance(target, list) else target
    return name if isinstance(name, str) and name in resources else None


def _members(value: object) -> Any:  # noqa: ANN401  # JSON
    """Bring the names of members to the spelling of a proposal, and numbers to numbers."""
    if isinstance(value, list):
        return [_members(item) for item in value]
    if isinstance(value, dict):
        return {_camel(name): _members(member) for name, member in value.items()}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _camel(name: str) -> str:
    return name[:1].lower() + name[1:]


def _text(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
