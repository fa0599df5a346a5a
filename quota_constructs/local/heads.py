"""Who stands at the front of each share, since when, and what happens to a job that is stuck there.

Source: user guide, "Jobs stuck in a RUNNABLE status" and "Automatic remediation with jobStateTimeLimitActions". The
clock of a time limit runs while the job is at the front for that reason; for lack of capacity the time spent
SCHEDULED adds up over resubmissions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local import reasons
from quota_constructs.local.arns import quota_share_arn
from quota_constructs.local.records import WAITING, ServiceJob

if TYPE_CHECKING:
    from quota_constructs.local.event_log import EventLog
    from quota_constructs.local.job_lifecycle import JobLifecycle
    from quota_constructs.local.store import Store
    from quota_constructs.local.timing import Timing


class Heads:
    """The first waiting job of every share.

    Args:
        store: the shares and their jobs.
        timing: when time limits are reached.
        log: what happened.
        jobs: ends a job whose time limit is reached.
    """

    def __init__(self, store: Store, timing: Timing, log: EventLog, jobs: JobLifecycle) -> None:
        self._store = store
        self._timing = timing
        self._log = log
        self._jobs = jobs
        self._since: dict[tuple[str, str], tuple[str, int]] = {}

    def note(self, queue_arn: str, share: str) -> None:
        """The waiting jobs of a share have changed: see who is first now."""
        first = self._store.jobs.waiting(queue_arn, share, 1)
        known = self._since.get((queue_arn, share))
        if not first:
            self._since.pop((queue_arn, share), None)
            return
        if known is not None and known[0] == first[0].id:
            return
        if known is not None:
            self._left_front(known[0])
        self._since[queue_arn, share] = (first[0].id, self._timing.now())
        if first[0].status_reason == reasons.NO_CAPACITY:
            self._blocked(first[0], reasons.NO_CAPACITY)

    def since(self, job: ServiceJob) -> int:
        """Since when a waiting job has its position: the front of its share, or the row behind it."""
        known = self._since.get((job.queue_arn, job.share))
        return known[1] if known is not None and known[0] == job.id else job.runnable_at or job.created_at

    def block(self, job: ServiceJob, reason: str) -> None:
        """The scheduler says that a job can never run; that counts once it is at the front.

        Args:
            job: a waiting job.
            reason: the scheduler's reason code.
        """
        known = self._since.get((job.queue_arn, job.share))
        share = self._store.shares.get(quota_share_arn(job.queue_arn, job.share))
        if share is None or known is None or known[0] != job.id:
            return
        text = reasons.never_fits(reason, share.sharing["strategy"])
        if job.status_reason != text:
            self._blocked(job, text)

    def unblock(self, job: ServiceJob) -> None:
        """The scheduler says that a job that could not run may do so some day."""
        if job.blocked_at is not None and job.status_reason != reasons.NO_CAPACITY:
            job.blocked_at = None
            if job.status == WAITING:
                job.status_reason = None

    def arm(self, queue_arn: str) -> None:
        """The time limits of a queue have changed: apply them to the jobs at the front."""
        for (queue, _share), (job_id, _since) in tuple(self._since.items()):
            job = self._store.job(job_id)
            if queue == queue_arn and job.blocked_at is not None:
                self._arm(job)

    def _left_front(self, job_id: str) -> None:
        job = self._store.job(job_id)
        if job.status == WAITING:
            self.unblock(job)

    def _blocked(self, job: ServiceJob, text: str) -> None:
        job.status_reason = text
        job.blocked_at = self._timing.now()
        self._log.add("blocked", job.id, reason=text, queue=job.queue_arn, share=job.share)
        self._arm(job)

    def _arm(self, job: ServiceJob) -> None:
        """Plan the end of a job that stays at the front for the reason it has now."""
        queue = self._store.queues.get(job.queue_arn)
        reason, blocked_at = job.status_reason, job.blocked_at
        if queue is None or reason is None or blocked_at is None:
            return
        for action in queue.time_limit_actions:
            if reasons.matches(action["reason"], reason):
                spent = job.scheduled_seconds if reason == reasons.NO_CAPACITY else 0.0
                passed = (self._timing.now() - blocked_at) / 1000
                if reason == reasons.NO_CAPACITY and spent < action["maxTimeSeconds"]:
                    return
                left = 0.0 if spent else action["maxTimeSeconds"] - passed
                self._timing.later(max(0.0, left), lambda _at: self._expire(job, reason, blocked_at))
                return

    def _expire(self, job: ServiceJob, reason: str, blocked_at: int) -> None:
        queue = self._store.queues.get(job.queue_arn)
        if queue is None or job.status != WAITING or job.status_reason != reason or job.blocked_at != blocked_at:
            return
        action = next(
            (action for action in queue.time_limit_actions if reasons.matches(action["reason"], reason)), None
        )
        if action is None:
            return
        if reason != reasons.NO_CAPACITY and self._timing.now() < blocked_at + action["maxTimeSeconds"] * 1000:
            return
        self._jobs.terminate(job, reasons.time_limit(action["reason"]))
