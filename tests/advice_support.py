"""Small queues for the tests of advice, and a look ahead that is written independently of the one under test."""

from dataclasses import replace

from quota_scheduler.cycle import cycle
from quota_scheduler.job import Job
from quota_scheduler.share import Share
from quota_scheduler.state import QueueState

TYPE = "ml.p4d.24xlarge"
HOUR = 3_600_000
NOW = 490_000 * HOUR


def lends(limit: int) -> Share:
    return Share("", {TYPE: limit}, "LEND")


def reserves(limit: int) -> Share:
    return Share("", {TYPE: limit}, "RESERVE")


def borrows(limit: int, percent: int = -1, *, in_share: bool = False) -> Share:
    return Share("", {TYPE: limit}, "LEND_AND_BORROW", percent, in_share_preemption=in_share)


def runs(
    job_id: str, share: str, amount: int, *, since: int = 10, ends_in: float | None = None, priority: int = 5
) -> Job:
    """A job that has run for some hours, and ends in some if that is known."""
    return Job(
        job_id,
        share,
        {TYPE: amount},
        "RUNNING",
        priority=priority,
        created_at=NOW - (since + 1) * HOUR,
        started_at=NOW - since * HOUR,
        expected_end=None if ends_in is None else NOW + int(ends_in * HOUR),
    )


def waits(job_id: str, share: str, amount: int, *, priority: int = 5) -> Job:
    return Job(job_id, share, {TYPE: amount}, "RUNNABLE", priority=priority, created_at=NOW - HOUR // 2)


def queue(environment: int, *jobs: Job, **shares: Share) -> QueueState:
    named = {name: replace(share, name=name) for name, share in shares.items()}
    return QueueState(NOW, {TYPE: environment}, named, jobs)


def later(state: QueueState, at: int) -> tuple[QueueState, set[str]]:
    """Let time pass up to a moment, jobs ending as expected; also gives who was stopped on the way."""
    stopped: set[str] = set()
    own_ends = {job.id: job.expected_end for job in state.jobs if job.is_dispatched}
    state = _start(state, stopped, own_ends)
    for end in sorted({end for end in own_ends.values() if end is not None and state.at < end <= at}):
        ended = {job.id for job in state.jobs if job.is_dispatched and own_ends.get(job.id) == end}
        left = tuple(job for job in state.jobs if job.id not in ended)
        state = _start(replace(state, at=end, jobs=left), stopped, own_ends)
    return replace(state, at=at), stopped


def _start(state: QueueState, stopped: set[str], own_ends: dict[str, int | None]) -> QueueState:
    while True:
        decisions = cycle(state)
        started = {decision.job for decision in decisions if decision.outcome in ("dispatch", "preempt")}
        if not started:
            return state
        preempted = {job_id for decision in decisions for job_id in decision.preempted}
        stopped |= preempted
        jobs = []
        for job in state.jobs:
            if job.id in started:
                own_ends[job.id] = None
                jobs.append(replace(job, status="RUNNING", scheduled_at=state.at, started_at=state.at))
            elif job.id in preempted:
                own_ends[job.id] = None
                jobs.append(replace(job, status="RUNNABLE", scheduled_at=None, started_at=None))
            else:
                jobs.append(job)
        state = replace(state, jobs=tuple(jobs))
