"""The operations by name. Each takes the service and the checked members of a request and gives those of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_constructs.local.records import Members
    from quota_constructs.local.service import Service

    Operation = Callable[[Service, Members], Members]

OPERATIONS: dict[str, Operation] = {}


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register a function as the implementation of an operation of the Batch API."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register
