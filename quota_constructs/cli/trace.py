"""What a simulation starts from: a queue state, or a trace, which also tells run times and jobs to come."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.simulation import HOUR, Workload
from quota_constructs.cli.sources import Account, is_live, problems_of, read_bytes, read_state
from quota_scheduler import DocumentError, Job, Problem, QueueState, parse_state
from quota_scheduler.document import LARGEST, Problems, check_members, check_repeated, check_version, decode
from quota_scheduler.job import RUNNABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEMBERS = ("version", "state", "run_seconds", "arrivals")
_MOST_PROBLEMS = 25


@dataclass(frozen=True, slots=True)
class Trace:
    """A queue with its workload.

    Args:
        state: The queue at the start.
        run_milliseconds: Run time of jobs, by id; the others take the default.
        arrivals: Jobs to come.
    """

    state: QueueState
    run_milliseconds: Mapping[str, int]
    arrivals: tuple[Job, ...] = ()

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
        return round(sum(known) / len(known)) if known else HOUR

    def jobs_without_run_time(self) -> int:
        """Count the jobs to play whose run time is not known."""
        started = {job.id for job in self.state.jobs if job.is_dispatched and job.expected_end is not None}
        known = self.run_milliseconds.keys() | started
        unfinished = [job for job in self.state.jobs if job.is_waiting or job.is_dispatched]
        return sum(1 for job in (*unfinished, *self.arrivals) if job.id not in known)


def read_trace(source: str, account: Account) -> Trace:
    """Read a trace or a state from a file, from standard input, or from the live queue of that name.

    Raises:
        Failure: It cannot be read, is neither, or there is no such queue.
    """
    if is_live(source):
        return Trace(read_state(source, account)[0], {})
    return parse_trace(read_bytes(source), "standard input" if source == "-" else source)


def parse_trace(text: bytes, name: str) -> Trace:
    """Read a trace, or a queue state.

    Args:
        text: The file's content.
        name: Of the file, for the message.

    Raises:
        Failure: It is neither; all problems are named.
    """
    try:
        document = decode(text)
    except DocumentError as error:
        raise Failure(f"{name} is no trace: {problems_of(error)}") from error
    if not isinstance(document, dict) or "state" not in document:
        return Trace(_state(document, name, "$"), {})
    found = Problems()
    check_members(document, "$", found, _MEMBERS)
    check_version(document, found, 1)
    problems = [str(problem) for problem in found]
    state = _state(document["state"], name, "$.state")
    runs = _runs(document.get("run_seconds", {}), problems)
    arrivals = _arrivals(document.get("arrivals", []), state, runs, problems)
    known = {job.id for job in (*state.jobs, *arrivals)}
    if not problems:
        problems += [f"$.run_seconds.{job}: there is no such job" for job in runs if job not in known]
    if problems:
        left = [f"and {len(problems) - _MOST_PROBLEMS} more problems"] if len(problems) > _MOST_PROBLEMS else []
        raise Failure(f"{name} is no trace: {'; '.join([*problems[:_MOST_PROBLEMS], *left])}")
    return Trace(state, {job: seconds * 1000 for job, seconds in runs.items()}, arrivals)


def _state(document: object, name: str, place: str) -> QueueState:
    try:
        return parse_state(document if isinstance(document, dict) else json.dumps(document))
    except DocumentError as error:
        placed = [Problem(f"{place}{problem.path.removeprefix('$')}", problem.message) for problem in error.problems]
        raise Failure(f"{name} is no queue state: {problems_of(DocumentError(placed))}") from error


def _runs(value: object, problems: list[str]) -> dict[str, int]:
    if not isinstance(value, dict):
        problems.append("$.run_seconds: must be an object of job ids and seconds")
        return {}
    twice = Problems()
    check_repeated(value, "$.run_seconds", twice)
    problems += [str(problem) for problem in twice]
    wrong = [job for job, seconds in value.items() if not _is_time(seconds)]
    problems += [f"$.run_seconds.{job}: must be a whole number of seconds from 1" for job in wrong]
    return {job: seconds for job, seconds in value.items() if job not in wrong}


def _is_time(seconds: object) -> bool:
    return type(seconds) is int and 0 < seconds <= LARGEST


def _arrivals(value: object, state: QueueState, runs: dict[str, int], problems: list[str]) -> tuple[Job, ...]:
    """Read jobs to come: those of a state without a status, with `run_seconds` beside."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        problems.append("$.arrivals: must be a list of jobs")
        return ()
    jobs = []
    for index, item in enumerate(value):
        twice = Problems()
        check_repeated(item, f"$.arrivals[{index}]", twice)
        problems += [str(problem) for problem in twice]
        if item.get("status", RUNNABLE) != RUNNABLE:
            problems.append(f"$.arrivals[{index}].status: a job to come is {RUNNABLE}, leave its status out")
        members = {**item, "status": RUNNABLE}
        seconds = members.pop("run_seconds", None)
        if seconds is not None and not _is_time(seconds):
            problems.append(f"$.arrivals[{index}].run_seconds: must be a whole number of seconds from 1")
        elif seconds is not None:
            runs[str(members.get("id"))] = seconds
        if members.get("created_at") is None:
            problems.append(f"$.arrivals[{index}].created_at: is missing, it says when the job comes")
        jobs.append(members)
    document = {**replace(state, jobs=()).to_dict(), "jobs": [*(state.to_dict()["jobs"]), *jobs]}  # type: ignore[misc]  # a list
    known = len(state.jobs)
    try:
        return parse_state(document).jobs[known:]
    except DocumentError as error:
        problems += [f"{_renumbered(problem.path, known)}: {problem.message}" for problem in error.problems]
        return ()


def _renumbered(path: str, known: int) -> str:
    head, bracket, rest = path.partition("[")
    number, closing, tail = rest.partition("]")
    if head == "$.jobs" and bracket and closing and number.isdigit() and int(number) >= known:
        return f"$.arrivals[{int(number) - known}]{tail}"
    return path
