"""The console script `batch-quota`: runs a command and turns what happens into an exit code.

0: done, and below the level that fails. 1: at or above it. 2: usage or failure, with one line on standard error.
130: interrupted.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 4000
_ALLOCATIONS = 200_000
"""New objects between two searches for cycles: a full queue is ten thousands of values, none of them in a cycle."""
_EXTRA = ("boto3", "click", "jinja2", "rich")


def run(arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        arguments: What follows the program's name.

    Returns:
        The exit code.
    """
    import click

    from quota_constructs.cli.failure import one_line
    from quota_constructs.cli.group import batch_quota

    settings: dict[str, object] = {}
    try:
        code = batch_quota.main(list(arguments), prog_name="batch-quota", standalone_mode=False, obj=settings)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        return 2
    except click.UsageError as error:
        return _fail(_usage(error), error, settings)
    except click.ClickException as error:
        return _fail(error.format_message(), error, settings)
    except click.Abort:
        return 130
    except SystemExit as error:  # click's answer to a reader that went away, such as `head`
        return _fail("standard output was closed before everything was written", error, settings)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told in one line; --debug shows all of it
        told = one_line(error)
        if told is None:
            told = f"unexpected {type(error).__name__}: {error}; please report what --debug prints"
        return _fail(told, error, settings)
    return code if isinstance(code, int) else 0


def _usage(error: Exception) -> str:
    import difflib

    import click

    message = error.format_message() if isinstance(error, click.UsageError) else str(error)
    if isinstance(error, click.NoSuchOption):
        near = difflib.get_close_matches(error.option_name, error.possibilities or (), n=1)
        message = f"there is no option {error.option_name}" + (f"; did you mean {near[0]}?" if near else "")
    message = " ".join(message.split()).rstrip(".")
    context = getattr(error, "ctx", None)
    help_of = context.command_path if context is not None else "batch-quota"
    return f"{message[:1].lower()}{message[1:]} (see {help_of} --help)"


def _fail(message: str, error: BaseException, settings: dict[str, object]) -> int:
    if settings.get("debug"):
        import traceback

        traceback.print_exception(error)
    print(f"batch-quota: {_line(message)}", file=sys.stderr)  # noqa: T201  # this is the one place that prints it
    return 2


def _line(message: str) -> str:
    """Give a message as one line that a terminal only shows: no control characters, and not without end."""
    from quota_constructs.report.readable import readable

    line = readable(" ".join(message.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def main() -> None:
    """Run the command line of this process and exit."""
    if not all(find_spec(name) for name in _EXTRA):
        print(  # noqa: T201  # nothing else is there to print it
            "batch-quota: the command line needs its extra; run: pip install 'quota-constructs[cli]'", file=sys.stderr
        )
        sys.exit(2)
    gc.set_threshold(_ALLOCATIONS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a sign gets its number
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # as long as the process
    sys.exit(_flushed(run(sys.argv[1:])))


def _flushed(code: int) -> int:
    """Write what is left, so that the interpreter does not fail with it when it ends; 2 where that cannot be done."""
    if sys.stdout is None:
        return code
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code if code == 2 else _fail(f"cannot write standard output: {error}", error, {})
    return code


if __name__ == "__main__":
    main()
