"""A managed quota share: what a `Custom::QuotaShare` asks for, made so.

Level-triggered: read what is wanted, read what is there, do what is missing. So a repeated, overlapping or late event
does no harm, and a rollback in the middle of it leads back to what was before.

    Create, or a new name or queue     make the share, or take over one that may be taken over
    Update                             put right what differs, also what somebody changed by hand
    Delete                             only what is ours: refuse, disable and delete, or keep, as `on_removal` says
    Delete in a rollback               undo: delete a new share if it is idle, give back one that was taken over
"""

from __future__ import annotations

from dataclasses import dataclass

from quota_handler.ownership import (
    BEFORE_OWNER_TAG,
    BEFORE_TAG,
    OWNER_TAG,
    REQUEST_TAG,
    configuration_text,
    owner_of,
)
from quota_handler.request import FAILED_CREATE
from quota_handler.share_ending import ShareEnding, ShareError
from quota_handler.share_spec import ShareSpec, SpecError, members_that_differ, parse_spec, request_members
from quota_handler.stack_phase import Phase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_handler.request import Request
    from quota_handler.share_access import LiveShare, ShareAccess

_MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request.

    Args:
        arn: of the share; the physical id of the resource.
        notes: what a reader of the log should know, one sentence each.
    """

    arn: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class ShareResource:
    """Serves the requests of one managed share.

    Args:
        request: what CloudFormation asks for.
        phase: in which the stack is.
        access: to the shares.
    """

    request: Request
    phase: Phase
    access: ShareAccess

    @property
    def ending(self) -> ShareEnding:
        """The ways in which a share can end."""
        return ShareEnding(self.access)

    def create_or_update(self) -> Outcome:
        """Make the share as it is asked for.

        Returns:
            The share's ARN, which differs from the physical id of an Update if the share was replaced.

        Raises:
            SpecError: the properties cannot be read.
            ShareError: the share cannot be made so.
            OutOfTimeError: it did not become `VALID` in time.
            SupersededError: CloudFormation is on its way back.
            LiveError: the account cannot be read or changed.
        """
        spec = parse_spec(self.request.properties)
        notes: list[str] = []
        if self.phase is Phase.ROLLBACK:
            notes += self._undo_unknown_replacement(spec)
        is_known = self.request.physical_id == spec.arn
        found = self.access.settled(spec.arn)
        if found is None:
            if is_known:
                notes.append(f"share {spec.name} was gone, somebody deleted it; it was made again")
            self.access.create(spec.queue_arn, spec.name, request_members(spec.share), self._tags(spec))
            found = self.access.appeared(spec.arn)
            if self._is_foreign(found):
                raise ShareError(_taken(spec, found))
        elif is_known or self.phase is Phase.ROLLBACK:
            foreign = self._is_foreign(found)
            if foreign and self.phase is Phase.ROLLBACK:
                note = f"share {spec.name} belongs to {found.owner} by now; it was left as it is"
                return Outcome(spec.arn, (*notes, note))
            if foreign and not spec.adopt_existing:
                raise ShareError(_taken(spec, found))
            notes += self._drift(found)
        elif found.request != self.request.request_id or self._is_foreign(found):
            notes += self._take_over(spec, found)
        self._converge(spec, found, settle=is_known and self.phase is Phase.FORWARD)
        return Outcome(spec.arn, tuple(notes))

    def step_back(self) -> tuple[str, ...]:
        """Take back what this request did, because CloudFormation turned back while it ran.

        The rollback may have passed already, just before a change of this request came through.

        Returns:
            What was done, one sentence each.

        Raises:
            LiveError: the account cannot be read or changed.
            OutOfTimeError: there was no time for it.
        """
        spec = parse_spec(self.request.properties)
        found = self.access.settled(spec.arn)
        if found is None:
            return ()
        if self.request.physical_id != spec.arn:
            is_ours = found.owner == owner_of(self.request) and found.request == self.request.request_id
            return self.ending.undo(found) if is_ours else ()
        before = parse_spec(self.request.old_properties)
        if before.arn != spec.arn or found.owner != owner_of(self.request):
            return ()
        self._converge(before, found, settle=False)
        return (f"share {spec.name} was put back to what it was",)

    def delete(self) -> Outcome:
        """Take the share away, if it is ours and may go.

        Raises:
            ShareError: it is in use, or the phase of the stack is not known.
            OutOfTimeError: it was not gone in time.
            LiveError: the account cannot be read or changed.
        """
        physical_id = self.request.physical_id or ""
        if "/quota-share/" not in physical_id:
            return Outcome(physical_id, self._undo_unanswered(physical_id))
        found = self.access.describe(physical_id)
        if found is None:
            return Outcome(physical_id, ("the share is gone already",))
        if found.owner != owner_of(self.request):
            owner = found.owner or "nobody"
            return Outcome(physical_id, (f"share {found.share.name} belongs to {owner}; it was left as it is",))
        if self.phase is Phase.UNKNOWN:
            raise ShareError(
                f"the stack's status cannot be read, so that a removal cannot be told from a rollback; share "
                f"{found.share.name} was left as it is; allow cloudformation:DescribeStacks on the stack"
            )
        if self.phase is Phase.ROLLBACK:
            return Outcome(physical_id, self.ending.undo(found))
        return Outcome(physical_id, self.ending.remove(found, self.request.text("OnRemoval")))

    def _is_foreign(self, found: LiveShare) -> bool:
        """Whether somebody else says that the share is theirs; a missing tag was taken off by hand."""
        return found.owner is not None and found.owner != owner_of(self.request)

    def _tags(self, spec: ShareSpec) -> dict[str, str]:
        return {**spec.tags, OWNER_TAG: owner_of(self.request), REQUEST_TAG: self.request.request_id}

    def _take_over(self, spec: ShareSpec, found: LiveShare) -> list[str]:
        """Write down what the share was, and that it is ours from now on, in one call before anything else.

        A share of the same stack has another logical id because its construct was renamed, so that nobody is asked.
        """
        is_of_this_stack = found.owner is not None and found.owner.startswith(f"{self.request.stack_id}/")
        if not is_of_this_stack and not spec.adopt_existing:
            raise ShareError(_taken(spec, found))
        tags = {
            OWNER_TAG: owner_of(self.request),
            REQUEST_TAG: self.request.request_id,
            BEFORE_TAG: configuration_text(found.share),
        }
        if found.owner is not None:
            tags[BEFORE_OWNER_TAG] = found.owner
        elif found.before_owner is not None:
            self.access.untag(found.arn, [BEFORE_OWNER_TAG])
        self.access.tag(found.arn, tags)
        return [f"share {spec.name} was there already and was taken over from {found.owner or 'nobody'}"]

    def _drift(self, found: LiveShare) -> list[str]:
        """Say what somebody changed by hand, judged by what was asked for before."""
        try:
            before = parse_spec(self.request.old_properties)
        except SpecError:
            return []
        if before.arn != found.arn:
            return []
        changed = list(members_that_differ(found.share, before.share))
        if not changed:
            return []
        return [f"share {found.share.name} was changed by hand ({', '.join(changed)}); it was put right"]

    def _converge(self, spec: ShareSpec, found: LiveShare, *, settle: bool) -> None:
        """Change what differs until nothing does.

        Args:
            spec: what is wanted.
            found: the share.
            settle: whether an earlier take-over can be forgotten.
        """
        for _ in range(_MOST_ROUNDS):
            members = members_that_differ(found.share, spec.share)
            if not members:
                break
            self.access.update(found.arn, members)
            again = self.access.settled(found.arn)
            if again is None:
                raise ShareError(f"share {spec.name} was deleted by somebody while it was changed; deploy again")
            found = again
        else:
            raise ShareError(
                f"share {spec.name} is changed by somebody else again and again; find out who, and deploy again"
            )
        if found.status != "VALID":
            raise ShareError(
                f"share {spec.name} is {found.status}, and the service gives no reason; "
                "check its queue and its service environment, and deploy again"
            )
        self._converge_tags(spec, found, settle=settle)

    def _converge_tags(self, spec: ShareSpec, found: LiveShare, *, settle: bool) -> None:
        wanted = {**spec.tags, OWNER_TAG: owner_of(self.request)}
        self.access.tag(found.arn, {key: value for key, value in wanted.items() if found.tags.get(key) != value})
        try:
            before = parse_spec(self.request.old_properties)
        except SpecError:
            dropped = set()
        else:
            dropped = set(before.tags) - set(spec.tags) if before.arn == found.arn else set()
        if settle:
            dropped |= {BEFORE_TAG, BEFORE_OWNER_TAG}
        self.access.untag(found.arn, sorted(key for key in dropped if key in found.tags))

    def _undo_unknown_replacement(self, spec: ShareSpec) -> tuple[str, ...]:
        """Undo a replacement that was begun, and of which CloudFormation never heard."""
        try:
            begun = parse_spec(self.request.old_properties)
        except SpecError:
            return ()
        if begun.arn in (spec.arn, self.request.physical_id):
            return ()
        found = self.access.settled(begun.arn)
        if found is None or found.owner != owner_of(self.request):
            return ()
        return self.ending.undo(found)

    def _undo_unanswered(self, physical_id: str) -> tuple[str, ...]:
        """Undo a Create that failed, or that CloudFormation gave up on and named itself."""
        try:
            spec = parse_spec(self.request.properties)
        except SpecError:
            return ("the share was never made",)
        found = self.access.settled(spec.arn)
        if found is None or found.owner != owner_of(self.request):
            return ("the share was never made, or is not ours; nothing was touched",)
        begun = physical_id.removeprefix(FAILED_CREATE)
        if physical_id.startswith(FAILED_CREATE) and found.request != begun:
            return ("the share was not made by the request that failed; nothing was touched",)
        return self.ending.undo(found)


def _taken(spec: ShareSpec, found: LiveShare) -> str:
    queue = spec.queue_arn.rpartition("/")[2]
    owner = f"belongs to {found.owner}" if found.owner else "belongs to no stack"
    return (
        f"share {spec.name} exists already on queue {queue} and {owner}; choose another name, or set "
        "adopt_existing=True to take it over with its running jobs"
    )
