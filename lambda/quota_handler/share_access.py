"""Reads and changes one share through the API, with patience where the service needs a while.

Before each change it asks whether the change is still wanted: CloudFormation may have given up on the request and be
on its way back already.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from quota_handler.ownership import BEFORE_OWNER_TAG, BEFORE_TAG, OWNER_TAG, REQUEST_TAG
from quota_live.clients import call
from quota_live.errors import NotFoundError, ServiceError
from quota_live.job_lists import list_share_jobs
from quota_live.reader import Reader
from quota_live.shares import share_from_description

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from mypy_boto3_batch import BatchClient

    from quota_scheduler.job import Job
    from quota_scheduler.share import Share

_MOVING = ("CREATING", "UPDATING")
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 5.0
_BEING_MODIFIED = ("being modified", "is updating", "in progress", "not in a valid state", "status is")


class OutOfTimeError(RuntimeError):
    """The function's time is nearly used up."""


class SupersededError(RuntimeError):
    """CloudFormation does not wait for this request any more."""


@dataclass(frozen=True, slots=True)
class LiveShare:
    """A share as it is.

    Args:
        arn: of the share.
        share: the share in the model.
        status: as the service reports it.
        tags: of the share.
    """

    arn: str
    share: Share
    status: str
    tags: Mapping[str, str]

    @property
    def owner(self) -> str | None:
        """Who looks after it; None if nobody says so."""
        return self.tags.get(OWNER_TAG)

    @property
    def request(self) -> str | None:
        """Which request made it or took it over."""
        return self.tags.get(REQUEST_TAG)

    @property
    def before(self) -> str | None:
        """Its configuration before it was taken over; None if it was made."""
        return self.tags.get(BEFORE_TAG)

    @property
    def before_owner(self) -> str | None:
        """Its owner before it was taken over."""
        return self.tags.get(BEFORE_OWNER_TAG)


@dataclass(slots=True)
class ShareAccess:
    """Access to the shares of a queue.

    Args:
        batch: the Batch client.
        seconds_left: how much time there still is.
        check_wanted: raises `SupersededError` if no change is wanted any more.
        sleep: waits for that many seconds.
        progress: what was done so far, for an answer that has to be given early.
    """

    batch: BatchClient
    seconds_left: Callable[[], float]
    check_wanted: Callable[[], None]
    sleep: Callable[[float], None] = time.sleep
    progress: list[str] = field(default_factory=list)

    def describe(self, arn: str) -> LiveShare | None:
        """Read a share; None if it is not there."""
        try:
            found = call(self.batch.describe_quota_share, quotaShareArn=arn)
        except NotFoundError:
            return None
        return LiveShare(arn, share_from_description(found), str(found.get("status")), dict(found.get("tags") or {}))

    def settled(self, arn: str) -> LiveShare | None:
        """Wait until a share is no longer being created, changed or deleted.

        Returns:
            The share, `VALID` or `INVALID`; None if it is not there.

        Raises:
            OutOfTimeError: it did not settle in time.
        """
        pause = _FIRST_PAUSE_SECONDS
        while True:
            found = self.describe(arn)
            if found is None or found.status not in (*_MOVING, "DELETING"):
                return found
            self._wait(pause, f"the share is still {found.status}")
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def appeared(self, arn: str) -> LiveShare:
        """Wait until a share that was just made is there and settled.

        Raises:
            OutOfTimeError: it did not appear or settle in time.
        """
        while True:
            found = self.settled(arn)
            if found is not None:
                return found
            self.check_wanted()
            self._wait(_FIRST_PAUSE_SECONDS, "the share was created, but cannot be described yet")

    def create(self, queue_arn: str, name: str, members: Mapping[str, Any], tags: Mapping[str, str]) -> None:
        """Create a share; one that is there by now, because an earlier try came through, is no error."""
        self.check_wanted()
        try:
            call(self.batch.create_quota_share, jobQueue=queue_arn, quotaShareName=name, tags=dict(tags), **members)
        except ServiceError as error:
            if "already exists" not in error.message.lower():
                raise
        self.progress.append(f"created share {name}")

    def update(self, arn: str, members: Mapping[str, Any]) -> None:
        """Change a share; wait while somebody else's change is under way."""
        self._changing(self.batch.update_quota_share, quotaShareArn=arn, **members)
        self.progress.append(f"changed {', '.join(members)}")

    def delete(self, arn: str) -> None:
        """Ask for the deletion of a disabled share; it may be gone already."""
        try:
            self._changing(self.batch.delete_quota_share, quotaShareArn=arn)
        except NotFoundError:
            return
        self.progress.append("asked for its deletion")

    def tag(self, arn: str, tags: Mapping[str, str]) -> None:
        """Set tags, all in one call."""
        if tags:
            self.check_wanted()
            call(self.batch.tag_resource, resourceArn=arn, tags=dict(tags))
            self.progress.append("tagged it")

    def untag(self, arn: str, keys: Iterable[str]) -> None:
        """Remove tags, all in one call."""
        names = list(keys)
        if names:
            self.check_wanted()
            call(self.batch.untag_resource, resourceArn=arn, tagKeys=names)
            self.progress.append("took tags off")

    def unfinished_jobs(self, queue_arn: str, name: str) -> tuple[Job, ...]:
        """List the jobs of a share that are not done, dispatched ones first; empty only if it was so twice."""
        reader = Reader(self.batch)
        return list_share_jobs(reader, queue_arn, name) or list_share_jobs(reader, queue_arn, name)

    def _changing(self, method: Callable[..., Any], **members: object) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while True:
            self.check_wanted()
            try:
                call(method, **members)
            except ServiceError as error:
                lowered = error.message.lower()
                if not any(words in lowered for words in _BEING_MODIFIED):
                    raise
                self._wait(pause, "the share is being modified by somebody else")
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            else:
                return

    def _wait(self, pause: float, why: str) -> None:
        if self.seconds_left() <= pause:
            raise OutOfTimeError(why)
        self.sleep(pause)
