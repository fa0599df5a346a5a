"""What goes into a simulation beside the queue, and what comes out of it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler import Job


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to a job.

    Args:
        at: When, in milliseconds since 1970 UTC.
        what: `submitted`, `refused` (its share is removed or DISABLED), `started`, `preempted`, `finished`, `failed`
            (after a preemption) or `terminated` (with its share, by the change).
        job: Its id.
        share: Its share.
        lost: Work that was lost by it, in GPU-milliseconds.
    """

    at: int
    what: str
    job: str
    share: str
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a job waited for its first start.

    Args:
        share: Its share.
        since: When it was submitted, in milliseconds since 1970 UTC; the start where that is not known.
        until: When it started; None if it had not at the end.
    """

    share: str
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a queue.

    Args:
        start: When it began, in milliseconds since 1970 UTC.
        end: When the last thing happened, or the limit that was given where it would have gone on.
        happenings: What happened, in order.
        waits: Of the jobs that waited for their first start, by id.
        still_waiting: Shares of the jobs that waited at the end, for their first start or for another one, by id.
        never_fits: Those of them that could not run if the queue were empty.
        still_running: Jobs that had not ended at the end.
        busy: Instance-milliseconds in use, by instance type.
        environment: Instances that there were, by type.
        shares: Names of the shares that there were.
    """

    start: int
    end: int
    happenings: tuple[Happening, ...]
    waits: Mapping[str, Wait]
    still_waiting: Mapping[str, str]
    never_fits: frozenset[str]
    still_running: tuple[str, ...]
    busy: Mapping[str, int]
    environment: Mapping[str, int]
    shares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """How long jobs run, and which ones are still to come.

    Args:
        run_milliseconds: Run time of a job, by its id.
        otherwise_milliseconds: Run time of all other jobs.
        arrivals: Jobs to come, each with the time of its submission.
    """

    run_milliseconds: Mapping[str, int]
    otherwise_milliseconds: int
    arrivals: tuple[Job, ...] = ()

    def of(self, job: Job) -> int:
        """Give the run time of a job."""
        return self.run_milliseconds.get(job.id, self.otherwise_milliseconds)
