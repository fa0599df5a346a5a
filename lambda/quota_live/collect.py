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

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from quota_live.claimants import name_claimants
from quota_live.clients import CONNECTIONS, call
from quota_live.errors import NotFoundError
from quota_live.jobs import STATUSES, job_from_summary, job_with_details
from quota_live.need import jobs_with_priority_that_matters
from quota_live.rate import RateBudget
from quota_scheduler.job import DISPATCHED_STATUSES, Job
from quota_scheduler.share import ENABLED, LEND_AND_BORROW, UNLIMITED, Share
from quota_scheduler.state import QueueState, TimeLimitAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from mypy_boto3_batch import BatchClient

    Progress = Callable[[str, int, int], None]

PAGE = 100
"""Entries a page, the most that the list operations give."""

CALLS_PER_SECOND = 1500.0
BURST = 300
"""The budget. AWS publishes no rate for these calls; a throttled client slows down by itself."""

ROUNDS = 3
"""How often the lists of a share that moves are read."""

MOST_DESCRIPTIONS = 5000
"""Descriptions at most; beyond that priorities stay unknown, and results say what that means."""

_TOLERATED = 1e-6


@dataclass(frozen=True, slots=True)
class Collected:
    """A queue as it was read.

    Args:
        state: the queue state.
        torn: jobs moved between the lists to the end, so that one may be missing or seen too late.
        notes: what a reader should know about the picture, one sentence each.
        tags: the tags of each job that was described.
        queue_arn: ARN of the queue.
    """

    state: QueueState
    torn: bool
    notes: tuple[str, ...]
    tags: Mapping[str, Mapping[str, str]]
    queue_arn: str


