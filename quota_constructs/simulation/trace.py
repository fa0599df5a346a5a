"""What a simulation starts from: a queue state, or a trace, which also tells run times and jobs to come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.simulation.run import Workload
from quota_scheduler import DocumentError, Job, Problem, QueueState, parse_state
from quota_scheduler.document import (
    Problems,
    check_members,
    check_repeated,
    check_text,
    check_version,
    check_whole,
    child,
    decode,
    shown,
)
from quota_scheduler.job import RUNNABLE
from quota_scheduler.job_document import JobReader
from quota_scheduler.timestamp import MILLISECONDS_PER_HOUR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler import Share

_MEMBERS = ("version", "state", "run_seconds", "arrivals")


@dataclass(frozen=True, slots=True)
class Trace:
    """A queue with its workload.

    Args:
        state: The queue at the start.
        run_milliseconds: Run time of jobs, by id; the others take the default.
        arrivals: Jobs to come.
        notes: What the reader should know about how the queue was looked at.
    """

    state: QueueState
    run_milliseconds: Mapping[str, int]
    arrivals: tuple[Job, ...] = ()
    notes: tuple[str, ...] = ()

    def workload(self, otherwise_milliseconds: int) -> Workload:
        """Give the workload, with a run time for all jobs whose own is not known."""
        return Workload(self.run_milliseconds, otherwise_milliseconds, self.arrivals)

    def usual_run_milliseconds(self) -> int:
        """Give the mean of the run times that are known; an hour where none is."""
        known = list(self.run_milliseconds.values()) or [
            job.expected_end - job.started_at
            for job in self.state.jobs
            if job.expected_end is not None and job.started_at is not None
        ]
        return round(sum(known) / len(known)) if known else MILLISECONDS_PER_HOUR

    def jobs_without_run_time(self) -> int:
        """Count the jobs to play whose run time is not known."""
        started = {job.id for job in self.state.jobs if job.is_dispatched and job.expected_end is not None}
        known = self.run_milliseconds.keys() | started
        unfinished = [job for job in self.state.jobs if job.is_unfinished]
        return sum(1 for job in (*unfinished, *self.arrivals) if job.id not in known)


def parse_trace(text: bytes) -> Trace:
    """Read a trace, or a queue state.

    Args:
        text: The document.

    Raises:
        DocumentError: It is neither; the error has every problem with its JSON path.
    """
    document = decode(text)
    if not isinstance(document, Mapping) or "state" not in document:
        return Trace(_state(document, "$"), {})
    problems = Problems()
    check_members(document, "$", problems, _MEMBERS)
    check_version(document, problems, 1)
    state = None
    try:
        state = _state(document["state"], "$.state")
    except DocumentError as error:
        problems += error.problems
    runs = _runs(document.get("run_seconds", {}), problems)
    arrivals = _arrivals(document.get("arrivals", []), None if state is None else state.shares, runs, problems)
    if state is None:
        raise DocumentError(problems)
    _check_ids(state.jobs, arrivals, runs, problems)
    problems.raise_any()
    return Trace(state, {job: seconds * 1000 for job, seconds in runs.items()}, arrivals)


def _state(document: object, path: str) -> QueueState:
    if not isinstance(document, Mapping):
        raise DocumentError([Problem(path, f"must be an object, got {shown(document)}")])
    try:
        return parse_state(document)
    except DocumentError as error:
        placed = [Problem(f"{path}{problem.path.removeprefix('$')}", problem.message) for problem in error.problems]
        raise DocumentError(placed) from None


def _runs(value: object, problems: Problems) -> dict[str, int]:
    path = "$.run_seconds"
    if not isinstance(value, Mapping):
        problems.add(path, f"must be an object of job ids and seconds, got {shown(value)}")
        return {}
    check_repeated(value, path, problems)
    for job in value:
        check_text(job, child(path, job), problems)
    return {job: check_whole(seconds, child(path, job), problems, 1) for job, seconds in value.items()}


def _arrivals(
    value: object, shares: Mapping[str, Share] | None, runs: dict[str, int], problems: Problems
) -> tuple[Job, ...]:
    """Read jobs to come: those of a state without a status, with `run_seconds` beside, which join the run times."""
    if not isinstance(value, list):
        problems.add("$.arrivals", f"must be a list of jobs, got {shown(value)}")
        return ()
    read = JobReader(shares, problems, "$.arrivals")
    jobs = []
    for index, item in enumerate(value):
        path = f"$.arrivals[{index}]"
        if not isinstance(item, Mapping):
            problems.add(path, f"must be an object, got {shown(item)}")
            continue
        check_repeated(item, path, problems)
        if item.get("status", RUNNABLE) != RUNNABLE:
            problems.add(f"{path}.status", f"a job to come is {RUNNABLE}, leave its status out")
        if item.get("created_at") is None:
            problems.add(f"{path}.created_at", "is missing, it says when the job comes")
        members = {name: member for name, member in item.items() if name != "run_seconds"}
        job = read.job({**members, "status": RUNNABLE}, index)
        jobs.append(job)
        seconds = item.get("run_seconds")
        if seconds is not None:
            if job.id in runs:
                problems.add(f"{path}.run_seconds", f"{child('$.run_seconds', job.id)} says how long it runs, too")
            runs[job.id] = check_whole(seconds, f"{path}.run_seconds", problems, 1)
    return tuple(jobs)


def _check_ids(there: Iterable[Job], arrivals: Iterable[Job], runs: Iterable[str], problems: Problems) -> None:
    """Check that jobs to come are none of those that are there, and that run times are those of jobs."""
    known = {job.id for job in there}
    for index, job in enumerate(arrivals):
        if job.id in known:
            problems.add(f"$.arrivals[{index}].id", f"job {shown(job.id)} is in the state already")
    known.update([job.id for job in arrivals])
    for name in runs:
        if name not in known:
            problems.add(child("$.run_seconds", name), "there is no such job")
