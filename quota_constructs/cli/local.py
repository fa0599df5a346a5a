"""`batch-quota local`: the local cloud, or its Batch service alone."""

from __future__ import annotations

import click

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.options import debug_option


@click.command(name="local", epilog="Example: batch-quota local --batch-only --port 4599")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port of 127.0.0.1; 0 takes a free one.")
@click.option("--batch-only", is_flag=True, help="Only Batch, without CloudFormation, Lambda and the rest.")
@debug_option
def command(port: int | None, batch_only: bool) -> int:
    """Run a local cloud with Batch quota management until it is interrupted."""
    try:
        from quota_constructs.local.__main__ import main
    except ModuleNotFoundError as error:
        raise Failure(f"{error.name} is missing; pip install 'quota-constructs[local]'") from error
    arguments = [] if port is None else ["--port", str(port)]
    return main([*arguments, "--batch-only"] if batch_only else arguments) or 0
