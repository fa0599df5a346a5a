"""How shares and queues go away: their jobs are ended first.

Source: API Reference, DeleteQuotaShare and DeleteJobQueue ("all jobs are eventually terminated"). That a queue takes
its shares with it is assumed (docs/decisions/0030-local-batch.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.records import DISPATCHED

if TYPE_CHECKING:
    from quota_constructs.local.event_log import EventLog
    from quota_constructs.local.job_lifecycle import JobLifecycle
    from quota_constructs.local.records import JobQueue, QuotaShare, ServiceJob
    from quota_constructs.local.statuses import Statuses
    from quota_constructs.local.store import Store
    from quota_constructs.local.timing import Timing

_UNFINISHED = ("SUBMITTED", "RUNNABLE", *DISPATCHED)


class Removal:
    """Deletes shares and queues.

    Args:
        store: where they are, and their jobs.
        timing: when it is looked whether the last job has ended: every second.
        log: what happened.
        jobs: ends the jobs.
        statuses: leads through DELETING.
    """

    def __init__(self, store: Store, timing: Timing, log: EventLog, jobs: JobLifecycle, statuses: Statuses) -> None:
        self._store = store
        self._timing = timing
        self._log = log
        self._jobs = jobs
        self._statuses = statuses

    def delete_share(self, share: QuotaShare, reason: str) -> None:
        """Begin to delete a share: it is gone when the delay has passed and its jobs have ended."""
        self._end_jobs(share, reason)
        self._statuses.start(share, "DELETING", lambda: self._share_gone(share))

    def delete_queue(self, queue: JobQueue, reason: str) -> None:
        """Begin to delete a queue with its shares."""
        for share in self._store.shares_of(queue):
            self._end_jobs(share, reason)
        self._statuses.start(queue, "DELETING", lambda: self._queue_gone(queue))

    def end_at_once(self, arn: str) -> None:
        """End the jobs of a share or queue that is being deleted without waiting for them to stop."""
        shares = [share for share in self._store.shares.values() if arn in (share.arn, share.queue_arn)]
        for share in shares:
            queue = self._store.queues.get(share.queue_arn)
            if "DELETING" in (share.status, queue.status if queue is not None else ""):
                for job in self._unfinished(share):
                    self._jobs.stopped(job)

    def _end_jobs(self, share: QuotaShare, reason: str) -> None:
        for job in self._unfinished(share):
            self._jobs.terminate(job, reason)

    def _unfinished(self, share: QuotaShare) -> list[ServiceJob]:
        index = self._store.jobs
        return [
            index.all[number]
            for status in _UNFINISHED
            for number in tuple(index.numbers(share.queue_arn, "share", share.name, "status", status))
        ]

    def _share_gone(self, share: QuotaShare) -> None:
        if self._unfinished(share):
            self._timing.later(1.0, lambda _at: self._share_gone(share))
        elif self._store.shares.pop(share.arn, None) is not None:
            self._log.add("gone", share.arn)

    def _queue_gone(self, queue: JobQueue) -> None:
        shares = self._store.shares_of(queue)
        if any(self._unfinished(share) for share in shares):
            self._timing.later(1.0, lambda _at: self._queue_gone(queue))
            return
        for share in shares:
            self._share_gone(share)
        if self._store.queues.pop(queue.arn, None) is not None:
            self._store.jobs.forget_queue(queue.arn)
            self._log.add("gone", queue.arn)
