"""`batch-quota simulate`: what would come of a queue, as it is and under other limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.options import (
    account_options,
    debug_option,
    format_option,
    knob_option,
    output_option,
    read_knobs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_constructs.cli.simulation import Run
    from quota_constructs.cli.sources import Account
    from quota_scheduler import Change, QueueState

_UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MOST_DIGITS = 6  # of a length of time: more days than the calendar of the documents has
_MOST_HOURS = 1_000_000
_WHAT = ("finished", "preempted", "failed")


@click.command(
    name="simulate",
    short_help="Play a queue through time, as it is and under other limits.",
    epilog="Example: batch-quota simulate state.json --change change.json --until 7d",
)
@click.argument("trace")
@click.option("--change", metavar="FILE", help="Play it with this change, too, and compare.")
@click.option("--until", metavar="WHEN", help="Stop there: a time such as 2026-11-30T00:00:00Z, or 90m, 24h, 7d.")
@click.option(
    "--run-hours",
    type=click.FloatRange(min=0, min_open=True),
    help="How long jobs run whose own time is not known; the mean of the known ones, or an hour, unless given.",
)
@format_option("text", "json", "markdown")
@output_option
@knob_option
@account_options
@debug_option
def command(
    trace: str,
    change: str | None,
    until: str | None,
    run_hours: float | None,
    layout: str,
    output: str | None,
    knobs: tuple[str, ...],
    account: Account,
) -> None:
    """Play a queue through time with the scheduler model: waiting times, preemptions, GPU-hours lost.

    TRACE is a file that snapshot wrote, or a trace: {"state": …, "run_seconds": {JOB: SECONDS}, "arrivals": [jobs to
    come, with created_at and run_seconds]}; - is standard input, and the name of a live queue is what is there now.
    The same input gives the same result.
    """
    from dataclasses import replace

    from quota_constructs.cli import output as out
    from quota_constructs.cli.simulation import simulate
    from quota_constructs.cli.sources import progress, read_change
    from quota_constructs.cli.trace import read_trace
    from quota_constructs.report.simulation import print_simulation, simulation_markdown
    from quota_scheduler import apply_change
    from quota_scheduler.timestamp import format_timestamp

    if trace == "-" and change == "-":
        raise click.UsageError("trace and change cannot both be read from standard input")
    if run_hours is not None and not run_hours <= _MOST_HOURS:
        raise click.UsageError(f"--run-hours is a number of hours up to {_MOST_HOURS}, got {run_hours}")
    chosen = read_knobs(knobs)
    given = read_trace(trace, account)
    usual = given.usual_run_milliseconds() if run_hours is None else round(run_hours * _UNITS["h"])
    limit = None if until is None else parse_until(until, given.state.at)
    workload = given.workload(usual)
    with progress("as it is") as advance:
        played = simulate(given.state, workload, chosen, limit, advance)
    runs = [run_document("as it is", played, given.state, 0)]
    if change is not None:
        wanted = read_change(change, given.state)
        after = apply_change(given.state, wanted)
        coming = tuple(job for job in workload.arrivals if job.share in after.shares)
        with progress("changed") as advance:
            played = simulate(after, replace(workload, arrivals=coming), chosen, limit, advance)
        ended = _ended(given.state, wanted)
        runs.append(run_document("changed", played, after, ended))
    document = {"version": 1, "start": format_timestamp(given.state.at), "runs": runs}
    if layout == "json":
        out.write_json(document, output)
        return
    notes = _notes(given.jobs_without_run_time(), usual)
    if layout == "markdown":
        out.write(simulation_markdown(document, notes), output)
        return
    out.write_text(lambda console: print_simulation(console, document, notes), output)


def parse_until(text: str, start: int) -> int:
    """Read when to stop: a time, or a length of time after the start.

    Raises:
        Failure: It is neither, or before the start.
    """
    from quota_scheduler.timestamp import parse_timestamp

    if text[:-1].isascii() and text[:-1].isdigit() and len(text) <= _MOST_DIGITS + 1 and text[-1:] in _UNITS:
        return start + int(text[:-1]) * _UNITS[text[-1]]
    try:
        moment = parse_timestamp(text)
    except ValueError as error:
        raise Failure(f"--until is a time such as 2026-11-30T00:00:00Z, or 90m, 24h or 7d, got {text}") from error
    if moment < start:
        raise Failure(f"--until {text} is before the start of the simulation")
    return moment


def _ended(state: QueueState, change: Change) -> int:
    """Count the jobs that the change ends at once: those of removed shares."""
    removed = {name for name, members in change.shares.items() if members is None}
    return sum(1 for job in state.jobs if job.share in removed and (job.is_waiting or job.is_dispatched))


def _notes(without_run_time: int, usual: int) -> list[str]:
    """Say how long jobs run of which nobody knows, where there are any."""
    from quota_scheduler.wording import count, duration

    if not without_run_time:
        return []
    verb = "runs" if without_run_time == 1 else "run"
    return [f"{count(without_run_time, 'job')} without a known run time {verb} for {duration(usual)} (--run-hours)"]


def run_document(name: str, run: Run, state: QueueState, terminated: int) -> dict[str, Any]:
    """Give one run of a simulation as a document; the schema is `simulation.schema.json`."""
    from quota_scheduler.timestamp import format_timestamp

    share_of = {item.job: item.share for item in run.happenings}
    capacity = sum(run.environment.values()) * (run.end - run.start)
    return {
        "name": name,
        "end": format_timestamp(run.end),
        "jobs": {
            **{what: _count(run, what) for what in _WHAT},
            "terminated": terminated,
            "waiting": len(run.still_waiting),
            "running": len(run.still_running),
        },
        "waiting_seconds": _waits(run.waits.values()),
        "lost_gpu_hours": _lost(run),
        "used": None if capacity <= 0 else round(sum(run.busy.values()) / capacity, 4),
        "shares": {
            share: {
                **{what: _count(run, what, share) for what in _WHAT},
                "waiting": sum(1 for of in run.still_waiting.values() if of == share),
                "waiting_seconds": _waits(wait for job, wait in run.waits.items() if share_of[job] == share),
                "lost_gpu_hours": _lost(run, share),
            }
            for share in sorted(state.shares)
        },
        "events": [
            {"at": format_timestamp(item.at), "what": item.what, "job": item.job, "share": item.share}
            for item in run.happenings
        ],
    }


def _count(run: Run, what: str, share: str | None = None) -> int:
    return sum(1 for item in run.happenings if item.what == what and share in (None, item.share))


def _lost(run: Run, share: str | None = None) -> float:
    return round(sum((item.lost_gpu_hours for item in run.happenings if share in (None, item.share)), 0.0), 4)


def _waits(waits: Iterable[int]) -> dict[str, int]:
    listed = list(waits)
    if not listed:
        return {"mean": 0, "longest": 0}
    return {"mean": round(sum(listed) / len(listed) / 1000), "longest": round(max(listed) / 1000)}
