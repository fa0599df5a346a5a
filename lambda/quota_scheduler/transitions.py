"""What decisions do to a state: jobs start, are stopped, end being stopped, and queue again.

The cycle decides; this applies, for whoever plays a queue through time. Between the decision to stop jobs and their
end the room is held twice: by them, and for the job they are stopped for. So another job that is to start in the same
pass starts only if it fits beside both; otherwise it starts in a later pass.

Source: AWS Batch User Guide, Preemption (what becomes of a stopped job); assumed for the hold
(docs/decisions/0015-room-is-held-for-the-preemptor.md).
"""

from __future__ import annotations

from dataclasses import replace

from quota_scheduler.admission import fits
from quota_scheduler.job import RUNNABLE, Job
from quota_scheduler.job_index import JobIndex
from quota_scheduler.knobs import Knobs
from quota_scheduler.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.decision import Decision
    from quota_scheduler.state import QueueState

_HELD = "/held"


def apply_decisions(
    state: QueueState,
    decisions: Iterable[Decision],
    knobs: Knobs = Knobs(),  # noqa: B008  # immutable
) -> QueueState:
    """Give the state right after the decisions of a pass, at the same moment.

    Jobs to be stopped are marked with `stopping_for` and hold their room on; jobs to be dispatched are `SCHEDULED`, if
    nothing is being stopped for them any more and they fit beside everything that holds room or is to get it.

    Args:
        state: the state that was decided about; it stays as it is.
        decisions: what `cycle` decided, in its order.
        knobs: what was assumed.
    """
    index = JobIndex(state.jobs)
    ledger = Ledger(state, index, knobs)
    pending = {name for name in index.stoppers if name in index.by_id and index.by_id[name].is_waiting}
    for name in sorted(pending):
        ledger.put(index.by_id[name])
    changed: dict[str, Job] = {}
    for decision in decisions:
        job = index.by_id[decision.job]
        if decision.outcome == "preempt":
            changed.update({name: replace(index.by_id[name], stopping_for=job.id) for name in decision.preempted})
            if job.id not in pending:
                ledger.put(job)
        elif decision.outcome == "dispatch" and job.id not in pending and fits(ledger, ledger.demand(job)):
            ledger.put(job)
            changed[job.id] = dispatched(job, state.at)
    return replace(state, jobs=tuple([changed.get(job.id, job) for job in state.jobs]))


def end_stopped(
    state: QueueState,
    job_id: str,
    knobs: Knobs = Knobs(),  # noqa: B008  # immutable
) -> QueueState:
    """Give the state right after a job that was being stopped has ended.

    It waits again, or has failed if its retries are used up. What it freed is held for the job it was stopped for: by
    a placeholder (a running job `<id>/held` that is being stopped, too) until the last one has ended; then that job is
    dispatched, if it still waits and fits.

    Args:
        state: the state with the job being stopped; it stays as it is.
        job_id: id of that job.
        knobs: what is assumed; `requeue_time` says where the job queues again.

    Raises:
        ValueError: there is no such job, or it is not being stopped.
    """
    stopped = next((job for job in state.jobs if job.id == job_id), None)
    if stopped is None or stopped.stopping_for is None or not stopped.is_dispatched:
        raise ValueError(f"job {job_id} is not being stopped")
    preemptor = next((job for job in state.jobs if job.id == stopped.stopping_for and job.is_waiting), None)
    is_last = not any(
        job.stopping_for == stopped.stopping_for and job.id != job_id and not job.id.endswith(_HELD)
        for job in state.jobs
    )
    jobs = [requeued(job, state.at, knobs) if job.id == job_id else job for job in state.jobs]
    if is_last or preemptor is None:
        jobs = [job for job in jobs if not (job.id.endswith(_HELD) and job.stopping_for == stopped.stopping_for)]
    else:
        jobs.append(replace(stopped, id=job_id + _HELD, started_at=None))
    after = replace(state, jobs=tuple(jobs))
    if preemptor is None or not is_last:
        return after
    ledger = Ledger(after, JobIndex(after.jobs), knobs)
    if not fits(ledger, ledger.demand(preemptor)):
        return after
    started = dispatched(preemptor, state.at)
    return replace(after, jobs=tuple([started if job.id == started.id else job for job in after.jobs]))


def dispatched(job: Job, at: int) -> Job:
    """Give a waiting job as it is once it got its capacity; what it saved before says nothing of its new start."""
    return replace(job, status="SCHEDULED", scheduled_at=at, started_at=None, checkpointed_at=None)


def requeued(job: Job, at: int, knobs: Knobs = Knobs()) -> Job:  # noqa: B008  # immutable
    """Give a job as it is after a preemption: waiting again, or failed if its retries are used up.

    It has no checkpoint any more: of its next start nobody knows yet what it saves.

    Args:
        job: the dispatched job.
        at: the moment, in milliseconds since 1970 UTC.
        knobs: with `requeue_time=preempted_at` it queues behind what was submitted before now.

    Source: AWS Batch User Guide, Preemption, `preemptionRetriesBeforeTermination`; assumed for the number of the last
    retry and for the place in the queue (docs/decisions/0011-order-of-heads.md).
    """
    return replace(
        job,
        status="FAILED" if job.fails_if_preempted else RUNNABLE,
        created_at=at if knobs.requeue_time == "preempted_at" else job.created_at,
        scheduled_at=None,
        started_at=None,
        checkpointed_at=None,
        expected_end=None,
        stopping_for=None,
        preempted_attempt_count=job.preempted_attempt_count + 1,
    )
