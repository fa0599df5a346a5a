"""Serves the local Batch, alone or inside the local cloud, on loopback until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from quota_constructs.local.accounts import Accounts
from quota_constructs.local.asgi import BatchApp, WithControl
from quota_constructs.local.batch import LocalBatch
from quota_constructs.local.clock import ManualClock, RealClock
from quota_constructs.local.errors import StartError
from quota_constructs.local.settings import PORT, SPEED, Settings, short_settings
from quota_scheduler import Knobs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from quota_constructs.local.asgi import App
    from quota_constructs.local.faults import FaultRule

HOST = "127.0.0.1"
LONGEST_NAP = 0.1
"""Seconds between two looks at the clock, so that events leave in time also when nobody calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What to serve, and how.

    Args:
        port: port on 127.0.0.1; 0 lets the system choose.
        batch_only: only the Batch API, without CloudFormation, Lambda and the rest.
        speed: how many seconds of its clock pass in a second; 0 stands still until told to advance.
        settings: delays and limits; short ones unless given.
        faults: rules that make calls fail, and their seed.
        enforce_iam: whether the local cloud refuses what the caller's policies do not allow; with `batch_only` there
            are no policies.
        knobs: answers to what AWS does not publish about its scheduler.
        orphaned: folder to remove when standard input is closed, because the process that started it has died; it
            stops then. Standard input does not matter unless given.
        verbose: whether the local cloud writes what it does to standard error.
    """

    port: int = PORT
    batch_only: bool = False
    speed: float = SPEED
    settings: Settings = field(default_factory=short_settings)
    faults: tuple[list[FaultRule], int | None] = ([], None)
    enforce_iam: bool = False
    knobs: Knobs = field(default_factory=Knobs)
    orphaned: Path | None = None
    verbose: bool = False


def serve(options: ServerOptions, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then leave nothing behind.

    Args:
        options: what to serve.
        announce: called with the endpoint's URL when it can be used.

    Raises:
        StartError: something else listens on the port, or what is installed does not fit.
    """
    if options.speed:
        RealClock(options.speed)  # says so now if it is none, not in the first request
    with _listening(options.port) as listener, _work_folder() as folder:
        url = f"http://{HOST}:{listener.getsockname()[1]}"

        def make(region: str, account: str) -> LocalBatch:
            clock = RealClock(options.speed) if options.speed else ManualClock()
            batch = LocalBatch(
                clock=clock, region=region, account=account, settings=options.settings, knobs=options.knobs
            )
            rules, seed = options.faults
            batch.faults.add(*rules, seed=seed)
            return batch

        accounts = Accounts(make)
        if options.batch_only:
            asyncio.run(run(BatchApp(accounts), accounts, listener, options, lambda: announce(url)))
        else:
            from quota_constructs.local.cloud_server import serve_cloud

            serve_cloud(accounts, listener, folder, options, lambda: announce(url))


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    if not 0 <= port <= 65_535:
        raise StartError(f"port must be from 0 to 65535, got {port}")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise StartError(
            f"port {port} on {HOST} cannot be used: {error.strerror}; choose another with --port"
        ) from error
    try:
        yield listener
    finally:
        listener.close()


@contextlib.contextmanager
def _work_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="quota-local-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def run(
    app: App,
    accounts: Accounts,
    listener: socket.socket,
    options: ServerOptions,
    ready: Callable[[], None],
    after_tick: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Serve an application on a socket until a signal comes, and let the clocks tick meanwhile.

    Args:
        app: what to serve.
        accounts: the local Batches.
        listener: a listening socket.
        options: how to serve.
        ready: called when it can be used.
        after_tick: called after every look at the clocks.
    """
    from hypercorn.asyncio import serve as hypercorn_serve
    from hypercorn.config import Config

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if options.orphaned is not None:
        loop.add_reader(sys.stdin.fileno(), _stop_at_end_of_stdin, stop, options.orphaned)
    config = Config()
    config.bind = [f"fd://{os.dup(listener.fileno())}"]  # a copy: the server closes what it is given
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.shutdown_timeout = 5
    config.loglevel = "CRITICAL"  # connections that a fault cuts are no news
    ticking = asyncio.create_task(_tick(accounts, after_tick))
    ticking.add_done_callback(lambda _task: stop.set())  # a clock that fails ends the server, and says why
    try:
        await hypercorn_serve(WithControl(app, accounts, ready), config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]  # its ASGI types are its own
    finally:
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking


def _stop_at_end_of_stdin(stop: asyncio.Event, folder: Path) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        shutil.rmtree(folder, ignore_errors=True)
        stop.set()


async def _tick(accounts: Accounts, after_tick: Callable[[], Awaitable[None]] | None) -> None:
    """Do what is due, also when no request comes."""
    while True:
        for batch in accounts:
            batch.settle()
        if after_tick is not None:
            await after_tick()
        await asyncio.sleep(LONGEST_NAP)
