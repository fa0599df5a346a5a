"""The ways in which a share can end: taken back, given back, kept, refused, or deleted.

a rollback      a new share is deleted if it is idle, and disabled and kept if it is not; one that was taken over is
                given back as it was
a removal       as `on_removal` says: refuse while there is work, delete with the work, or leave it to nobody
"""

from __future__ import annotations

from dataclasses import dataclass

from quota_handler.ownership import (
    BEFORE_OWNER_TAG,
    BEFORE_TAG,
    OWN_TAGS,
    OWNER_TAG,
    REQUEST_TAG,
    configuration_from_text,
)
from quota_handler.share_spec import members_that_differ
from quota_scheduler.declaration import RETAIN, TERMINATE
from quota_scheduler.share import DISABLED, ENABLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_handler.share_access import LiveShare, ShareAccess
    from quota_scheduler.job import Job

MOST_JOBS_NAMED = 20


class ShareError(RuntimeError):
    """The share cannot be made so.

    Args:
        lines: what to tell; the first says what is wrong and what to do.
    """

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class ShareEnding:
    """Ends shares.

    Args:
        access: to the shares.
    """

    access: ShareAccess

    def undo(self, found: LiveShare) -> tuple[str, ...]:
        """Take back what this deployment did, ending no job.

        Args:
            found: a share that it made or took over.

        Returns:
            What was done, one sentence each.
        """
        name = found.share.name
        if found.before is not None:
            return self._give_back(found, found.before)
        busy = self._jobs_after_disabling(found)
        if busy:
            note = (
                f"share {name} is new, but has {_counted(busy)} already; it was disabled and kept, outside the stack; "
                "delete it when it is idle"
            )
            return (note,)
        self._delete(found.arn)
        return (f"share {name} was new; it was deleted again",)

    def _give_back(self, found: LiveShare, text: str) -> tuple[str, ...]:
        name = found.share.name
        before = configuration_from_text(name, text)
        note = f"share {name} was given back to {found.before_owner or 'nobody'} as it was"
        if before is None:
            note = f"share {name} was given back, but as it is: its tag {BEFORE_TAG} cannot be read"
        else:
            members = members_that_differ(found.share, before)
            if members:
                self.access.update(found.arn, members)
                self.access.settled(found.arn)
        if found.before_owner is not None:
            self.access.tag(found.arn, {OWNER_TAG: found.before_owner})
        gone = [REQUEST_TAG, BEFORE_TAG, BEFORE_OWNER_TAG, *([] if found.before_owner else [OWNER_TAG])]
        self.access.untag(found.arn, [key for key in gone if key in found.tags])
        return (note,)

    def remove(self, found: LiveShare, on_removal: str) -> tuple[str, ...]:
        """Remove a share whose declaration is gone.

        Args:
            found: the share.
            on_removal: what its last properties say about it.

        Returns:
            What was done, one sentence each.

        Raises:
            ShareError: it has work, and may not end it.
        """
        name = found.share.name
        if on_removal == RETAIN:
            self.access.untag(found.arn, [key for key in OWN_TAGS if key in found.tags])
            return (f"share {name} stays on its queue, outside the stack (on_removal RETAIN)",)
        if found.status != "DELETING" and on_removal != TERMINATE:
            self._refuse_if_busy(found)
        elif found.status != "DELETING":
            self._disable(found)
        self._delete(found.arn)
        return (f"share {name} was deleted",)

    def _refuse_if_busy(self, found: LiveShare) -> None:
        """Disable the share if it is idle; refuse, leaving it as it was, if it is not."""
        queue_arn, _, name = found.arn.partition("/quota-share/")
        busy = self.access.unfinished_jobs(queue_arn, name)
        if busy:
            raise ShareError(*_refusal(found, busy))
        busy = self._jobs_after_disabling(found)
        if busy:
            if found.share.state == ENABLED:
                self.access.update(found.arn, {"state": ENABLED})
                self.access.settled(found.arn)
            raise ShareError(*_refusal(found, busy))

    def _jobs_after_disabling(self, found: LiveShare) -> tuple[Job, ...]:
        """Disable the share, so that no more jobs come, and list those that are there."""
        queue_arn, _, name = found.arn.partition("/quota-share/")
        self._disable(found)
        return self.access.unfinished_jobs(queue_arn, name)

    def _disable(self, found: LiveShare) -> None:
        settled = self.access.settled(found.arn)
        if settled is not None and settled.share.state != DISABLED:
            self.access.update(found.arn, {"state": DISABLED})
            self.access.settled(found.arn)

    def _delete(self, arn: str) -> None:
        found = self.access.describe(arn)
        if found is not None and found.status != "DELETING":
            self.access.delete(arn)
        self.access.settled(arn)


def _refusal(found: LiveShare, jobs: tuple[Job, ...]) -> tuple[str, ...]:
    queue_arn, _, name = found.arn.partition("/quota-share/")
    first = (
        f"share {name} on queue {_queue_name(queue_arn)} has {_counted(jobs)}, and deleting it would end them; it was "
        "left as it is. Deploy it with state DISABLED first and remove it when it is idle, or deploy "
        "on_removal TERMINATE first"
    )
    named = [f"{job.name or job.id} ({job.id}) {job.status}" for job in jobs[:MOST_JOBS_NAMED]]
    more = [f"and {len(jobs) - MOST_JOBS_NAMED} more"] if len(jobs) > MOST_JOBS_NAMED else []
    return (first, *named, *more)


def _counted(jobs: tuple[Job, ...]) -> str:
    counts: dict[str, int] = {}
    for job in jobs:
        counts[job.status] = counts.get(job.status, 0) + 1
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    return f"{len(jobs)} unfinished job{'s' if len(jobs) > 1 else ''} ({listed})"


def _queue_name(queue_arn: str) -> str:
    return queue_arn.rpartition("/")[2]
