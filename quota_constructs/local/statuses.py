"""How the status of a resource moves: CREATING → VALID → UPDATING → VALID → DELETING → gone.

Source: Batch API Reference (status members); how long each step takes is a setting.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quota_constructs.local.agenda import Entry
    from quota_constructs.local.timing import Timing


class HasStatus(Protocol):
    """A service environment, job queue or quota share."""

    arn: str
    status: str


class Statuses:
    """The resources that are on their way to another status.

    Args:
        timing: the clock with its agenda and delays.
        changed: called with a resource whenever its status has changed.
    """

    def __init__(self, timing: Timing, changed: Callable[[HasStatus], None]) -> None:
        self._timing = timing
        self._changed = changed
        self._pending: dict[str, tuple[Entry, Callable[[int], None]]] = {}
        self._hanging: set[str] = set()
        self._hang = False

    @contextmanager
    def hanging_if(self, hang: bool) -> Iterator[None]:
        """What starts inside hangs in its passing status until `release`, if it is to."""
        self._hang = hang
        try:
            yield
        finally:
            self._hang = False

    def release(self) -> None:
        """Let the statuses that hang move again."""
        hanging, self._hanging = self._hanging, set()
        for arn in hanging:
            entry, finish = self._pending[arn]
            entry.cancel()
            self._pending[arn] = (self._timing.later(self._timing.settings.status_seconds, finish), finish)

    def start(self, resource: HasStatus, status: str, then: Callable[[], None] | None = None) -> None:
        """Give a resource a status that passes: CREATING or UPDATING, then VALID; or DELETING, then what `then` does.

        Args:
            resource: the resource.
            status: CREATING, UPDATING or DELETING.
            then: what happens instead of becoming VALID.
        """
        self._set(resource, status)
        previous = self._pending.pop(resource.arn, None)
        if previous:
            previous[0].cancel()

        def finish(_at: int) -> None:
            del self._pending[resource.arn]
            if then is None:
                self._set(resource, "VALID")
            else:
                then()

        self._hanging.discard(resource.arn)
        entry = self._timing.later(self._timing.settings.status_seconds, finish)
        self._pending[resource.arn] = (entry, finish)
        if self._hang:
            entry.cancel()
            self._hanging.add(resource.arn)

    def finish_now(self, arn: str) -> None:
        """Let a resource reach its lasting status at once, without waiting.

        Raises:
            ClientException: its status hangs on purpose.
        """
        if arn in self._hanging:
            raise ClientException(f"{arn} did not stabilize")
        pending = self._pending.get(arn)
        if pending:
            pending[0].cancel()
            pending[1](self._timing.now())

    def _set(self, resource: HasStatus, status: str) -> None:
        resource.status = status
        self._changed(resource)
