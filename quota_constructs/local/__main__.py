"""`python -m quota_constructs.local`: the local cloud, or the local Batch alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from quota_constructs.local.errors import StartError
from quota_constructs.local.settings import DELAYS, PORT, SPEED, named_settings, settings_with
from quota_scheduler import parse_knobs

EXIT_USAGE = 2


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM, and tell in one line if that cannot be.

    Args:
        arguments: command line arguments without the program's name; those of the process unless given.

    Returns:
        0 after a stop, 2 if it cannot be started.
    """
    try:
        serve_as_told(arguments)
    except StartError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_USAGE
    return 0


def serve_as_told(arguments: list[str] | None = None) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        arguments: as of `main`.

    Raises:
        StartError: it cannot be started; all that is wrong is in one line.
    """
    given = _parser().parse_args(arguments)
    try:
        from quota_constructs.local.faults import read_rules
        from quota_constructs.local.server import ServerOptions, serve
    except ModuleNotFoundError as error:
        raise StartError(f"the local cloud needs {error.name}; install quota-constructs[local]") from error
    try:
        options = ServerOptions(
            port=given.port,
            batch_only=given.batch_only,
            speed=given.speed,
            settings=settings_with(named_settings(given.delays), given.set),
            knobs=parse_knobs(given.knob),
            orphaned=given.orphaned,
            faults=read_rules(given.faults) if given.faults else ([], None),
            enforce_iam=given.enforce_iam,
            verbose=given.verbose,
        )
        serve(options, lambda url: print(f"ready {url}", flush=True))  # noqa: T201 - the ready line
    except ValueError as error:
        raise StartError("; ".join(str(error).splitlines())) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StartError(f"cannot read {error.filename}: {reason}" if error.filename else reason) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m quota_constructs.local",
        description="A local cloud with AWS Batch quota management, on loopback only.",
    )
    parser.add_argument(
        "--port", type=int, default=PORT, help="port on 127.0.0.1; 0 lets the system choose (default: %(default)s)"
    )
    parser.add_argument("--batch-only", action="store_true", help="only the Batch API")
    parser.add_argument(
        "--speed",
        type=float,
        default=SPEED,
        help="seconds of the clock in a second; 0: stands still (default: %(default)s)",
    )
    delays_help = "how long statuses take (default: %(default)s)"
    parser.add_argument("--delays", choices=DELAYS, default=DELAYS[0], help=delays_help)
    set_help = "one delay or limit, for example stop_seconds=120; may be given more than once"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", help=set_help)
    knob_help = "an assumption of the scheduler, for example head_blocking=backfill; may be given more than once"
    parser.add_argument("--knob", action="append", default=[], metavar="NAME=VALUE", help=knob_help)
    parser.add_argument("--orphaned", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--faults", type=Path, metavar="FILE", help="rules that make calls fail")
    parser.add_argument("--enforce-iam", action="store_true", help="refuse what the caller's policies do not allow")
    parser.add_argument("--verbose", action="store_true", help="write what the local cloud does to standard error")
    return parser


if __name__ == "__main__":
    sys.exit(main())
