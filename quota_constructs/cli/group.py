"""The command group: commands are found by name and loaded when they are called, near misses are suggested."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

import click

COMMANDS = ("plan", "assess", "explain", "snapshot", "status", "simulate", "rules", "local")
"""Commands in the order of the help; each is `command` in the module of its name."""


class Commands(click.Group):
    """A group whose commands live in one module each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command, or give None where there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"quota_constructs.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the command line, and suggest one for a near miss."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {name}{hint}", ctx)
        return super().resolve_command(ctx, args)


def print_version(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:  # noqa: ANN401  # click's type
    """Print the version and stop."""
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"batch-quota {version('quota-constructs')}")
    ctx.exit()


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: batch-quota plan --app cdk.out",
    invoke_without_command=False,
    no_args_is_help=True,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=print_version, help="Show the version."
)
@click.option("--debug", is_flag=True, help="Show the traceback of a failure.")
@click.pass_context
def batch_quota(ctx: click.Context, debug: bool) -> None:
    """See what a change of AWS Batch quota shares does to the work that is running now."""
    ctx.ensure_object(dict)["debug"] = debug or ctx.obj.get("debug", False)
