"""For which jobs it is worth asking the priority, one call a job.

Priorities decide who is at the front of a share with several waiting jobs, who may displace whom inside a share with
in-share preemption, and whom the default heuristic takes first among the jobs of a share that is over its limit. For
all other jobs nothing depends on them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.job import Job
    from quota_scheduler.state import QueueState


def jobs_with_priority_that_matters(states: Iterable[QueueState]) -> tuple[str, ...]:
    """Name the jobs whose priority can change an answer.

    Args:
        states: the queue as it is, and as it may become.

    Returns:
        Ids, each once; those that hold capacity first, then those that have waited longest.
    """
    wanted: dict[str, Job] = {}
    for state in states:
        shares = _shares_that_matter(state)
        for job in state.jobs:
            names = shares["waiting"] if job.is_waiting else shares["dispatched"] if job.is_dispatched else ()
            if job.share in names:
                wanted[job.id] = job
    return tuple(sorted(wanted, key=lambda job_id: (wanted[job_id].is_waiting, wanted[job_id].created_at or 0, job_id)))


def _shares_that_matter(state: QueueState) -> dict[str, set[str]]:
    waiting: dict[str, int] = {}
    usage: dict[str, dict[str, int]] = {}
    for job in state.jobs:
        if job.is_waiting:
            waiting[job.share] = waiting.get(job.share, 0) + 1
        elif job.is_dispatched:
            held = usage.setdefault(job.share, {})
            for unit, amount in job.uses.items():
                held[unit] = held.get(unit, 0) + amount
    matter: dict[str, set[str]] = {"waiting": set(), "dispatched": set()}
    for name, share in state.shares.items():
        in_share = share.in_share_preemption and name in usage and name in waiting
        is_over = any(amount > share.limits.get(unit, 0) for unit, amount in usage.get(name, {}).items())
        if waiting.get(name, 0) > 1 or in_share:
            matter["waiting"].add(name)
        if in_share or (is_over and any(other != name for other in waiting)):
            matter["dispatched"].add(name)
    return matter
