"""`batch-quota local`: the local cloud, or its Batch service alone."""

from __future__ import annotations

import click

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.options import debug_option
from quota_constructs.local.errors import StartError
from quota_constructs.local.settings import DELAYS, PORT, SPEED


@click.command(
    name="local",
    short_help="Run a local cloud to try all this on.",
    epilog="Example: batch-quota local --batch-only --port 4599",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Listen on this port of 127.0.0.1; 0 takes a free one.",
)
@click.option("--batch-only", is_flag=True, help="Only Batch, without CloudFormation, Lambda and the rest.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=SPEED,
    show_default=True,
    help="Seconds of its clock in a second; 0 stands still.",
)
@click.option(
    "--delays",
    type=click.Choice(DELAYS),
    default=DELAYS[0],
    show_default=True,
    help="How long statuses take; short for a demo.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=NUMBER",
    multiple=True,
    help="One delay or limit in place of those of --delays, as stop_seconds=120; more than once if needed.",
)
@click.option(
    "--knob",
    "knobs",
    metavar="NAME=VALUE",
    multiple=True,
    help="An assumption of the scheduler, as head_blocking=backfill; the model's own unless given.",
)
@click.option("--faults", metavar="FILE", help="Rules that make calls fail; none do unless given.")
@click.option("--enforce-iam", is_flag=True, help="Refuse what the caller's policies do not allow.")
@click.option("--verbose", is_flag=True, help="Write what the local cloud does to standard error.")
@debug_option
def command(
    port: int,
    batch_only: bool,
    speed: float,
    delays: str,
    settings: tuple[str, ...],
    knobs: tuple[str, ...],
    faults: str | None,
    enforce_iam: bool,
    verbose: bool,
) -> int:
    """Run a local cloud with Batch quota management until it is interrupted."""
    if batch_only and enforce_iam:
        raise click.UsageError("--enforce-iam needs the policies of the whole local cloud; leave out --batch-only")
    from quota_constructs.local.__main__ import serve_as_told

    valued = [("--port", port), ("--speed", speed), ("--delays", delays), ("--faults", faults)]
    valued += [*(("--set", given) for given in settings), *(("--knob", given) for given in knobs)]
    flags = [("--batch-only", batch_only), ("--enforce-iam", enforce_iam), ("--verbose", verbose)]
    arguments = [f"{name}={value}" for name, value in valued if value is not None]
    try:
        serve_as_told(arguments + [name for name, given in flags if given])
    except StartError as error:
        raise Failure(str(error)) from error
    return 0
