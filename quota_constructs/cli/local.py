"""`batch-quota local`: the local cloud, or its Batch service alone."""

from __future__ import annotations

import click

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.options import debug_option


@click.command(
    name="local",
    short_help="Run a local cloud to try all this on.",
    epilog="Example: batch-quota local --batch-only --port 4599",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port of 127.0.0.1; 0 takes a free one.")
@click.option("--batch-only", is_flag=True, help="Only Batch, without CloudFormation, Lambda and the rest.")
@click.option("--speed", type=click.FloatRange(min=0), help="Seconds of its clock in a second; 0 stands still.")
@click.option("--delays", type=click.Choice(["short", "realistic"]), help="How long statuses take; short for a demo.")
@click.option(
    "--set", "settings", metavar="NAME=NUMBER", multiple=True, help="One delay or limit, as stop_seconds=120."
)
@click.option("--knob", "knobs", metavar="NAME=VALUE", multiple=True, help="An assumption of the scheduler.")
@click.option("--faults", metavar="FILE", help="Rules that make calls fail.")
@click.option("--enforce-iam", is_flag=True, help="Refuse what the caller's policies do not allow.")
@click.option("--verbose", is_flag=True, help="Write what the local cloud does to standard error.")
@debug_option
def command(
    port: int | None,
    batch_only: bool,
    speed: float | None,
    delays: str | None,
    settings: tuple[str, ...],
    knobs: tuple[str, ...],
    faults: str | None,
    enforce_iam: bool,
    verbose: bool,
) -> int:
    """Run a local cloud with Batch quota management until it is interrupted."""
    try:
        from quota_constructs.local.__main__ import main
    except ModuleNotFoundError as error:
        raise Failure(f"{error.name} is missing; pip install 'quota-constructs[local]'") from error
    valued = [("--port", port), ("--speed", speed), ("--delays", delays), ("--faults", faults)]
    valued += [*(("--set", given) for given in settings), *(("--knob", given) for given in knobs)]
    flags = [("--batch-only", batch_only), ("--enforce-iam", enforce_iam), ("--verbose", verbose)]
    arguments = [part for name, value in valued if value is not None for part in (name, str(value))]
    return main(arguments + [name for name, given in flags if given])
