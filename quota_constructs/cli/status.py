"""`batch-quota status`: who uses, borrows, lends and waits; once, or again and again."""

from __future__ import annotations

import math
import sys
import time
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
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from quota_constructs.cli.sources import Account
    from quota_scheduler import Knobs, QueueState


@click.command(
    name="status",
    short_help="Show who uses, borrows, lends and waits.",
    epilog="Example: batch-quota status ml-training --watch",
)
@click.argument("queue")
@click.option("--watch", is_flag=True, help="Show it again and again until interrupted.")
@click.option(
    "--interval", type=click.FloatRange(min=1), default=5, show_default=True, help="Seconds between looks of --watch."
)
@format_option("text", "json", "markdown")
@output_option
@knob_option
@account_options
@debug_option
def command(
    queue: str,
    watch: bool,
    interval: float,
    layout: str,
    output: str | None,
    knobs: tuple[str, ...],
    account: Account,
) -> None:
    """Show the shares of QUEUE as bars, and why the first job of each share waits.

    QUEUE is the name of a live queue, a file that `snapshot` wrote, or - for standard input.
    """
    if watch and (output or layout != "text"):
        raise click.UsageError("--watch is for the terminal; leave out -o and --format")
    if not math.isfinite(interval):
        raise click.UsageError(f"--interval is a number of seconds from 1, got {interval}")
    if watch and queue == "-":
        raise click.UsageError("--watch needs a queue or a file, standard input can be read only once")
    from quota_constructs.cli import output as out
    from quota_constructs.cli.sources import read_state
    from quota_constructs.report.status import status_document

    chosen = read_knobs(knobs)

    def look() -> QueueState:
        return read_state(queue, account)[0]

    if watch:
        show(look, chosen, interval)
        return
    state, notes = read_state(queue, account)
    document = status_document(state, chosen)
    if layout == "json":
        out.write_json(document, output)
        out.write_notes(notes)
    elif layout == "markdown":
        from quota_constructs.report.status_markdown import status_markdown

        out.write(status_markdown(document, state.at, notes), output)
    else:
        from quota_constructs.report.status_text import status_table

        out.write_text(lambda console: console.print(status_table(console, document, state.at, notes)), output)


def show(
    look: Callable[[], QueueState], knobs: Knobs, interval: float, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Show the status again and again; it ends with the interruption that the caller gets.

    Args:
        look: Reads the queue.
        knobs: Answers to what AWS leaves open.
        interval: Seconds between two looks.
        sleep: Waits for that many seconds.
    """
    from quota_constructs.cli.console import console
    from quota_constructs.report.status import status_document
    from quota_constructs.report.status_text import status_table

    if sys.stdout is None:
        raise Failure("standard output is closed; --watch needs a terminal")
    screen = console()

    def tables() -> Iterator[RenderableType]:
        while True:
            state = look()
            yield status_table(screen, status_document(state, knobs), state.at)
            sleep(interval)

    if not screen.is_terminal:
        for table in tables():
            screen.print(table)
            sys.stdout.flush()
    from rich.live import Live

    with Live(console=screen, auto_refresh=False, screen=True) as live:
        for table in tables():
            live.update(table, refresh=True)
