"""`batch-quota plan`: what a deployment would do to the work that is running now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quota_constructs.cli.failure import Failure
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
    from collections.abc import Sequence

    from quota_constructs.cli.sources import Account
    from quota_constructs.planning.planned import Planned
    from quota_scheduler import Knobs


@click.command(
    name="plan",
    short_help="Tell what a deployment would do to the jobs that run and wait now.",
    epilog="Example: cdk synth -q && batch-quota plan --app cdk.out --format markdown -o plan.md",
)
@click.option("--app", default="cdk.out", show_default=True, metavar="FOLDER", help="The cloud assembly to plan.")
@click.option(
    "--stack", "stacks", multiple=True, metavar="NAME", help="Only this stack; * is allowed. May be repeated."
)
@click.option("--state", metavar="FILE", help="Plan against this snapshot instead of the account; - is standard input.")
@click.option("--change-set", metavar="NAME", help="Plan this prepared change set of --stack instead of an assembly.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A stack parameter, as cdk deploy takes them.",
)
@click.option("--checkpoints", is_flag=True, help="Look in S3 for the last checkpoint of each job at risk.")
@format_option()
@output_option
@level_option
@knob_option
@account_options
@debug_option
def command(
    app: str,
    stacks: tuple[str, ...],
    state: str | None,
    change_set: str | None,
    parameters: tuple[str, ...],
    checkpoints: bool,
    layout: str,
    output: str | None,
    fail_on: str,
    knobs: tuple[str, ...],
    account: Account,
) -> int:
    """Tell what a deployment would do: which jobs would end or may be stopped, and what to acknowledge.

    Reads the assembly that cdk synth wrote and the live queues, changes nothing.
    """
    from quota_constructs.cli.assessed import write_assessed
    from quota_constructs.planning.planned import plan_document

    if change_set is not None and (state is not None or len(stacks) != 1):
        raise click.UsageError("--change-set needs one --stack, and no --state")
    if checkpoints and state is not None:
        raise click.UsageError("--checkpoints asks the account, and --state does without")
    chosen = read_knobs(knobs)
    if change_set is not None:
        planned = _of_change_set(account, stacks[0], change_set, chosen, checkpoints)
    else:
        planned = _of_assembly(app, stacks, state, parameters, account, chosen, checkpoints)
    document = plan_document(planned)
    write_assessed([item.assessed() for item in planned], layout, output, document)
    return exit_code(document["verdict"], fail_on)


def _of_assembly(
    app: str,
    wanted: Sequence[str],
    state: str | None,
    parameters: Sequence[str],
    account: Account,
    knobs: Knobs,
    checkpoints: bool,
) -> list[Planned]:
    from quota_constructs.assembly import read_assembly
    from quota_constructs.cli.sources import parse_state_file, progress
    from quota_constructs.planning.stacks import choose, parse_parameters

    stacks = read_assembly(app)
    chosen = choose(stacks, wanted, app)
    given = parse_parameters(parameters)
    if state is not None:
        from quota_constructs.planning.offline import plan_from_state

        planned = plan_from_state(stacks, chosen, parse_state_file(state), given, knobs)
        if not planned:
            raise Failure(f"no stack of {app} declares the queue of {state}, or a quota share on it")
        return planned
    from quota_constructs.planning.live import plan_stacks
    from quota_live.deployment import Options

    with progress("reading") as advance:
        options = Options(knobs=knobs, progress=advance)
        return plan_stacks(account.clients_of, stacks, chosen, given, options, checkpoints)


def _of_change_set(account: Account, stack: str, change_set: str, knobs: Knobs, checkpoints: bool) -> list[Planned]:
    from quota_constructs.cli.sources import progress
    from quota_constructs.planning.change_set import plan_change_set
    from quota_live.deployment import Options

    with progress("reading") as advance:
        options = Options(knobs=knobs, progress=advance)
        return plan_change_set(account.clients(), stack, change_set, options, checkpoints)
