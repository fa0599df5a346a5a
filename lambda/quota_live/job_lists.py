"""The lists of a queue's jobs, read so that each job counts once.

There is a list for each share and status, and jobs move from one to the next while they are read. A share in which a
job was on two lists, or whose lists do not add up to what the service counts as used, is read again, and called moving
if that does not help.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from quota_live.jobs import UNFINISHED_STATUSES, job_from_summary
from quota_scheduler.job import DISPATCHED_STATUSES, STATUSES, Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_live.reader import Reader

ROUNDS = 3
"""How often the lists of a share that moves are read."""

_TOLERATED = 1e-6


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the service counts as used, per share and type, and the job at the front of each share."""

    usage: Mapping[str, Mapping[str, float]]
    fronts: Mapping[str, str]


def read_snapshot(reader: Reader, queue_arn: str) -> Snapshot:
    """Read what the service counts, in one call.

    Raises:
        LiveError: the account could not be read.
    """
    found = reader.call("get_job_queue_snapshot", jobQueue=queue_arn)
    utilization = (found.get("queueUtilization") or {}).get("quotaShareUtilization") or {}
    fronts = (found.get("frontOfQuotaShares") or {}).get("quotaShares") or {}
    return Snapshot(
        {
            share["quotaShareName"]: {use["capacityUnit"]: use["quantity"] for use in share.get("capacityUsage") or []}
            for share in utilization.get("topCapacityUtilization") or []
        },
        {share: jobs[0]["jobArn"].rpartition("/")[2] for share, jobs in fronts.items() if jobs},
    )


def read_jobs(
    reader: Reader, queue_arn: str, shares: tuple[str, ...], snapshot: Snapshot
) -> tuple[tuple[Job, ...], tuple[str, ...], Mapping[str, str]]:
    """List the unfinished jobs of a queue.

    Args:
        reader: how to read.
        queue_arn: ARN of the queue.
        shares: names of its shares.
        snapshot: what the service counted just before.

    Returns:
        The jobs, the shares whose jobs moved to the end, and the job at the front of each share.

    Raises:
        LiveError: the account could not be read.
    """
    jobs: dict[str, dict[str, Job]] = {}
    moving = shares
    for attempt in range(ROUNDS):
        if attempt:
            snapshot = read_snapshot(reader, queue_arn)
        lists = [(share, status) for share in moving for status in UNFINISHED_STATUSES]
        pages = reader.each("jobs", lambda item: _list(reader, queue_arn, *item), lists)
        still = []
        for share in moving:
            entries = [entry for (name, _), found in zip(lists, pages, strict=True) if name == share for entry in found]
            jobs[share], doubled = _newest(entries)
            if doubled or not _adds_up(jobs[share], snapshot.usage.get(share)):
                still.append(share)
        moving = tuple(still)
        if not moving:
            break
    return tuple(job for share in shares for job in jobs[share].values()), moving, snapshot.fronts


def _list(reader: Reader, queue_arn: str, share: str, status: str) -> list[tuple[float, Job]]:
    """List the jobs of one share in one status, each with the time at which its page came."""
    found = []
    filters = [{"name": "QUOTA_SHARE_NAME", "values": [share]}]
    for page in reader.pages("list_service_jobs", jobQueue=queue_arn, jobStatus=status, filters=filters):
        at = time.monotonic()
        found += [(at, job_from_summary(entry, share)) for entry in page.get("jobSummaryList") or []]
    return found


def _newest(entries: list[tuple[float, Job]]) -> tuple[dict[str, Job], bool]:
    """Keep each job once, as it was read last; tell whether one was there twice."""
    seen: dict[str, tuple[float, Job]] = {}
    doubled = False
    for at, job in entries:
        before = seen.get(job.id)
        if before is not None:
            doubled = True
            if (before[0], _how_far(before[1])) > (at, _how_far(job)):
                continue
        seen[job.id] = (at, job)
    return {job_id: job for job_id, (_, job) in seen.items()}, doubled


def _adds_up(jobs: Mapping[str, Job], usage: Mapping[str, float] | None) -> bool:
    """Whether the listed jobs hold what the service counts as used, as far as it tells."""
    if usage is None:
        return True
    held: dict[str, int] = {}
    for job in jobs.values():
        if job.status in DISPATCHED_STATUSES:
            if not job.uses:
                return True
            for unit, amount in job.uses.items():
                held[unit] = held.get(unit, 0) + amount
    return all(abs(held.get(unit, 0) - usage.get(unit, 0)) < _TOLERATED for unit in {*held, *usage})


def list_share_jobs(reader: Reader, queue_arn: str, share: str) -> tuple[Job, ...]:
    """List the jobs of one share that are not done, one status after the other.

    A job moves on while lists are read. In the order of the statuses, one that moves forward is seen at least once;
    one that is put back may be missed, so that a share counts as idle only when this was empty twice.

    Args:
        reader: how to read.
        queue_arn: ARN of the queue.
        share: name of the share.

    Returns:
        The jobs, those that are furthest first.

    Raises:
        LiveError: the account could not be read.
    """
    jobs, _ = _newest([entry for status in UNFINISHED_STATUSES for entry in _list(reader, queue_arn, share, status)])
    return tuple(sorted(jobs.values(), key=lambda job: (-_how_far(job), job.created_at or 0, job.id)))


def _how_far(job: Job) -> int:
    return STATUSES.index(job.status)
