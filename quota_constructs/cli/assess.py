"""`batch-quota assess`: what a change would do to a queue, from a state; no account is needed for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quota_constructs.cli.options import (
    account_options,
    debug_option,
    exit_code,
    format_option,
    knob_option,
    level_option,
    output_option,
    read_knobs,
)

if TYPE_CHECKING:
    from quota_constructs.cli.sources import Account


@click.command(name="assess", epilog="Example: batch-quota assess state.json --change change.json --format json")
@click.argument("state")
@click.option(
    "--change", metavar="FILE", help="The change as JSON, - for standard input; without it, the queue as it is."
)
@click.option("--allow-oversubscription", is_flag=True, help="The shares may have more than the environment together.")
@format_option()
@output_option
@level_option
@knob_option
@account_options
@debug_option
def command(
    state: str,
    change: str | None,
    allow_oversubscription: bool,
    layout: str,
    output: str | None,
    fail_on: str,
    knobs: tuple[str, ...],
    account: Account,
) -> int:
    """Tell what a change would do to the jobs of a queue.

    STATE is a file that `snapshot` wrote, - for standard input, or the name of a live queue.
    """
    from quota_constructs.cli.assessed import write_assessed
    from quota_constructs.cli.output import write_notes
    from quota_constructs.cli.sources import read_change, read_state
    from quota_constructs.report.assessed import Assessed
    from quota_constructs.report.verdicts import BLOCKED
    from quota_scheduler import Change, assess

    if state == "-" and change == "-":
        raise click.UsageError("state and change cannot both be read from standard input")
    chosen = read_knobs(knobs)
    before, notes = read_state(state, account)
    wanted = Change() if change is None else read_change(change, before)
    outcome = assess(before, wanted, chosen, allow_oversubscription=allow_oversubscription)
    acknowledge = outcome.acknowledge if outcome.verdict in BLOCKED else ""
    write_assessed((Assessed(outcome, before, wanted, notes=notes, acknowledge=acknowledge),), layout, output)
    if layout == "json":
        write_notes(notes)
    return exit_code(outcome.verdict, fail_on)
