"""The resources that a stack has, as CloudFormation lists them."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from quota_live.clients import Clients

JOB_QUEUE = "AWS::Batch::JobQueue"
SERVICE_ENVIRONMENT = "AWS::Batch::ServiceEnvironment"
NATIVE_SHARE = "AWS::Batch::QuotaShare"
MANAGED_SHARE = "Custom::QuotaShare"
SHARE_TYPES = (NATIVE_SHARE, MANAGED_SHARE)


@dataclass(frozen=True, slots=True)
class StackResource:
    """One resource of a stack.

    Args:
        logical_id: in the template.
        resource_type: for example `AWS::Batch::JobQueue`.
        physical_id: the ARN for the types that matter here.
    """

    logical_id: str
    resource_type: str
    physical_id: str

    @property
    def queue_arn(self) -> str:
        """ARN of the queue of a share; empty for what is none."""
        return self.physical_id.partition("/quota-share/")[0] if "/quota-share/" in self.physical_id else ""

    @property
    def share_name(self) -> str:
        """Name of a share; empty for what is none."""
        return self.physical_id.partition("/quota-share/")[2]


def read_stack(clients: Clients, stack: str) -> tuple[StackResource, ...]:
    """List the live Batch resources of a stack.

    Args:
        clients: of the account.
        stack: name or id.

    Returns:
        Queues, environments and shares that exist, in the order of the list.

    Raises:
        NotFoundError: there is no such stack.
        LiveError: the stack could not be read.
    """
    from quota_live.clients import call  # not needed, and not loaded, for plans of states that are at hand

    list_resources: Callable[..., Any] = clients.cloudformation.list_stack_resources
    found: list[StackResource] = []
    token: str | None = None
    while True:
        extra = {} if token is None else {"NextToken": token}
        page = call(list_resources, StackName=stack, **extra)
        found += [
            StackResource(entry["LogicalResourceId"], entry["ResourceType"], entry.get("PhysicalResourceId") or "")
            for entry in page.get("StackResourceSummaries") or []
            if _is_live(entry)
        ]
        token = page.get("NextToken")
        if not token:
            return tuple(found)


def read_stack_status(clients: Clients, stack: str) -> str:
    """Read the status of a stack.

    Raises:
        LiveError: it could not be read.
    """
    from quota_live.clients import call  # as above

    stacks = call(clients.cloudformation.describe_stacks, StackName=stack).get("Stacks") or []
    return str(stacks[0]["StackStatus"]) if stacks else ""


def _is_live(entry: Mapping[str, Any]) -> bool:
    is_ours = entry["ResourceType"] in (JOB_QUEUE, SERVICE_ENVIRONMENT, *SHARE_TYPES)
    has_arn = str(entry.get("PhysicalResourceId") or "").startswith("arn:")
    return is_ours and has_arn and entry.get("ResourceStatus") != "DELETE_COMPLETE"
