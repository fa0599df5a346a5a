"""What a simulation starts from: a queue state, or a trace, which also tells run times and jobs to come."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.simulation import HOUR, Workload
from quota_constructs.cli.sources import Account, is_live, problems_of, read_bytes, read_state
from quota_scheduler import DocumentError, Job, QueueState, parse_state

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEMBERS = ("version", "state", "run_seconds", "arrivals")


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
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Failure(f"{name} is not JSON: {error}") from error
    if not isinstance(document, dict) or "state" not in document:
        return Trace(_state(document, name, ""), {})
    unknown = [f"$.{member}: is no member of a trace" for member in document if member not in _MEMBERS]
    problems = [*unknown, *_version(document)]
    state = _state(document["state"], name, ".state")
    runs = _runs(document.get("run_seconds", {}), problems)
    arrivals = _arrivals(document.get("arrivals", []), state, runs, problems)
    if problems:
        raise Failure(f"{name} is no trace: {'; '.join(problems[:8])}")
    return Trace(state, {job: seconds * 1000 for job, seconds in runs.items()}, arrivals)


def _version(document: Mapping[str, Any]) -> list[str]:
    version = document.get("version", 1)
    return [] if version == 1 and version is not True else [f"$.version: must be 1, got {version!r}"]


def _state(document: object, name: str, place: str) -> QueueState:
    try:
        return parse_state(document if isinstance(document, dict) else json.dumps(document))
    except DocumentError as error:
        told = problems_of(error).replace("$", f"${place}")
        raise Failure(f"{name} is no queue state: {told}") from error


def _runs(value: object, problems: list[str]) -> dict[str, int]:
    if not isinstance(value, dict):
        problems.append("$.run_seconds: must be an object of job ids and seconds")
        return {}
    wrong = [job for job, seconds in value.items() if not _is_time(seconds)]
    problems += [f"$.run_seconds.{job}: must be a whole number of seconds from 1" for job in wrong]
    return {job: seconds for job, seconds in value.items() if job not in wrong}


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int) and not isinstance(seconds, bool) and seconds > 0


def _arrivals(value: object, state: QueueState, runs: dict[str, int], problems: list[str]) -> tuple[Job, ...]:
    """Read jobs to come: those of a state without a status, with `run_seconds` beside."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        problems.append("$.arrivals: must be a list of jobs")
        return ()
    jobs = []
    for index, item in enumerate(value):
        members = {"status": "RUNNABLE", **item}
        seconds = members.pop("run_seconds", None)
        if seconds is not None and not _is_time(seconds):
            problems.append(f"$.arrivals[{index}].run_seconds: must be a whole number of seconds from 1")
        elif seconds is not None:
            runs[str(members.get("id"))] = seconds
        if "created_at" not in members:
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
