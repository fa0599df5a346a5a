"""`batch-quota simulate`: what would come of a queue, as it is and under other limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from quota_constructs.cli.sources import Account
    from quota_scheduler import Change, QueueState

_UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MOST_DIGITS = 6  # of a length of time: more days than the calendar of the documents has
_MOST_HOURS = 1_000_000
AS_IT_IS, CHANGED = "as it is", "changed"
"""Names of the runs."""


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
    from quota_constructs.cli import output as out
    from quota_constructs.cli.sources import progress, read_change
    from quota_constructs.cli.trace import read_trace
    from quota_constructs.report.simulation import print_simulation, simulation_markdown
    from quota_constructs.simulation.document import simulation_document
    from quota_constructs.simulation.play import simulate

    if trace == "-" and change == "-":
        raise click.UsageError("trace and change cannot both be read from standard input")
    if run_hours is not None and not run_hours <= _MOST_HOURS:
        raise click.UsageError(f"--run-hours is a number of hours up to {_MOST_HOURS}, got {run_hours}")
    chosen = read_knobs(knobs)
    given = read_trace(trace, account)
    usual = given.usual_run_milliseconds() if run_hours is None else round(run_hours * _UNITS["h"])
    limit = None if until is None else parse_until(until, given.state.at)
    wanted = None if change is None else read_change(change, given.state)
    workload = given.workload(usual)
    with progress(AS_IT_IS) as advance:
        runs = {AS_IT_IS: simulate(given.state, workload, chosen, until=limit, progress=advance)}
    notes = list(given.notes)
    if wanted is not None:
        notes += _broken(given.state, wanted)
        with progress(CHANGED) as advance:
            runs[CHANGED] = simulate(given.state, workload, chosen, change=wanted, until=limit, progress=advance)
    document = simulation_document(runs, limit)
    if layout == "json":
        out.write_json(document, output)
        out.write_notes(notes)
        return
    notes += _notes(given.jobs_without_run_time(), usual)
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


def _broken(state: QueueState, change: Change) -> list[str]:
    """Say which rules the queue would break with the change and does not break now, a line a rule."""
    from quota_scheduler import apply_change
    from quota_scheduler.rules import check_state, introduced_errors
    from quota_scheduler.wording import count

    told: dict[str, list[str]] = {}
    for error in introduced_errors(check_state(state), check_state(apply_change(state, change))):
        told.setdefault(error.id, []).append(error.message)
    lines = []
    for rule, (first, *others) in told.items():
        more = f", and {count(len(others), 'more breach', 'more breaches')} of it" if others else ""
        lines.append(f"the changed queue would not be valid: {first} [{rule}]{more}")
    return lines


def _notes(without_run_time: int, usual: int) -> list[str]:
    """Say how long jobs run of which nobody knows, where there are any."""
    from quota_scheduler.wording import count, duration

    if not without_run_time:
        return []
    verb = "runs" if without_run_time == 1 else "run"
    return [f"{count(without_run_time, 'job')} without a known run time {verb} for {duration(usual)} (--run-hours)"]
