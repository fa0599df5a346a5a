"""Applies what the scheduling model decides: dispatches jobs, stops jobs, flags those that can never run.

Every decision is the model's (`quota_scheduler`). Here is only when it is asked, and that a job is not dispatched
before the room that was made for it is really free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import quota_scheduler
from quota_constructs.local import reasons
from quota_constructs.local.claims import Claims
from quota_constructs.local.queue_state import as_planned, model_state
from quota_constructs.local.records import WAITING, JobQueue, ServiceJob

if TYPE_CHECKING:
    from quota_constructs.local.event_log import EventLog
    from quota_constructs.local.heads import Heads
    from quota_constructs.local.job_lifecycle import JobLifecycle
    from quota_constructs.local.store import Store
    from quota_constructs.local.timing import Timing
    from quota_scheduler import Decision, Knobs, QueueState

FIRST_WINDOW = 8
"""How many waiting jobs of each share a pass looks at first; more if all of them were served."""


class Scheduler:
    """The scheduler of all queues of one account and Region.

    Args:
        store: the queues and jobs.
        timing: when passes happen.
        log: what happened.
        jobs: does what is decided.
        heads: who stands at the front of the shares.
        knobs: answers to what AWS does not publish.
    """

    def __init__(
        self, store: Store, timing: Timing, log: EventLog, jobs: JobLifecycle, heads: Heads, knobs: Knobs
    ) -> None:
        self._store = store
        self._timing = timing
        self._log = log
        self._jobs = jobs
        self._heads = heads
        self._knobs = knobs
        self._claims: dict[str, Claims] = {}
        self._planned: set[str] = set()

    def wake(self, queue_arn: str) -> None:
        """Something about a queue has changed: look at it soon."""
        if queue_arn not in self._planned:
            self._planned.add(queue_arn)
            self._timing.later(self._timing.settings.scheduling_seconds, lambda _at: self._pass(queue_arn))

    def job_waits(self, job: ServiceJob) -> None:
        """A job has become RUNNABLE."""
        self._heads.note(job.queue_arn, job.share)
        if job.not_before > self._timing.now():
            delay = (job.not_before - self._timing.now()) / 1000
            self._timing.later(delay, lambda _at: self.wake(job.queue_arn))
        else:
            self.wake(job.queue_arn)

    def job_left(self, job: ServiceJob) -> None:
        """A job that waited has ended or was dispatched."""
        self._heads.note(job.queue_arn, job.share)
        if self._claims_of(job.queue_arn).drop(job.id) or job.status != "SCHEDULED":
            self.wake(job.queue_arn)

    def room_freed(self, job: ServiceJob) -> None:
        """A job has given back its instances; if that completes the room for a preemptor, it is served first."""
        preemptor = self._claims_of(job.queue_arn).ended(job)
        if preemptor is not None:
            self._serve_preemptor(job.queue_arn, preemptor)
        self.wake(job.queue_arn)

    def state(self, queue: JobQueue, window: int | None = None) -> QueueState:
        """A queue as the model sees it.

        Args:
            queue: the queue.
            window: how many waiting jobs of each share are in it, none of shares whose first job is held back for
                lack of capacity; all of them unless given.
        """
        waiting: list[ServiceJob] = []
        for share in self._store.shares_of(queue):
            of_share = self._store.jobs.waiting(queue.arn, share.name, window)
            if of_share and (window is None or of_share[0].not_before <= self._timing.now()):
                waiting += [job for job in of_share if job.uses]
        environment = self._store.environment_of(queue)
        limits = environment.limits if environment is not None else {}
        return model_state(self._store, queue, self._timing.now(), self._claims_of(queue.arn), waiting, limits)

    def _claims_of(self, queue_arn: str) -> Claims:
        return self._claims.setdefault(queue_arn, Claims())

    def _pass(self, queue_arn: str) -> None:
        """One pass over the waiting jobs of a queue."""
        self._planned.discard(queue_arn)
        queue = self._store.queues.get(queue_arn)
        if queue is None or not self._is_served(queue):
            return
        self._dispatch_unreadable(queue)
        window, decisions = self._decide(queue)
        held_back: set[str] = set()
        for decision in decisions:
            if decision.outcome == "preempt":
                if not held_back:  # else it rests on a dispatch that did not happen; the next pass decides anew
                    self._preempt(queue, decision)
            elif decision.outcome == "dispatch":
                self._dispatch(queue, decision, window, held_back)
            elif decision.outcome == "never_fits":
                self._heads.block(self._job(decision.job), decision.reason)
            else:
                self._heads.unblock(self._job(decision.job))
        self._dispatch_unreadable(queue)

    def _dispatch_unreadable(self, queue: JobQueue) -> None:
        """Dispatch jobs at the front whose payload asks for no instances: there is nothing to decide about them.

        SageMaker refuses them. Source: assumed (docs/decisions/0032-service-job-payloads.md).
        """
        for share in self._store.shares_of(queue):
            while (first := self._store.jobs.waiting(queue.arn, share.name, 1)) and not first[0].uses:
                self._jobs.dispatch(first[0], 0)

    def _is_served(self, queue: JobQueue) -> bool:
        """Whether a queue's jobs are dispatched: its environment is there and enabled.

        Source: user guide, "Update a service environment".
        """
        environment = self._store.environment_of(queue)
        return (
            environment is not None and environment.state == "ENABLED" and queue.status not in ("CREATING", "INVALID")
        )

    def _decide(self, queue: JobQueue) -> tuple[int, tuple[Decision, ...]]:
        """Ask the model; look at more waiting jobs as long as it has served all of a share's that it saw.

        Returns:
            How many waiting jobs of each share it saw, and what it decided.
        """
        window = self._first_window()
        while True:
            state = self.state(queue, window)
            if not any(job.status == WAITING for job in state.jobs):
                return window, ()
            decisions = quota_scheduler.cycle(state, self._knobs)
            served: dict[str, int] = {}
            for decision in decisions:
                if decision.outcome in ("dispatch", "preempt"):
                    share = self._job(decision.job).share
                    served[share] = served.get(share, 0) + 1
            if all(
                count < window or self._store.jobs.count_waiting(queue.arn, share) <= window
                for share, count in served.items()
            ):
                return window, decisions
            window *= 4

    def _dispatch(self, queue: JobQueue, decision: Decision, window: int, held_back: set[str]) -> None:
        """Dispatch a job, unless it would take room that is not free yet, or that was promised to another one.

        While preemptions are under way the model is asked twice more: about the queue as it is, where the jobs that are
        being stopped hold their room, and about the queue as it will be, where those they are stopped for hold theirs.

        Args:
            queue: its queue.
            decision: to dispatch it.
            window: how many waiting jobs of each share the model saw.
            held_back: shares whose jobs have to wait; one more if this one has to.
        """
        job = self._job(decision.job)
        if job.share in held_back:
            return
        claims = self._claims_of(queue.arn)
        if claims.any():
            now = self.state(queue, window)
            states = (now, as_planned(now, claims))
            if (
                job.id in claims
                or claims.holds_room_of(job)
                or any(self._outcome(state, job.id) != "dispatch" for state in states)
            ):
                held_back.add(job.share)
                return
        self._heads.unblock(job)
        self._jobs.dispatch(job, decision.borrowing)

    def _preempt(self, queue: JobQueue, decision: Decision) -> None:
        """Stop the jobs that make room for another one."""
        preemptor = self._job(decision.job)
        self._heads.unblock(preemptor)
        for target_id in decision.preempted:
            target = self._job(target_id)
            if target.stop_cause is not None or not target.holds_instances:
                continue
            self._claims_of(queue.arn).add(preemptor.id, target)
            reason = reasons.IN_SHARE if target.share == preemptor.share else reasons.CROSS_SHARE
            self._jobs.stop(target, "preemption", reason, stopping_for=preemptor.id)

    def _serve_preemptor(self, queue_arn: str, preemptor: str) -> None:
        """All room for a preemptor is there: dispatch it, if the model still says so."""
        queue = self._store.queues.get(queue_arn)
        job = self._job(preemptor)
        if queue is not None and job.status == WAITING and self._is_served(queue):
            state = self.state(queue, self._first_window())
            if any(known.id == preemptor and known.status == WAITING for known in state.jobs):
                decision = quota_scheduler.explain(state, preemptor, self._knobs)
                if decision.outcome == "dispatch":
                    self._jobs.dispatch(job, decision.borrowing)
        if self._claims_of(queue_arn).drop(preemptor):
            self._log.add("released", preemptor, queue=queue_arn, share=job.share)

    def _outcome(self, state: QueueState, job_id: str) -> str:
        return quota_scheduler.explain(state, job_id, self._knobs).outcome

    def _first_window(self) -> int:
        """How many waiting jobs of each share to look at; all of them if those behind the first one may pass it."""
        return FIRST_WINDOW if self._knobs.head_blocking == "strict" else max(FIRST_WINDOW, len(self._store.jobs.all))

    def _job(self, job_id: str) -> ServiceJob:
        return self._store.job(job_id)