@dataclass(frozen=True, slots=True)
class Reader:
    """How the account is read.

    Args:
        batch: the Batch client, or anything that answers like one; it is used by several threads at once.
        budget: of calls.
        threads: calls at a time.
        owner_tag: key of the job tag that names a job's owner.
        progress: is told what is read, how many steps are done and how many are known.
        now: milliseconds since 1970 UTC.
        has_time: whether there is time left for details.
    """

    batch: BatchClient
    budget: RateBudget = field(default_factory=lambda: RateBudget(CALLS_PER_SECOND, BURST))
    threads: int = CONNECTIONS
    owner_tag: str = "owner"
    progress: Progress | None = None
    now: Callable[[], int] = lambda: int(time.time() * 1000)
    has_time: Callable[[], bool] = lambda: True

    def call(self, operation: str, **members: object) -> Mapping[str, Any]:
        """Call an operation within the budget; `operation` is the client's method name."""
        self.budget.take()
        return call(getattr(self.batch, operation), **members)

    def pages(self, operation: str, **members: object) -> Iterator[Mapping[str, Any]]:
        """Call a list operation page by page."""
        token: str | None = None
        while True:
            extra = {} if token is None else {"nextToken": token}
            page = self.call(operation, maxResults=PAGE, **members, **extra)
            yield page
            token = page.get("nextToken")
            if not token:
                return

    def each(self, what: str, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Call a function for each item, several at a time; the results are in the order of the items."""
        given = list(items)
        if not given:
            return []
        results = []
        with ThreadPoolExecutor(min(self.threads, len(given))) as pool:
            futures = [pool.submit(function, item) for item in given]
            try:
                for done, future in enumerate(futures, 1):
                    results.append(future.result())
                    if self.progress is not None:
                        self.progress(what, done, len(given))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return results


def collect(
    batch: BatchClient,
    queue: str,
    priorities: str = "where_needed",
    progress: Progress | None = None,
    *,
    reader: Reader | None = None,
) -> Collected:
    """Read a live queue.

    Args:
        batch: the Batch client.
        queue: name or ARN of the queue.
        priorities: `where_needed`, `all` or `none`: for which jobs priority, retries and owner are asked, one call
            each. Unknown priorities are null in the state.
        progress: is told what is read, how many steps are done and how many are known.
        reader: how to read; None reads with the defaults.

    Returns:
        The queue as it was read.

    Raises:
        NotFoundError: there is no such queue.
        LiveError: the account could not be read.
        ValueError: the queue has no quota management, or `priorities` is none of the three words.
    """
    if priorities not in ("where_needed", "all", "none"):
        raise ValueError(f"priorities must be where_needed, all or none, got {priorities}")
    reader = reader or Reader(batch, progress=progress)
    listed = read_lists(reader, queue)
    if priorities == "none":
        return listed
    if priorities == "all":
        return describe(reader, listed, [job.id for job in listed.state.jobs])
    return describe(reader, listed, jobs_with_priority_that_matters([listed.state]))


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
        ValueError: the queue has no quota management.
    """
    described = _job_queue(reader, queue)
    arn = described["jobQueueArn"]
    environment, shares, snapshot = reader.each(
        "shares",
        lambda step: step(),
        (
            lambda: _environment(reader, described),
            lambda: _shares(reader, arn),
            lambda: _snapshot(reader, arn),
        ),
    )
    listed, moving, fronts = _jobs(reader, arn, tuple(shares), snapshot)
    jobs = name_claimants(listed, shares, fronts)
    unknown = [job.id for job in jobs if not job.uses]
    region, account = _region_and_account(arn)
    state = QueueState(
        at=reader.now(),
        environment=environment,
        shares=shares,
        jobs=jobs,
        queue=described["jobQueueName"],
        region=region,
        account=account,
        time_limit_actions=_time_limits(described),
    )
    moved = f"jobs of {', '.join(moving)} moved while they were read; the picture may be torn"
    notes = (moved,) if moving else ()
    collected = Collected(state, bool(moving), notes, MappingProxyType({}), arn)
    return describe(reader, collected, unknown) if unknown else collected


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
        if not reader.has_time():
            return None
        try:
            return reader.call("describe_service_job", jobId=job_id)
        except NotFoundError:
            return {}

    for job_id, found in zip(asked, reader.each("jobs", details, asked), strict=True):
        if found is None:
            skipped += 1
        elif found:
            jobs[job_id] = job_with_details(jobs[job_id], found, reader.owner_tag)
            tags[job_id] = MappingProxyType(dict(found.get("tags") or {}))
    notes = collected.notes
    if len(wanted) > len(asked):
        more = len(wanted) - len(asked)
        notes = (*notes, f"priorities of {more} jobs were not read, {MOST_DESCRIPTIONS} are at most; they are unknown")
    if skipped:
        notes = (*notes, f"priorities of {skipped} jobs were not read, there was no time; they are unknown")
    state = replace(collected.state, jobs=tuple(jobs.values()))
    return replace(collected, state=state, tags=MappingProxyType(tags), notes=notes)


def _job_queue(reader: Reader, queue: str) -> Mapping[str, Any]:
    found = reader.call("describe_job_queues", jobQueues=[queue]).get("jobQueues") or []
    if not found:
        raise NotFoundError("DescribeJobQueues", "batch", "NotFound", f"there is no job queue {queue}")
    described: Mapping[str, Any] = found[0]
    if not described.get("serviceEnvironmentOrder"):
        raise ValueError(f"job queue {queue} has no service environment, so that it has no quota management")
    return described


def _environment(reader: Reader, described: Mapping[str, Any]) -> Mapping[str, int]:
    name = described["serviceEnvironmentOrder"][0]["serviceEnvironment"]
    found = reader.call("describe_service_environments", serviceEnvironments=[name]).get("serviceEnvironments") or []
    limits = found[0].get("capacityLimits") or [] if found else []
    if any(limit["capacityUnit"] == "NUM_INSTANCES" for limit in limits):
        raise ValueError(f"job queue {described['jobQueueName']} counts NUM_INSTANCES: it has no quota management")
    return {limit["capacityUnit"]: int(limit["maxCapacity"]) for limit in limits}


def _shares(reader: Reader, queue_arn: str) -> dict[str, Share]:
    shares = {}
    for page in reader.pages("list_quota_shares", jobQueue=queue_arn):
        for found in page.get("quotaShares") or []:
            if found.get("status") != "DELETING":
                shares[found["quotaShareName"]] = share_from_description(found)
    return shares


def share_from_description(found: Mapping[str, Any]) -> Share:
    """Make a share of an entry of ListQuotaShares or a response of DescribeQuotaShare.

    Args:
        found: the entry.

    Returns:
        The share; a borrow limit counts with LEND_AND_BORROW only.
    """
    sharing = found.get("resourceSharingConfiguration") or {}
    strategy = sharing.get("strategy") or "RESERVE"
    borrow = sharing.get("borrowLimit")
    return Share(
        found["quotaShareName"],
        {limit["capacityUnit"]: int(limit["maxCapacity"]) for limit in found.get("capacityLimits") or []},
        strategy,
        int(borrow) if borrow is not None and strategy == LEND_AND_BORROW else UNLIMITED,
        (found.get("preemptionConfiguration") or {}).get("inSharePreemption") == "ENABLED",
        found.get("state") or ENABLED,
    )


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What the service counts as used, per share and type, and the job at the front of each share."""

    usage: Mapping[str, Mapping[str, float]]
    fronts: Mapping[str, str]


def _snapshot(reader: Reader, queue_arn: str) -> _Snapshot:
    found = reader.call("get_job_queue_snapshot", jobQueue=queue_arn)
    utilization = (found.get("queueUtilization") or {}).get("quotaShareUtilization") or {}
    fronts = (found.get("frontOfQuotaShares") or {}).get("quotaShares") or {}
    return _Snapshot(
        {
            share["quotaShareName"]: {use["capacityUnit"]: use["quantity"] for use in share.get("capacityUsage") or []}
            for share in utilization.get("topCapacityUtilization") or []
        },
        {share: jobs[0]["jobArn"].rpartition("/")[2] for share, jobs in fronts.items() if jobs},
    )


def _jobs(
    reader: Reader, queue_arn: str, shares: tuple[str, ...], snapshot: _Snapshot
) -> tuple[tuple[Job, ...], tuple[str, ...], Mapping[str, str]]:
    """List the jobs of the shares; give them, the shares whose jobs moved to the end, and the fronts of the shares."""
    jobs: dict[str, dict[str, Job]] = {}
    moving = shares
    for attempt in range(ROUNDS):
        if attempt:
            snapshot = _snapshot(reader, queue_arn)
        lists = [(share, status) for share in moving for status in STATUSES]
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
            if (before[0], STATUSES.index(before[1].status)) > (at, STATUSES.index(job.status)):
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


def _time_limits(described: Mapping[str, Any]) -> tuple[TimeLimitAction, ...]:
    return tuple(
        TimeLimitAction(action["reason"], int(action["maxTimeSeconds"]), action["action"])
        for action in described.get("jobStateTimeLimitActions") or []
    )


def _region_and_account(arn: str) -> tuple[str | None, str | None]:
    parts = arn.split(":")
    return (parts[3] or None, parts[4] or None) if len(parts) > 5 else (None, None)


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
    jobs, _ = _newest([entry for status in STATUSES for entry in _list(reader, queue_arn, share, status)])
    return tuple(sorted(jobs.values(), key=lambda job: (-STATUSES.index(job.status), job.created_at or 0, job.id)))
