"""A CloudFormation custom resource event as a value.

CloudFormation turns every scalar of the properties into text and leaves out what is empty, so that what is missing
counts as empty here. Source: Template Reference, custom resource request objects; what is missing: aws-cdk #37784.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CREATE = "Create"
UPDATE = "Update"
DELETE = "Delete"
REQUEST_TYPES = (CREATE, UPDATE, DELETE)

GUARD_ID = "quota-guard"
"""Physical id of every guard, for ever."""

FAILED_CREATE = "create-failed/"
"""Start of the physical id of a Create that failed; the request id follows."""


class RequestError(ValueError):
    """An event that CloudFormation would not send."""


@dataclass(frozen=True, slots=True)
class Request:
    """What CloudFormation asks for.

    Args:
        request_type: `Create`, `Update` or `Delete`.
        request_id: the same for every delivery of one request.
        response_url: where the answer goes; it is a secret and is not shown.
        stack_id: ARN of the stack.
        logical_id: of the resource in its template.
        resource_type: for example `Custom::QuotaShare`.
        physical_id: the id that the last answer gave; None for a Create.
        properties: as they are to be; for a Delete as they were.
        old_properties: as they were before an Update, else empty.
    """

    request_type: str
    request_id: str
    response_url: str
    stack_id: str
    logical_id: str
    resource_type: str
    physical_id: str | None
    properties: Mapping[str, object]
    old_properties: Mapping[str, object]

    def __repr__(self) -> str:
        return f"Request({self.request_type} {self.resource_type} {self.logical_id} of {self.stack_id})"

    @property
    def stack_name(self) -> str:
        """Name of the stack."""
        parts = self.stack_id.split("/")
        return parts[1] if len(parts) > 1 else self.stack_id

    def text(self, name: str) -> str:
        """Give a property that is a text; empty where it is missing or no text."""
        return _text(self.properties.get(name))

    def old_text(self, name: str) -> str:
        """Give a property as it was before an Update; empty where it is missing or no text."""
        return _text(self.old_properties.get(name))


def parse_request(event: Mapping[str, object]) -> Request:
    """Read an event.

    Args:
        event: as Lambda gets it.

    Returns:
        The request.

    Raises:
        RequestError: a member is missing that CloudFormation always sends.
    """
    needed = ("RequestType", "RequestId", "ResponseURL", "StackId", "LogicalResourceId", "ResourceType")
    missing = [name for name in needed if not _text(event.get(name))]
    if missing:
        raise RequestError(f"not an event of a custom resource: {', '.join(missing)} missing")
    request_type = _text(event["RequestType"])
    if request_type not in REQUEST_TYPES:
        raise RequestError(f"RequestType must be one of {', '.join(REQUEST_TYPES)}, got {request_type}")
    return Request(
        request_type=request_type,
        request_id=_text(event["RequestId"]),
        response_url=_text(event["ResponseURL"]),
        stack_id=_text(event["StackId"]),
        logical_id=_text(event["LogicalResourceId"]),
        resource_type=_text(event["ResourceType"]),
        physical_id=_text(event.get("PhysicalResourceId")) or None,
        properties=_mapping(event.get("ResourceProperties")),
        old_properties=_mapping(event.get("OldResourceProperties")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return MappingProxyType(dict(value)) if isinstance(value, dict) else MappingProxyType({})
