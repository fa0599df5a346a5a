"""How an account is read: several calls at a time, all of them from one budget."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from quota_live.clients import CONNECTIONS, call
from quota_live.paging import BATCH_TOKEN, pages
from quota_live.rate import RateBudget
from quota_live.read_options import ReadOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from mypy_boto3_batch import BatchClient

    from quota_live.clients import Clients

PAGE = 100
"""Entries a page, the most that the list operations give."""

CALLS_PER_SECOND = 1500.0
BURST = 300
"""The budget. AWS publishes no rate for these calls; a throttled client slows down by itself."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How the account is read.

    Args:
        batch: the Batch client, or anything that answers like one; it is used by several threads at once.
        options: what the caller says about it.
        budget: of calls.
        threads: calls at a time.
        quick: calls DescribeServiceJob with less work, or gives None where the client is to call; None is the client.
    """

    batch: BatchClient
    options: ReadOptions = field(default_factory=ReadOptions)
    budget: RateBudget = field(default_factory=lambda: RateBudget(CALLS_PER_SECOND, BURST))
    threads: int = CONNECTIONS
    quick: Callable[..., Mapping[str, Any] | None] | None = None

    @classmethod
    def of(cls, clients: Clients, options: ReadOptions) -> Reader:
        """Read with the clients of an account.

        Raises:
            SettingsError: the Batch client cannot be made.
            UnsupportedSdkError: the SDK does not know quota management.
        """
        return cls(clients.batch, options, quick=clients.describe_quickly)

    def describe_job(self, job_id: str) -> Mapping[str, Any]:
        """Call DescribeServiceJob within the budget."""
        found = None
        if self.quick is not None:
            self.budget.take()
            found = self.quick(jobId=job_id)
        return self.call("describe_service_job", jobId=job_id) if found is None else found

    def call(self, operation: str, **members: object) -> Mapping[str, Any]:
        """Call an operation within the budget; `operation` is the client's method name."""
        self.budget.take()
        return call(getattr(self.batch, operation), **members)

    def pages(self, operation: str, **members: object) -> Iterator[Mapping[str, Any]]:
        """Call a list operation page by page."""
        return pages(partial(self.call, operation), BATCH_TOKEN, maxResults=PAGE, **members)

    def each(self, what: str, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Call a function for each item, several at a time; the results are in the order of the items."""
        given = list(items)
        if not given:
            return []
        results = []
        with ThreadPoolExecutor(min(self.threads, len(given))) as pool:
            futures = [pool.submit(function, item) for item in given]
            try:
                for done, future in enumerate(futures, 1):
                    results.append(future.result())
                    if self.options.progress is not None:
                        self.options.progress(what, done, len(given))
            except BaseException:  # an interrupt as well: what nobody waits for is not read
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return results
