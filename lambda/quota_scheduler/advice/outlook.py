"""What a queue will look like when its jobs end as expected and nothing new is submitted.

A job without an expected end, or with one that is over, never ends here; one that starts on the way does not either,
since nobody knows how long it will take. Stopping takes no time.

Source: assumed (docs/decisions/0019-what-advice-promises.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from quota_scheduler.cycle import Pass
from quota_scheduler.job_index import JobIndex
from quota_scheduler.transitions import dispatched, requeued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.job import Job
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.state import QueueState


@dataclass(frozen=True, slots=True)
class Moment:
    """A queue at a later moment, when everything that can start has started.

    Args:
        state: the queue.
        stopped: jobs that were stopped for others on the way.
    """

    state: QueueState
    stopped: frozenset[str]


def outlook(state: QueueState, knobs: Knobs) -> Iterator[Moment]:
    """Give the queue right after each moment at which jobs are expected to end, one after another.

    Args:
        state: the queue now.
        knobs: what is assumed about the scheduler.
    """
    moment = settle(state, knobs)
    for end in sorted({end for job in state.jobs if (end := _end_of(job, state.at)) is not None}):
        jobs = tuple(job for job in moment.state.jobs if not (job.is_dispatched and job.expected_end == end))
        later = settle(replace(moment.state, at=end, jobs=jobs), knobs)
        moment = Moment(later.state, moment.stopped | later.stopped)
        yield moment


def _end_of(job: Job, now: int) -> int | None:
    """Give when a job will end, if that is known and still to come."""
    end = job.expected_end
    return end if job.is_dispatched and end is not None and end > now else None


def settle(state: QueueState, knobs: Knobs) -> Moment:
    """Let everything start that can, and stop what is stopped for it."""
    stopped: frozenset[str] = frozenset()
    for _ in range(len(state.jobs) + 1):
        served = Pass(state, JobIndex(state.jobs), knobs).run().served
        if not served:
            break
        started = {ruling.job.id for ruling in served}
        now_stopped = {job.id for ruling in served if ruling.targets is not None for job in ruling.targets.likely}
        stopped |= now_stopped
        state = replace(state, jobs=tuple(_moved(job, state.at, started, now_stopped, knobs) for job in state.jobs))
    return Moment(state, stopped)


def _moved(job: Job, at: int, started: set[str], stopped: set[str], knobs: Knobs) -> Job:
    if job.id in started:
        return replace(dispatched(job, at), status="RUNNING", started_at=at, expected_end=None)
    if job.id in stopped or job.stopping_for in started:
        return requeued(job, at, knobs)
    return job
