"""Which live queue each declaration means, and what of a stack is on its way out.

Pure: proposals and the stack's resources in, one target a queue out. A share counts as removed when it is live in the
stack and nothing declares a share of its name on its queue any more, whatever its logical id. So a renamed construct
is no removal, and a renamed share is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from quota_live.stack import JOB_QUEUE, NATIVE_SHARE, SHARE_TYPES, StackResource
from quota_scheduler.proposal import DESTROY, MANAGED, NATIVE, REFUSE_IF_BUSY, RETAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler.proposal import Proposal, QueueProposal, ShareDeclaration


@dataclass(frozen=True, slots=True)
class Removal:
    """A live share that the deployment takes away.

    Args:
        share: its name.
        lifecycle: `MANAGED` or `NATIVE`.
        on_removal: what was declared last; `REFUSE_IF_BUSY` where nobody knows.
    """

    share: str
    lifecycle: str
    on_removal: str


@dataclass(frozen=True, slots=True)
class QueueTarget:
    """What a deployment means to do to one queue.

    Args:
        label: path of the construct, or the logical id of what is no longer declared.
        queue_arn: of the live queue; None if there is none yet.
        new: what is declared; None if the queue is no longer declared.
        old: what was declared; None if nobody knows.
        removals: live shares of the stack that go.
        is_deleted: whether the queue itself goes, with the jobs of all its shares.
        notes: what a reader should know, one sentence each.
    """

    label: str
    queue_arn: str | None
    new: QueueProposal | None
    old: QueueProposal | None
    removals: tuple[Removal, ...] = ()
    is_deleted: bool = False
    notes: tuple[str, ...] = ()


def find_targets(new: Proposal, old: Proposal | None, resources: Iterable[StackResource]) -> tuple[QueueTarget, ...]:
    """Match what is declared with what the stack has.

    Args:
        new: what the deployment declares.
        old: what was declared before; None if nobody knows.
        resources: of the stack, live ones only.

    Returns:
        One target for each declared queue, and for each live queue that loses something.
    """
    live = {resource.logical_id: resource for resource in resources}
    new, old = _merged(new), None if old is None else _merged(old)
    homes = [(queue, _old_queue(queue, old), _live_queue(queue, _old_queue(queue, old), live)) for queue in new.queues]
    removals, notes = _removals(new, old, live, homes)
    leaving = _leaving_queues(new, old, live)
    targets = [
        QueueTarget(
            queue.path,
            arn,
            queue,
            before if arn else None,  # what is to be made anew is compared with nothing
            tuple(removals.pop(arn, ())) if arn else (),
            notes=(*_replacements(queue, before), *notes.pop(arn, ())) if arn else (),
        )
        for queue, before, arn in homes
    ]
    for arn, (resource, before) in leaving.items():
        is_deleted = before is None or before.queue.removal_policy == DESTROY
        words = "is deleted" if is_deleted else "stays, outside the stack"
        label = before.path if before is not None else resource.logical_id
        declared = any(queue.queue.logical_id == resource.logical_id for queue in new.queues)
        reason = "is replaced, as its name changes" if declared else "is no longer declared"
        note = f"job queue {_name(arn)} ({resource.logical_id}) {reason}: it {words}"
        rest = tuple(notes.pop(arn, ()))
        targets.append(QueueTarget(label, arn, None, before, tuple(removals.pop(arn, ())), is_deleted, (note, *rest)))
    for arn in dict.fromkeys((*removals, *notes)):
        before = next((queue for queue in old.queues if queue.queue.arn == arn), None) if old is not None else None
        label = before.path if before is not None else _name(arn)
        targets.append(
            QueueTarget(label, arn, None, before, tuple(removals.get(arn, ())), notes=tuple(notes.get(arn, ())))
        )
    return tuple(targets)


def _merged(proposal: Proposal) -> Proposal:
    """Take imports of the same queue together: what they declare is one change of it."""
    merged: dict[str, QueueProposal] = {}
    for number, queue in enumerate(proposal.queues):
        key = queue.queue.arn or f"{number}"
        first = merged.get(key)
        if first is None:
            merged[key] = queue
        else:
            oversubscription = first.allow_oversubscription or queue.allow_oversubscription
            merged[key] = replace(first, shares=(*first.shares, *queue.shares), allow_oversubscription=oversubscription)
    return replace(proposal, queues=tuple(merged.values()))


def _old_queue(queue: QueueProposal, old: Proposal | None) -> QueueProposal | None:
    """Find what was declared for the same queue before."""
    for before in old.queues if old is not None else ():
        same_resource = queue.queue.logical_id is not None and before.queue.logical_id == queue.queue.logical_id
        same_import = queue.queue.arn is not None and before.queue.arn == queue.queue.arn
        if same_resource or same_import:
            return before
    return None


def _is_replaced(queue: QueueProposal, before: QueueProposal | None) -> bool:
    """Whether CloudFormation makes a new queue. Source: AWS::Batch::JobQueue, JobQueueName needs replacement."""
    return before is not None and queue.queue.name != before.queue.name


def _replacements(queue: QueueProposal, before: QueueProposal | None) -> tuple[str, ...]:
    """Say that the service environment is made anew, which CloudFormation does when its name changes."""
    now, then = queue.environment, before.environment if before is not None else None
    if now is None or then is None or (now.logical_id == then.logical_id and now.name == then.name):
        return ()
    note = (
        "the service environment is replaced: the queue moves to a new one, and the service does not say what becomes "
        "of jobs that run in the old one"
    )
    return (note,)


def _live_queue(queue: QueueProposal, before: QueueProposal | None, live: Mapping[str, StackResource]) -> str | None:
    if queue.queue.arn is not None:
        return queue.queue.arn
    resource = live.get(queue.queue.logical_id or "")
    if resource is None or resource.resource_type != JOB_QUEUE or _is_replaced(queue, before):
        return None
    return resource.physical_id


def _leaving_queues(
    new: Proposal, old: Proposal | None, live: Mapping[str, StackResource]
) -> dict[str, tuple[StackResource, QueueProposal | None]]:
    """Find live queues of the stack that nothing declares any more, or that are replaced."""
    staying = {
        queue.queue.logical_id: _is_replaced(queue, _old_queue(queue, old))
        for queue in new.queues
        if queue.queue.logical_id is not None
    }
    before = {queue.queue.logical_id: queue for queue in old.queues} if old is not None else {}
    return {
        resource.physical_id: (resource, before.get(logical_id))
        for logical_id, resource in live.items()
        if resource.resource_type == JOB_QUEUE and staying.get(logical_id, True) and logical_id not in new.unguarded
    }


def _removals(
    new: Proposal,
    old: Proposal | None,
    live: Mapping[str, StackResource],
    homes: list[tuple[QueueProposal, QueueProposal | None, str | None]],
) -> tuple[dict[str, list[Removal]], dict[str, list[str]]]:
    """Find live shares of the stack that go, and say what becomes of those that do not quite go."""
    declared = {(arn, share.name): share for queue, _, arn in homes if arn for share in queue.shares}
    before = {share.logical_id: share for queue in old.queues for share in queue.shares} if old is not None else {}
    removals: dict[str, list[Removal]] = {}
    notes: dict[str, list[str]] = {}
    for logical_id, resource in live.items():
        if resource.resource_type not in SHARE_TYPES or not resource.queue_arn or logical_id in new.unguarded:
            continue
        share = declared.get((resource.queue_arn, resource.share_name))
        if share is not None:
            if share.logical_id != logical_id:
                notes.setdefault(resource.queue_arn, []).append(_renamed(resource, share))
            continue
        removal = _removal(resource, before.get(logical_id))
        if removal.on_removal == RETAIN:
            notes.setdefault(resource.queue_arn, []).append(
                f"share {removal.share} ({logical_id}) is no longer declared: it stays, outside the stack"
            )
        else:
            removals.setdefault(resource.queue_arn, []).append(removal)
    return removals, notes


def _renamed(resource: StackResource, share: ShareDeclaration) -> str:
    said = f"share {resource.share_name} is declared as {share.logical_id} now, {resource.logical_id} before: "
    if share.lifecycle == NATIVE:
        return said + "CloudFormation fails when it finds the share there; import it instead"
    if resource.resource_type == NATIVE_SHARE:
        return said + "it must be adopted (adopt_existing), and retained as a native share before"
    return said + "it is taken over as it is, and no job ends"


def _removal(resource: StackResource, before: ShareDeclaration | None) -> Removal:
    lifecycle = NATIVE if resource.resource_type == NATIVE_SHARE else MANAGED
    on_removal = REFUSE_IF_BUSY if before is None else before.on_removal
    return Removal(resource.share_name, lifecycle, on_removal)


def _name(arn: str) -> str:
    return arn.rpartition("/")[2]
