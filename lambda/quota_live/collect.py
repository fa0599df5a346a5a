"""The one collector: a live queue to a queue state.

1. the queue: its environment, its time limits;
2. at the same time the environment's limits, the shares, and what the service counts as used;
3. for each share and each status of an unfinished job one list, all of them in parallel;
4. shares in which a job was on two lists, or in which the lists do not add up to what the service counts as used, moved
   while they were read: they are listed again, and if they still move, the picture is called torn;
5. priorities, one description a job, only for the jobs for which they can matter.

Every call draws from one budget. Left out: what is to become of the queue (`deployment.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from quota_live.claimants import name_claimants
from quota_live.errors import NoQuotaManagementError, NotFoundError
from quota_live.job_lists import read_jobs, read_snapshot
from quota_live.jobs import job_with_details
from quota_live.need import jobs_with_priority_that_matters
from quota_live.read_options import ReadOptions
from quota_live.reader import Reader
from quota_live.shares import read_shares
from quota_scheduler.state import QueueState, TimeLimitAction
from quota_scheduler.wording import count, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from quota_live.clients import Clients

UNKNOWN_TYPE = "unknown"
"""Stands for the instance type of a job of which nobody can tell."""

MOST_DESCRIPTIONS = 5000
"""Descriptions at most; beyond that priorities stay unknown, and results say what that means."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A queue as it was read.

    Args:
        state: the queue state.
        torn: jobs moved between the lists to the end, so that one may be missing or seen too late.
        notes: what a reader should know about the picture, one sentence each.
        tags: the tags of each job that was described.
    """

    state: QueueState
    torn: bool
    notes: tuple[str, ...]
    tags: Mapping[str, Mapping[str, str]]


def collect(
    clients: Clients,
    queue: str,
    priorities: str = "where_needed",
    options: ReadOptions | None = None,
) -> Collected:
    """Read a live queue.

    Args:
        clients: of the account.
        queue: name or ARN of the queue.
        priorities: `where_needed`, `all` or `none`: for which jobs priority, retries and owner are asked, one call
            each. Unknown priorities are null in the state.
        options: how to read; None takes the defaults.

    Returns:
        The queue as it was read.

    Raises:
        NotFoundError: there is no such queue.
        LiveError: the account could not be read.
        NoQuotaManagementError: the queue has no quota management.
        ValueError: `priorities` is none of the three words.
    """
    if priorities not in ("where_needed", "all", "none"):
        raise ValueError(f"priorities must be where_needed, all or none, got {priorities}")
    reader = Reader.of(clients, options or ReadOptions())
    collected = read_lists(reader, queue)
    if priorities == "none":
        return collected
    if priorities == "all":
        return describe(reader, collected, [job.id for job in collected.state.jobs])
    return describe(reader, collected, jobs_with_priority_that_matters([collected.state]))


def read_lists(reader: Reader, queue: str) -> Collected:
    """Read a queue without the details of its jobs: everything that lists give.

    Args:
        reader: how to read.
        queue: name or ARN of the queue.

    Returns:
        The queue; priorities, retries and owners are unknown.

    Raises:
        NotFoundError: there is no such queue.
        LiveError: the account could not be read.
        NoQuotaManagementError: the queue has no quota management.
    """
    described = _job_queue(reader, queue)
    arn = described["jobQueueArn"]
    environment, shares, snapshot = reader.each(
        "shares",
        lambda step: step(),
        (
            lambda: _environment(reader, described),
            lambda: read_shares(reader, arn),
            lambda: read_snapshot(reader, arn),
        ),
    )
    found, moving, fronts = read_jobs(reader, arn, tuple(shares), snapshot)
    jobs = name_claimants(found, shares, fronts)
    unknown = [job.id for job in jobs if not job.uses]
    region, account = _region_and_account(arn)
    state = QueueState(
        at=reader.options.now(),
        environment=environment,
        shares=shares,
        jobs=jobs,
        queue=described["jobQueueName"],
        region=region,
        account=account,
        time_limit_actions=_time_limits(described),
    )
    moved = f"jobs of {listed(moving)} moved while they were read; the picture may be torn"
    notes = (moved,) if moving else ()
    collected = Collected(state, bool(moving), notes, MappingProxyType({}))
    return _with_all_uses(describe(reader, collected, unknown)) if unknown else collected


def _with_all_uses(collected: Collected) -> Collected:
    """Let jobs of which nobody can tell what they ask for ask for something that no share has.

    They stay in the picture, because they end with their share like any other.
    """
    nobody_knows = [job for job in collected.state.jobs if not job.uses]
    if not nobody_knows:
        return collected
    jobs = tuple(job if job.uses else replace(job, uses={UNKNOWN_TYPE: 1}) for job in collected.state.jobs)
    asking = f"what {count(len(nobody_knows), 'job asks', 'jobs ask')} for is not known"
    note = f"{asking}, not even from the payload; such a job counts as never fitting"
    return replace(collected, state=replace(collected.state, jobs=jobs), notes=(*collected.notes, note))


def describe(reader: Reader, collected: Collected, job_ids: Iterable[str]) -> Collected:
    """Ask for the details of jobs: priority, retries, preemptions, tags, owner.

    A job that is gone by now keeps what was listed. Jobs that were described before are not asked again.

    Args:
        reader: how to read.
        collected: the queue as it was listed.
        job_ids: whose details are wanted; the first ones are asked first.

    Returns:
        The same picture with more details.

    Raises:
        LiveError: the account could not be read.
    """
    jobs = {job.id: job for job in collected.state.jobs}
    wanted = [job_id for job_id in dict.fromkeys(job_ids) if job_id in jobs and job_id not in collected.tags]
    asked = wanted[:MOST_DESCRIPTIONS]
    tags = dict(collected.tags)
    skipped = 0

    def details(job_id: str) -> Mapping[str, Any] | None:
        if not reader.options.has_time():
            return None
        try:
            return reader.describe_job(job_id)
        except NotFoundError:
            return {}

    for job_id, found in zip(asked, reader.each("jobs", details, asked), strict=True):
        if found is None:
            skipped += 1
        elif found:
            jobs[job_id] = job_with_details(jobs[job_id], found, reader.options.owner_tag)
            tags[job_id] = MappingProxyType(dict(found.get("tags") or {}))
    notes = collected.notes
    if len(wanted) > len(asked):
        notes = (*notes, _unread(len(wanted) - len(asked), f"{MOST_DESCRIPTIONS:,} are at most"))
    if skipped:
        notes = (*notes, _unread(skipped, "there was no time"))
    state = replace(collected.state, jobs=tuple(jobs.values()))
    return replace(collected, state=state, tags=MappingProxyType(tags), notes=notes)


def _unread(jobs: int, reason: str) -> str:
    return f"priorities of {count(jobs, 'job')} were not read, {reason}; they are unknown"


def _job_queue(reader: Reader, queue: str) -> Mapping[str, Any]:
    found = reader.call("describe_job_queues", jobQueues=[queue]).get("jobQueues") or []
    if not found:
        raise NotFoundError("DescribeJobQueues", "batch", "NotFound", f"there is no job queue {queue}")
    described: Mapping[str, Any] = found[0]
    if not described.get("serviceEnvironmentOrder"):
        raise _no_quota_management("DescribeJobQueues", f"job queue {queue} has no service environment")
    return described


def _environment(reader: Reader, described: Mapping[str, Any]) -> Mapping[str, int]:
    name = described["serviceEnvironmentOrder"][0]["serviceEnvironment"]
    found = reader.call("describe_service_environments", serviceEnvironments=[name]).get("serviceEnvironments") or []
    limits = found[0].get("capacityLimits") or [] if found else []
    if any(limit["capacityUnit"] == "NUM_INSTANCES" for limit in limits):
        reason = f"job queue {described['jobQueueName']} counts NUM_INSTANCES"
        raise _no_quota_management("DescribeServiceEnvironments", reason)
    return {limit["capacityUnit"]: int(limit["maxCapacity"]) for limit in limits}


def _no_quota_management(operation: str, reason: str) -> NoQuotaManagementError:
    message = f"{reason}, so that it has no quota management"
    return NoQuotaManagementError(operation, "batch", "NoQuotaManagement", message)


def _time_limits(described: Mapping[str, Any]) -> tuple[TimeLimitAction, ...]:
    return tuple(
        TimeLimitAction(action["reason"], int(action["maxTimeSeconds"]), action["action"])
        for action in described.get("jobStateTimeLimitActions") or []
    )


def _region_and_account(arn: str) -> tuple[str | None, str | None]:
    parts = arn.split(":")
    return (parts[3] or None, parts[4] or None) if len(parts) > 5 else (None, None)
