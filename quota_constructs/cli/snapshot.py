"""`batch-quota snapshot`: the state of a live queue as a file that every offline command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quota_constructs.cli.options import account_options, debug_option, output_option

if TYPE_CHECKING:
    from quota_constructs.cli.sources import Account


@click.command(
    name="snapshot",
    short_help="Write the state of a live queue to a file.",
    epilog="Example: batch-quota snapshot ml-training -o state.json",
)
@click.argument("queue")
@output_option
@click.option("--redact", is_flag=True, help="Replace names, owners, ids and the account by pseudonyms.")
@account_options
@debug_option
def command(
    queue: str,
    output: str | None,
    redact: bool,
    account: Account,
) -> None:
    """Write the state of the live queue QUEUE: its environment, shares and unfinished jobs.

    QUEUE may also be a file that `snapshot` wrote, to redact it.
    """
    from quota_constructs.cli.output import write_json, write_notes
    from quota_constructs.cli.redact import redact as redacted
    from quota_constructs.cli.sources import collect, is_live, parse_state_file

    notes: tuple[str, ...] = ()
    if is_live(queue):
        collected = collect(account, queue, priorities="all")
        state, notes = collected.state, collected.notes
    else:
        state = parse_state_file(queue)
    write_json((redacted(state) if redact else state).to_dict(), output)
    write_notes(notes)
