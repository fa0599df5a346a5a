"""How a quota share is created, changed and taken away."""

from enum import StrEnum


class ShareLifecycle(StrEnum):
    """Who performs the changes of a share: the handler of this library, or CloudFormation's own type."""

    MANAGED = "MANAGED"
    """`Custom::QuotaShare`: waits until the share is valid, adopts, refuses to end running work, puts drift right."""

    NATIVE = "NATIVE"
    """`AWS::Batch::QuotaShare`: CloudFormation's drift detection, import and refactoring; a deletion ends its jobs."""


class ShareRemoval(StrEnum):
    """What happens to a share that leaves the template, or whose stack is deleted."""

    REFUSE_IF_BUSY = "REFUSE_IF_BUSY"
    """Delete it when no unfinished job is left in it, refuse otherwise."""

    TERMINATE = "TERMINATE"
    """Delete it together with its jobs; the guard asks for an acknowledgement when there are any."""

    RETAIN = "RETAIN"
    """Leave it, with its jobs, on the queue."""
