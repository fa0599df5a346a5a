"""For whom a job is being stopped. The service says that it is, and why, but not for which job.

Told apart by the reason: across shares it is the front job of another share that fits into that share's own limits; in
a share it is the share's own front job. Where exactly one job can be meant, it is named; else nobody is, and the job
that is being stopped counts for nobody.

Source: service job preemption events (reason of a preemption in progress), GetJobQueueSnapshot (front of each share);
assumed for the rest: docs/decisions/0042-one-collector.md.
"""

from __future__ import annotations

from dataclasses import replace

from quota_live.jobs import CROSS_SHARE, IN_SHARE, UNKNOWN_CLAIMANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler.job import Job
    from quota_scheduler.share import Share

_PLACEHOLDERS = (CROSS_SHARE, IN_SHARE, UNKNOWN_CLAIMANT)


def name_claimants(jobs: Iterable[Job], shares: Mapping[str, Share], fronts: Mapping[str, str]) -> tuple[Job, ...]:
    """Name the waiting job for which each stopping job is being stopped, where only one can be meant.

    Args:
        jobs: of the queue, as they were listed.
        shares: of the queue.
        fronts: by share, the id of the job at its front.

    Returns:
        The jobs, in the same order.
    """
    listed = tuple(jobs)
    if not any(job.stopping_for in _PLACEHOLDERS for job in listed):
        return listed
    waiting = {job.id: job for job in listed if job.is_waiting}
    heads = {share: waiting[job_id] for share, job_id in fronts.items() if job_id in waiting}
    usage = _usage(listed)
    return tuple(
        replace(job, stopping_for=_claimant(job, heads, shares, usage)) if job.stopping_for in _PLACEHOLDERS else job
        for job in listed
    )


def _claimant(
    job: Job, heads: Mapping[str, Job], shares: Mapping[str, Share], usage: Mapping[tuple[str, str], int]
) -> str:
    candidates = []
    for name, head in heads.items():
        if not set(head.uses) & set(job.uses):
            continue
        if name == job.share:
            if job.stopping_for != CROSS_SHARE:
                candidates.append(head.id)
        elif job.stopping_for != IN_SHARE and _is_entitled(head, shares[name], usage):
            candidates.append(head.id)
    return candidates[0] if len(candidates) == 1 else UNKNOWN_CLAIMANT


def _is_entitled(head: Job, share: Share, usage: Mapping[tuple[str, str], int]) -> bool:
    return all(
        usage.get((share.name, unit), 0) + amount <= share.limits.get(unit, 0) for unit, amount in head.uses.items()
    )


def _usage(jobs: Iterable[Job]) -> Mapping[tuple[str, str], int]:
    usage: dict[tuple[str, str], int] = {}
    for job in jobs:
        if job.is_dispatched:
            for unit, amount in job.uses.items():
                usage[job.share, unit] = usage.get((job.share, unit), 0) + amount
    return usage
