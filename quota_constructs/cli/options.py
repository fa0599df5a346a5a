"""Options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from quota_constructs.cli.failure import Failure

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "html")
LEVELS = ("safe", "notice", "at_risk", "disruptive", "destructive", "invalid")
"""Verdicts from the least on; a level means this one or worse."""


def _note_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(dict)["debug"] = True


def debug_option(function: Command) -> Command:
    """Add `--debug`, which the program itself takes too."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, callback=_note_debug, help="Show the traceback of a failure."
    )(function)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Add `--format` with these formats; the first one is the default."""
    return click.option(
        "--format",
        "layout",
        type=click.Choice(formats or FORMATS),
        default=(formats or FORMATS)[0],
        show_default=True,
        help="How the result is written.",
    )


def output_option(function: Command) -> Command:
    """Add `-o FILE`."""
    return click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")(
        function
    )


def knob_option(function: Command) -> Command:
    """Add `--knob`, which may be given several times."""
    return click.option(
        "--knob",
        "knobs",
        multiple=True,
        metavar="NAME=VALUE",
        help="Answer a question that AWS leaves open in another way; see docs/model.md. May be repeated.",
    )(function)


def level_option(function: Command) -> Command:
    """Add `--fail-on`, which decides between exit code 0 and 1."""
    return click.option(
        "--fail-on",
        type=click.Choice([*LEVELS, "never"]),
        default="at_risk",
        show_default=True,
        metavar="LEVEL",
        help=f"Exit with 1 from this verdict on: {', '.join(LEVELS)} or never.",
    )(function)


def account_options(function: Command) -> Command:
    """Add the options that say which account is asked; the command gets them as one `account`."""

    @wraps(function)
    def with_account(*arguments: object, region: str, profile: str, endpoint_url: str, **options: object) -> object:
        from quota_constructs.cli.sources import Account

        return function(*arguments, account=Account(region, profile, endpoint_url), **options)

    for option in (
        click.option("--endpoint-url", metavar="URL", help="Ask this endpoint, such as the local cloud's."),
        click.option("--profile", metavar="NAME", help="The AWS profile to use."),
        click.option("--region", metavar="NAME", help="The AWS Region to ask."),
    ):
        with_account = option(with_account)
    return cast("Command", with_account)


def exit_code(verdict: str, fail_on: str) -> int:
    """Give 1 for a verdict at or above a level, else 0."""
    if fail_on == "never":
        return 0
    return int(LEVELS.index(verdict) >= LEVELS.index(fail_on))


def read_knobs(settings: tuple[str, ...]) -> Any:  # noqa: ANN401  # the model's own type, loaded on use
    """Read the knobs of the command line.

    Raises:
        Failure: A knob or a value that does not exist.
    """
    from quota_scheduler import Knobs, parse_knobs

    if not settings:
        return Knobs()
    try:
        return parse_knobs(settings)
    except ValueError as error:
        raise Failure(str(error).replace("\n", "; ")) from error
