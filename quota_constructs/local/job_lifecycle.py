"""How a service job moves: SUBMITTED → RUNNABLE → SCHEDULED → STARTING → RUNNING → SUCCEEDED or FAILED.

Source: user guide, mapping of service job status, preemption, retry strategies, terminate service jobs. Whom to
dispatch and whom to stop is decided elsewhere (`scheduling.py`); here it is done.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from quota_constructs.local import reasons
from quota_constructs.local.payload import TIMED_OUT
from quota_constructs.local.records import ENDED, Attempt, ServiceJob
from quota_constructs.local.retry import retries

if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_constructs.local.event_log import EventLog
    from quota_constructs.local.scarcity import Scarcity
    from quota_constructs.local.store import Store
    from quota_constructs.local.timing import Timing


class Watcher(Protocol):
    """Who wants to know when a queue's jobs have moved."""

    def job_waits(self, job: ServiceJob) -> None:
        """A job has become RUNNABLE."""
        ...

    def room_freed(self, job: ServiceJob) -> None:
        """A job has given back its instances."""
        ...

    def job_left(self, job: ServiceJob) -> None:
        """A job that waited has ended or was dispatched."""
        ...


class JobLifecycle:
    """Moves the jobs of one account and Region.

    Args:
        store: the jobs.
        timing: when things happen.
        log: what happened.
        scarcity: which instances can be had.
        new_id: makes an id of 32 hexadecimal digits for a training job.
    """

    def __init__(
        self, store: Store, timing: Timing, log: EventLog, scarcity: Scarcity, new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._timing = timing
        self._settings = timing.settings
        self._log = log
        self._scarcity = scarcity
        self._new_id = new_id
        self.watcher: Watcher

    def submit(self, job: ServiceJob) -> None:
        """Take in a new job."""
        self._store.jobs.add(job)
        self._log.add("submitted", job.id, queue=job.queue_arn, share=job.share, uses=dict(job.uses))
        self._next(job, self._settings.runnable_seconds, self._first_runnable)

    def dispatch(self, job: ServiceJob, borrowing: int) -> None:
        """Give a waiting job its instances and make a training job for it.

        Args:
            job: a RUNNABLE job.
            borrowing: by how much its share is above its limit then.
        """
        now = self._timing.now()
        name = f"AWSBatch{job.training_name[:23]}{self._new_id()}"
        job.latest = Attempt(self._store.arns.training_job(name), now)
        self._store.training_jobs[name] = (job, job.latest)
        job.scheduled_at, job.started_at, job.stopped_at, job.blocked_at = now, None, None, None
        usage = self._store.usage.setdefault((job.queue_arn, job.share), Counter())
        usage.update(job.uses)
        self._move(job, "SCHEDULED", None, borrowing=borrowing)
        self.watcher.job_left(job)
        self._next(job, self._settings.starting_seconds, self._start)

    def stop(self, job: ServiceJob, cause: str, reason: str, stopping_for: str | None = None) -> None:
        """Ask a dispatched job's training job to stop; its instances are free after the stop delay.

        Args:
            job: a dispatched job.
            cause: `preemption` or `termination`; a termination overrides a preemption that is under way.
            reason: the reason as Describe shows it.
            stopping_for: id of the waiting job it makes room for.
        """
        under_way = job.stop_cause is not None
        if job.stop_cause != "termination":
            job.stop_cause, job.status_reason = cause, reason
        if stopping_for is not None:
            job.stopping_for = stopping_for
            job.status_reason = reasons.in_progress(reason)
            self._log.add(
                "preemption_started", job.id, reason=job.status_reason, status=job.status, preemptor=stopping_for,
                queue=job.queue_arn, share=job.share,
            )  # fmt: skip
            if job.latest is not None:
                job.latest.status_reason = reason
        if not under_way:
            self._scarcity.forget(job)
            self._next(job, self._settings.stop_seconds, self.stopped)

    def terminate(self, job: ServiceJob, reason: str) -> None:
        """End a job because somebody, or a time limit, wants it to; nothing happens to one that has ended."""
        if job.status in ENDED:
            return
        job.is_terminated = True
        if job.holds_instances:
            self.stop(job, "termination", reason)
        else:
            self._end(job, "FAILED", reason)

    def _first_runnable(self, job: ServiceJob) -> None:
        job.times_runnable = 1
        self._wait(job, None, "first")

    def _wait(self, job: ServiceJob, reason: str | None, cause: str) -> None:
        job.runnable_at = self._timing.now()
        self._move(job, "RUNNABLE", reason, cause=cause)
        self.watcher.job_waits(job)

    def _start(self, job: ServiceJob) -> None:
        """A scheduled job gets its instances, or waits for them; SageMaker may refuse it altogether."""
        if job.is_refused:
            self._finish(job)
            return
        if self._scarcity.take(job):
            self._starting(job)
            return
        self._next(job, self._settings.capacity_wait_seconds, self._no_capacity)
        self._scarcity.queue(job)

    def _starting(self, job: ServiceJob) -> None:
        self._move(job, "STARTING", None)
        self._next(job, self._settings.running_seconds, self._run)

    def instances_came(self, job: ServiceJob) -> None:
        """A scheduled job that waited for instances has them now."""
        self._starting(job)

    def _no_capacity(self, job: ServiceJob) -> None:
        """The training job gave up waiting for instances: back to RUNNABLE, without using up an attempt."""
        now = self._timing.now()
        job.scheduled_seconds += (now - (job.scheduled_at or now)) / 1000
        if job.latest is not None:
            job.attempts = [attempt for attempt in job.attempts if attempt.status_reason != reasons.CAPACITY_ERROR]
            self._close_attempt(job, reasons.CAPACITY_ERROR)
        job.not_before = now + round(self._settings.capacity_retry_seconds * 1000)
        self._free(job)
        self._wait(job, reasons.NO_CAPACITY, "capacity")
        self.watcher.room_freed(job)

    def _run(self, job: ServiceJob) -> None:
        job.started_at = self._timing.now()
        if job.latest is not None:
            job.latest.started_at = job.started_at
        self._move(job, "RUNNING", None)
        self._next(job, job.run_seconds, self._finish)

    def _finish(self, job: ServiceJob) -> None:
        self._close_attempt(job, job.failure)
        self._free(job)
        if job.failure is None:
            self._end(job, "SUCCEEDED", None)
        elif job.failure != TIMED_OUT and retries(
            job.failure, job.times_runnable, job.attempts_allowed, job.evaluate_on_exit
        ):
            job.times_runnable += 1
            self._wait(job, job.failure, "retry")
        else:
            self._end(job, "FAILED", job.failure)
        self.watcher.room_freed(job)

    def stopped(self, job: ServiceJob) -> None:
        """The training job of a job that was asked to stop has ended."""
        cause, reason = job.stop_cause, job.status_reason
        job.stop_cause = None
        if cause == "termination":
            self._close_attempt(job, reason)
            self._free(job)
            self._end(job, "FAILED", reason)
        else:
            self._preempted(job)
        self.watcher.room_freed(job)

    def _preempted(self, job: ServiceJob) -> None:
        """The training job of a preempted job has ended: RUNNABLE again, or FAILED when its retries are used up."""
        attempt = job.latest
        reason = reasons.CROSS_SHARE
        if attempt is not None:
            attempt.stopped_at = self._timing.now()
            reason = attempt.status_reason or reason
            job.preempted.insert(0, attempt)
            del job.preempted[self._settings.preemption_history :]
        job.preempted_count += 1
        allowed = job.retries_before_termination
        ends = allowed is not None and job.preempted_count > allowed
        preemptor = job.stopping_for
        self._free(job)
        if ends:
            self._end(job, "FAILED", reason)
        else:
            self._wait(job, None, "preemption")
        self._log.add(
            "preemption_completed", job.id, reason=reason, status=job.status, preemptor=preemptor,
            queue=job.queue_arn, share=job.share,
        )  # fmt: skip

    def _close_attempt(self, job: ServiceJob, reason: str | None) -> None:
        if job.latest is not None:
            job.latest.stopped_at, job.latest.status_reason = self._timing.now(), reason
            job.attempts.append(job.latest)

    def _free(self, job: ServiceJob) -> None:
        """Give back a job's instances."""
        self._store.usage[job.queue_arn, job.share].subtract(job.uses)
        self._scarcity.give_back(job)
        job.stopping_for = None

    def _end(self, job: ServiceJob, status: str, reason: str | None) -> None:
        if job.next_step is not None:
            job.next_step.cancel()
        job.stopped_at = self._timing.now()
        self._move(job, status, reason, cause="terminated" if job.is_terminated else "ended")
        self.watcher.job_left(job)

    def _move(self, job: ServiceJob, status: str, reason: str | None, **data: object) -> None:
        before = job.status
        self._store.jobs.set_status(job, status)
        job.status_reason = reason
        self._log.add(
            "status", job.id, before=before, status=status, reason=reason, queue=job.queue_arn, share=job.share,
            uses=dict(job.uses), priority=job.priority, **data,
        )  # fmt: skip

    def _next(self, job: ServiceJob, seconds: float, step: Callable[[ServiceJob], None]) -> None:
        if job.next_step is not None:
            job.next_step.cancel()
        job.next_step = self._timing.later(seconds, lambda _at: step(job))
