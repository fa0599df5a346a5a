"""A queue of the local Batch as the scheduling model sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quota_constructs.local.records import DISPATCHED, JobQueue, QuotaShare, ServiceJob
from quota_scheduler import Job, QueueState, Share, TimeLimitAction

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from quota_constructs.local.claims import Claims
    from quota_constructs.local.store import Store


def model_share(share: QuotaShare) -> Share:
    """A quota share as a value of the model."""
    return Share(
        name=share.name,
        limits={limit["capacityUnit"]: limit["maxCapacity"] for limit in share.capacity_limits},
        strategy=share.sharing["strategy"],
        borrow_limit_percent=share.sharing.get("borrowLimit", -1),
        in_share_preemption=share.preemption["inSharePreemption"] == "ENABLED",
        state=share.state,
    )


def model_job(job: ServiceJob) -> Job:
    """A service job as a value of the model.

    One that somebody has terminated still holds its instances and is no candidate; it makes room for nobody, which is
    said by naming itself.
    """
    return Job(
        id=job.id,
        share=job.share,
        uses=job.uses,
        status=job.status,
        name=job.name,
        priority=job.priority or 0,
        created_at=job.created_at,
        scheduled_at=job.scheduled_at,
        started_at=job.started_at,
        stopping_for=job.stopping_for or (job.id if job.stop_cause is not None else None),
        preemption_retries_before_termination=job.retries_before_termination,
        preempted_attempt_count=job.preempted_count,
    )


def model_state(
    store: Store, queue: JobQueue, at: int, claims: Claims, waiting: Iterable[ServiceJob], limits: Mapping[str, int]
) -> QueueState:
    """A queue as a value of the model.

    Args:
        store: where its jobs are.
        queue: the queue.
        at: the time.
        claims: room that is held; it counts as used.
        waiting: the RUNNABLE jobs to look at.
        limits: instances of each type its service environment gives.
    """
    jobs = [model_job(job) for job in waiting]
    jobs += [model_job(job) for job in store.jobs.with_status(queue.arn, *DISPATCHED) if job.uses]
    jobs += [
        Job(f"{target.id}/held", target.share, target.uses, "RUNNING", stopping_for=preemptor, priority=0)
        for preemptor, target in claims.held()
    ]
    actions = tuple(
        TimeLimitAction(action["reason"], action["maxTimeSeconds"], action["action"])
        for action in queue.time_limit_actions
    )
    shares = {share.name: model_share(share) for share in store.shares_of(queue)}
    return QueueState(
        at=at,
        environment=limits,
        shares=shares,
        jobs=tuple(jobs),
        queue=queue.name,
        region=store.arns.region,
        account=store.arns.account,
        time_limit_actions=actions,
    )


def as_planned(state: QueueState, preemptors: Container[str]) -> QueueState:
    """A queue as it will be when the preemptions under way are done.

    The jobs that are being stopped are gone, and those they are stopped for hold their instances: nobody else is to
    take the room, idle or freed, that they were promised. They are not candidates for being stopped themselves.

    Args:
        state: the queue as it is.
        preemptors: ids of the jobs that room is being made for.
    """
    jobs = [
        replace(job, status="SCHEDULED", stopping_for=job.id) if job.id in preemptors and job.is_waiting else job
        for job in state.jobs
        if job.stopping_for is None or job.stopping_for not in preemptors
    ]
    return replace(state, jobs=tuple(jobs))
