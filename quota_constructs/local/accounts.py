"""One local Batch for each account and Region, found by how a request is signed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quota_constructs.local.arns import DEFAULT_ACCOUNT, DEFAULT_REGION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from quota_constructs.local.batch import LocalBatch

_SCOPE = re.compile(r"Credential=(?P<key>[^/,\s]+)/\d{8}/(?P<region>[a-z0-9-]+)/")
_ACCOUNT = re.compile(r"\d{12}\Z")


class Accounts:
    """The local Batches of a server.

    Args:
        make: makes one, given Region and account.
    """

    def __init__(self, make: Callable[[str, str], LocalBatch]) -> None:
        self._make = make
        self.on_new: Callable[[LocalBatch], None] = lambda _batch: None
        self._batches: dict[tuple[str, str], LocalBatch] = {}

    def get(self, region: str, account: str) -> LocalBatch:
        """The local Batch of an account and Region; made when it is first asked for."""
        if (region, account) not in self._batches:
            batch = self._make(region, account)
            self._batches[region, account] = batch
            self.on_new(batch)
        return self._batches[region, account]

    def for_request(self, headers: Mapping[str, str]) -> LocalBatch:
        """The local Batch that a request is meant for.

        An access key of 12 digits is an account; any other key is the default account. A request that is not signed
        is for the only local Batch there is, or for the default one.

        Args:
            headers: its headers, names in lower case.
        """
        scope = _SCOPE.search(headers.get("authorization", ""))
        if scope is None:
            return self.only() or self.get(DEFAULT_REGION, DEFAULT_ACCOUNT)
        account = scope["key"] if _ACCOUNT.match(scope["key"]) else DEFAULT_ACCOUNT
        return self.get(scope["region"], account)

    def only(self) -> LocalBatch | None:
        """The local Batch, if there is exactly one."""
        batches = tuple(self._batches.values())
        return batches[0] if len(batches) == 1 else None

    def __iter__(self) -> Iterator[LocalBatch]:
        return iter(tuple(self._batches.values()))
