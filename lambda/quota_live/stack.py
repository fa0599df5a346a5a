"""The resources that a stack has, as CloudFormation lists them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from quota_live.paging import CLOUDFORMATION_TOKEN, pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
        physical_id: the ARN for the types of Batch that matter here.
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
    return tuple(resource for resource in list_resources(clients, stack) if _is_ours(resource))


def list_resources(clients: Clients, stack: str) -> Iterator[StackResource]:
    """List the resources of a stack that exist, of all types; arguments and errors are those of `read_stack`."""
    from quota_live.clients import call  # not needed, and not loaded, for plans of states that are at hand

    for page in pages(
        partial(call, clients.cloudformation.list_stack_resources), CLOUDFORMATION_TOKEN, StackName=stack
    ):
        for entry in page.get("StackResourceSummaries") or ():
            if entry.get("PhysicalResourceId") and entry.get("ResourceStatus") != "DELETE_COMPLETE":
                yield StackResource(entry["LogicalResourceId"], entry["ResourceType"], entry["PhysicalResourceId"])


def read_stack_status(clients: Clients, stack: str) -> str:
    """Read the status of a stack.

    Raises:
        LiveError: it could not be read.
    """
    from quota_live.clients import call  # as above

    stacks = call(clients.cloudformation.describe_stacks, StackName=stack).get("Stacks") or []
    return str(stacks[0]["StackStatus"]) if stacks else ""


def _is_ours(resource: StackResource) -> bool:
    is_of_batch = resource.resource_type in (JOB_QUEUE, SERVICE_ENVIRONMENT, *SHARE_TYPES)
    return is_of_batch and resource.physical_id.startswith("arn:")
