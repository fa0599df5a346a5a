"""`python -m quota_constructs.local`: the local cloud, or the local Batch alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from quota_constructs.local.settings import DELAYS, named_settings, settings_with
from quota_scheduler import parse_knobs

EXIT_USAGE = 2


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM.

    Args:
        arguments: command line arguments without the program's name; those of the process unless given.

    Returns:
        0 after a stop, 2 if it cannot be started.
    """
    parser = argparse.ArgumentParser(
        prog="python -m quota_constructs.local",
        description="A local cloud with AWS Batch quota management, on loopback only.",
    )
    parser.add_argument(
        "--port", type=int, default=4599, help="port on 127.0.0.1; 0 lets the system choose (default: %(default)s)"
    )
    parser.add_argument("--batch-only", action="store_true", help="only the Batch API")
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="seconds of the clock in a second; 0: stands still (default: %(default)s)",
    )
    delays_help = "how long statuses take (default: short)"
    parser.add_argument("--delays", choices=DELAYS, default="short", help=delays_help)
    set_help = "one delay or limit, for example stop_seconds=120; may be given more than once"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", help=set_help)
    knob_help = "an assumption of the scheduler, for example head_blocking=backfill; may be given more than once"
    parser.add_argument("--knob", action="append", default=[], metavar="NAME=VALUE", help=knob_help)
    parser.add_argument("--orphaned", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--faults", type=Path, metavar="FILE", help="rules that make calls fail")
    parser.add_argument("--enforce-iam", action="store_true", help="refuse what the caller's policies do not allow")
    parser.add_argument("--verbose", action="store_true", help="write what the local cloud does to standard error")
    given = parser.parse_args(arguments)
    try:
        from quota_constructs.local.faults import read_rules
        from quota_constructs.local.server import ServerOptions, StartError, serve
    except ModuleNotFoundError as error:
        return _fail(f"the local cloud needs {error.name}; install quota-constructs[local]")
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
    except (StartError, ValueError) as error:
        return _fail(str(error))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _fail(f"cannot read {error.filename}: {reason}" if error.filename else reason)
    return 0


def _fail(what: str) -> int:
    sys.stderr.write(f"{what}\n")
    return EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
