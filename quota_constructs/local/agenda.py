"""What is to happen later: actions in the order of their time."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Entry:
    """One planned action; `cancel` takes it off the agenda."""

    __slots__ = ("action", "at")

    def __init__(self, at: int, action: Callable[[int], None]) -> None:
        self.at = at
        self.action: Callable[[int], None] | None = action

    def cancel(self) -> None:
        """Make it do nothing; harmless after it was done."""
        self.action = None


class Agenda:
    """Actions to be done at times to come. Equal times keep the order in which they were planned.

    >>> agenda = Agenda()
    >>> done = []
    >>> _ = agenda.plan(20, lambda at: done.append(at))
    >>> _ = agenda.plan(10, lambda at: done.append(at))
    >>> agenda.run_until(15)
    >>> done
    [10]
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Entry]] = []
        self._order = count()

    def plan(self, at: int, action: Callable[[int], None]) -> Entry:
        """Plan an action.

        Args:
            at: when, in milliseconds.
            action: called with that time.
        """
        entry = Entry(at, action)
        heapq.heappush(self._heap, (at, next(self._order), entry))
        return entry

    def next_at(self) -> int | None:
        """When the next action is due; None if nothing is planned."""
        while self._heap and self._heap[0][2].action is None:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run_until(self, moment: int) -> None:
        """Do everything that is due up to that moment, what it plans for that time included."""
        while (at := self.next_at()) is not None and at <= moment:
            entry = heapq.heappop(self._heap)[2]
            action, entry.action = entry.action, None
            if action is not None:
                action(at)
