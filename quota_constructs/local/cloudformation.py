"""CloudFormation's four Batch types of quota management, in terms of the Batch API.

Physical ids are ARNs. Property names begin with a capital, members of the API do not; tags stay as they are. Like the
service's own handlers, these disable a resource before they delete it. What they make is VALID, and what they delete
is gone, when they return: the local cloud does not let CloudFormation wait.
Source: CloudFormation Template Reference and resource schemas.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs.local.errors import ClientException, NotThereError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.batch import LocalBatch

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ResourceType:
    """How CloudFormation handles one resource type.

    Args:
        name: `AWS::Batch::…`.
        suffix: what the operations' names end with.
        identifier: member of the update and delete operations that names the resource.
        arn: member of the create operation's answer that holds the ARN.
        attribute: the attribute that `Fn::GetAtt` gives.
        name_property: property with the user's name for it.
        create_only: properties whose change replaces the resource.
        has_state: whether it must be disabled before it can be deleted.
    """

    name: str
    suffix: str
    identifier: str
    arn: str
    attribute: str
    name_property: str
    create_only: tuple[str, ...]
    has_state: bool = True

    def create(self, batch: LocalBatch, stack: str, logical_id: str, properties: Properties) -> tuple[str, Properties]:
        """Create the resource; gives its physical id and attributes."""
        named = {self.name_property: generated_name(stack, logical_id)} | properties
        answer = self._call(batch, "Create", to_members(named))
        arn = str(answer[self.arn])
        batch.reach_lasting_status(arn)
        return arn, {self.attribute: arn}

    def update(self, batch: LocalBatch, arn: str, old: Properties, new: Properties) -> tuple[str, Properties]:
        """Update the resource in place; gives its physical id and attributes."""
        ignored = {*self.create_only, "Tags"}
        changed = {name: new[name] for name in new if name not in ignored and new[name] != old.get(name)}
        for name in old.keys() - new.keys() - ignored:
            if name == "State":
                changed[name] = "ENABLED"
            elif name == "JobStateTimeLimitActions":
                changed[name] = []
        if changed:
            self._call(batch, "Update", {self.identifier: arn, **to_members(changed)})
            batch.reach_lasting_status(arn)
        _update_tags(batch, arn, old.get("Tags") or {}, new.get("Tags") or {})
        return arn, {self.attribute: arn}

    def delete(self, batch: LocalBatch, arn: str) -> None:
        """Delete the resource; one that is not there is no error."""
        try:
            if self.has_state:
                self._call(batch, "Update", {self.identifier: arn, "state": "DISABLED"})
                batch.reach_lasting_status(arn)
            self._call(batch, "Delete", {self.identifier: arn})
            batch.reach_lasting_status(arn)
        except NotThereError:
            return

    def missing(self, batch: LocalBatch, arn: str) -> str | None:
        """Say why a resource cannot be imported; None if it can."""
        try:
            batch.checked_call("ListTagsForResource", {"resourceArn": arn})
        except ClientException:
            return f"Resource of type '{self.name}' with identifier '{arn}' was not found."
        return None

    def _call(self, batch: LocalBatch, verb: str, members: Properties) -> Properties:
        return batch.checked_call(f"{verb}{self.suffix}", members)


def generated_name(stack: str, logical_id: str) -> str:
    """A name for a resource that the template does not name: stack, logical id and something random."""
    return f"{stack}-{logical_id}"[:113] + f"-{secrets.token_hex(6)}"


def to_members(properties: Mapping[str, Any]) -> Properties:
    """Turn properties into members of the API: lower case initials, numbers that came as strings."""
    return {
        _initial(name): value if name == "Tags" else _to_value(name, value)
        for name, value in properties.items()
        if value is not None
    }


_NUMBERS = {
    "Priority",
    "MaxCapacity",
    "BorrowLimit",
    "Order",
    "MaxTimeSeconds",
    "ShareDecaySeconds",
    "ComputeReservation",
}


def _to_value(name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {_initial(key): _to_value(key, item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_to_value(name, item) for item in value]
    if name in _NUMBERS and isinstance(value, str) and value.lstrip("-").isdecimal():
        return int(value)
    return value


def _initial(name: str) -> str:
    return name[:1].lower() + name[1:]


def _update_tags(batch: LocalBatch, arn: str, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    added = {key: value for key, value in new.items() if old.get(key) != value}
    removed = [key for key in old if key not in new]
    if added:
        batch.checked_call("TagResource", {"resourceArn": arn, "tags": added})
    if removed:
        batch.checked_call("UntagResource", {"resourceArn": arn, "tagKeys": removed})


RESOURCE_TYPES = (
    ResourceType(
        name="AWS::Batch::SchedulingPolicy",
        suffix="SchedulingPolicy",
        identifier="arn",
        arn="arn",
        attribute="Arn",
        name_property="Name",
        create_only=("Name",),
        has_state=False,
    ),
    ResourceType(
        name="AWS::Batch::ServiceEnvironment",
        suffix="ServiceEnvironment",
        identifier="serviceEnvironment",
        arn="serviceEnvironmentArn",
        attribute="ServiceEnvironmentArn",
        name_property="ServiceEnvironmentName",
        create_only=("ServiceEnvironmentName", "ServiceEnvironmentType"),
    ),
    ResourceType(
        name="AWS::Batch::JobQueue",
        suffix="JobQueue",
        identifier="jobQueue",
        arn="jobQueueArn",
        attribute="JobQueueArn",
        name_property="JobQueueName",
        create_only=("JobQueueName", "JobQueueType"),
    ),
    ResourceType(
        name="AWS::Batch::QuotaShare",
        suffix="QuotaShare",
        identifier="quotaShareArn",
        arn="quotaShareArn",
        attribute="QuotaShareArn",
        name_property="QuotaShareName",
        create_only=("QuotaShareName", "JobQueue"),
    ),
)
"""The types the local cloud learns."""
