"""When a resource can be changed or deleted, and when there is room for another one.

Source: API Reference (disable before delete); user guide, service quotas. That nothing can be deleted while another
change is under way is the order AWS's own sample keeps; assumed to be a rule (docs/decisions/0030-local-batch.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from collections.abc import Sized


class Changeable(Protocol):
    """A resource with a name, a state and a status."""

    name: str
    state: str
    status: str


def check_updatable(kind: str, resource: Changeable) -> None:
    """Refuse to update what is being created or deleted.

    Raises:
        ClientException: its status is CREATING or DELETING.
    """
    if resource.status in ("CREATING", "DELETING"):
        raise ClientException(
            f"Cannot update {kind} {resource.name}, resource is being modified (status {resource.status})"
        )


def check_deletable(kind: str, resource: Changeable) -> None:
    """Refuse to delete what is not DISABLED, or is still changing.

    Raises:
        ClientException: its state is ENABLED, or its status is CREATING, UPDATING or DELETING.
    """
    if resource.state != "DISABLED":
        raise ClientException(
            f"Cannot delete {kind} {resource.name}, its state must be DISABLED first, got {resource.state}"
        )
    if resource.status in ("CREATING", "UPDATING", "DELETING"):
        raise ClientException(
            f"Cannot delete {kind} {resource.name}, resource is being modified (status {resource.status})"
        )


def check_room(kind: str, existing: Sized, most: int) -> None:
    """Refuse one more than the service's quota.

    Raises:
        ClientException: there are as many as allowed.
    """
    if len(existing) >= most:
        raise ClientException(f"at most {most} {kind} are allowed, there are {len(existing)}")
