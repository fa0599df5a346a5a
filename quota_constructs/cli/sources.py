"""Where a queue's state comes from: a file, standard input, or the live queue of that name."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quota_constructs.cli.failure import Failure
from quota_scheduler.wording import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quota_live.clients import Clients
    from quota_live.collect import Collected
    from quota_scheduler import Change, QueueState


@dataclass(frozen=True, slots=True)
class Account:
    """Which account is asked: the three options that every live command has."""

    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None

    def clients(self) -> Clients:
        """Give AWS clients for it.

        Raises:
            Failure: The SDK is not installed.
        """
        try:
            from quota_live.clients import clients
        except ModuleNotFoundError as error:
            raise Failure(f"the AWS SDK is missing ({error.name}); pip install 'quota-constructs[cli]'") from error
        return clients(region=self.region, profile=self.profile, endpoint_url=self.endpoint_url)

    def clients_of(self, region: str | None) -> Clients:
        """Give AWS clients for a Region of it; None is its own.

        Raises:
            Failure: The SDK is not installed.
        """
        return _clients_of(self if region is None else replace(self, region=region))


@lru_cache(maxsize=64)
def _clients_of(account: Account) -> Clients:
    return account.clients()


def read_bytes(source: str) -> bytes:
    """Read a file, or standard input for `-`.

    Raises:
        Failure: The file cannot be read.
    """
    if source == "-":
        if sys.stdin is None:
            raise Failure("cannot read standard input: it is closed")
        return sys.stdin.buffer.read()
    if not source:
        raise Failure("the name of the file to read is empty")
    try:
        return Path(source).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise Failure(f"cannot read {source}: {reason.lower()}") from error


def read_state(source: str, account: Account | None = None) -> tuple[QueueState, tuple[str, ...]]:
    """Read the state of a queue.

    Args:
        source: A file, `-` for standard input, or the name or ARN of a live queue where there is no file of that name.
        account: Where a live queue is looked for; None reads files only.

    Returns:
        The state, and what the reader should know about how it was taken.

    Raises:
        Failure: The file cannot be read, holds no state, or there is no such queue.
    """
    if account is not None and is_live(source):
        collected = collect(account, source)
        return collected.state, tuple(collected.notes)
    return parse_state_file(source), ()


def is_live(source: str) -> bool:
    """Tell whether a source is the name of a live queue: no file of that name, and nothing that looks like a path."""
    return source != "-" and not Path(source).is_file() and not _is_path(source)


def parse_state_file(source: str) -> QueueState:
    """Read a state from a file or standard input.

    Raises:
        Failure: It cannot be read, or is no state.
    """
    from quota_scheduler import DocumentError, parse_state

    try:
        return parse_state(read_bytes(source))
    except DocumentError as error:
        raise Failure(f"{_name(source)} is no queue state: {problems_of(error)}") from error


def read_change(source: str, state: QueueState) -> Change:
    """Read a change of this state from a file or standard input.

    Raises:
        Failure: It cannot be read, or is no change of this state.
    """
    from quota_scheduler import DocumentError, parse_change

    try:
        return parse_change(read_bytes(source), state)
    except DocumentError as error:
        raise Failure(f"{_name(source)} is no change of this queue: {problems_of(error)}") from error


def problems_of(error: Exception, most: int = 25) -> str:
    """Give all problems of a document in one line, very many cut with their rest counted."""
    problems = [f"{problem.path}: {problem.message}" for problem in getattr(error, "problems", ())]
    if len(problems) > most:
        problems[most:] = [f"and {len(problems) - most} more problems"]
    return "; ".join(problems) or str(error)


def _name(source: str) -> str:
    return "standard input" if source == "-" else source


def _is_path(source: str) -> bool:
    return source.endswith(".json") or (("/" in source or "\\" in source) and not source.startswith("arn:"))


def collect(account: Account, queue: str, priorities: str = "where_needed") -> Collected:
    """Take the picture of a live queue, with progress on a terminal.

    Args:
        account: Where the queue is.
        queue: Its name or ARN.
        priorities: For which jobs the details are asked, one call a job: `where_needed`, `all` or `none`.

    Raises:
        Failure: There is no such queue, or it has no quota management.
    """
    from quota_live.collect import collect as collect_live
    from quota_live.errors import NoQuotaManagementError, NotFoundError
    from quota_live.read_options import ReadOptions

    if not queue.strip():
        raise Failure("the name of the queue is empty")
    clients = account.clients()
    with progress(f"reading {queue}") as advance:
        try:
            return collect_live(clients, queue, priorities, ReadOptions(progress=advance))
        except NotFoundError as error:
            raise Failure(_no_queue(clients, queue)) from error
        except NoQuotaManagementError as error:
            raise Failure(str(error)) from error


def _no_queue(clients: Clients, queue: str) -> str:
    """Say that there is no such queue, with the names that there are."""
    from quota_scheduler.document import nearest

    pages = clients.batch.get_paginator("describe_job_queues").paginate()
    names = sorted(found["jobQueueName"] for page in pages for found in page["jobQueues"])
    hint = nearest(queue, tuple(names)) or f"; it has {listed(names) or 'none'}"
    return f"there is no file and no job queue {queue} in {clients.region or 'this Region'}{hint}"


@contextmanager
def progress(what: str) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show a progress bar on standard error while something is read, if that is a terminal.

    Yields:
        What is called with the step, what is done of it and its total; None where nothing is shown.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, object] = {}

        def advance(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(f"{what}: {step}", total=total)
            bar.update(tasks[step], completed=done, total=total)  # type: ignore[arg-type]  # the ids add_task gave

        yield advance
