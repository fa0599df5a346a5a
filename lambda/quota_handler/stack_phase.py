"""In which phase of an operation a stack is, read from its status.

Nothing in an event says that it belongs to a rollback; only the stack knows.
Source: CloudFormation user guide, stack status codes; DescribeStacks.
"""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What CloudFormation is doing with the stack."""

    FORWARD = "forward"
    """Creating or updating towards what was asked for."""

    ROLLBACK = "rollback"
    """Going back to what was there before, the clean-up of that included."""

    BACK = "rolled back"
    """At rest after a rollback: CloudFormation waits for nothing, so that whatever is asked for comes too late."""

    CLEANUP = "clean-up"
    """Deleting what an update that went well replaced or left out."""

    DELETE = "deletion"
    """Deleting the whole stack."""

    UNKNOWN = "unknown"
    """The status could not be read, or is one that this code does not know."""


def phase_of(status: str | None) -> Phase:
    """Tell the phase from a `StackStatus`.

    Args:
        status: as DescribeStacks gives it; None where it could not be read.

    Returns:
        The phase. A stack at rest after it went forward counts as going forward, so that an event that is delivered
        late is judged as if the operation still ran.
    """
    if status is None:
        return Phase.UNKNOWN
    if status.endswith("ROLLBACK_COMPLETE"):
        return Phase.BACK
    if "ROLLBACK" in status:
        return Phase.ROLLBACK
    if status.startswith("DELETE_"):
        return Phase.DELETE
    if status == "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
        return Phase.CLEANUP
    if status.startswith(("CREATE_", "UPDATE_", "IMPORT_", "REVIEW_")):
        return Phase.FORWARD
    return Phase.UNKNOWN
