"""The clock, what is planned on it, and the delays of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.agenda import Agenda, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_constructs.local.clock import Clock
    from quota_constructs.local.settings import Settings


class Timing:
    """Time as the operations see it: it stands still while one of them runs.

    Args:
        clock: where time comes from.
        settings: delays.
    """

    def __init__(self, clock: Clock, settings: Settings) -> None:
        self.clock = clock
        self.settings = settings
        self.agenda = Agenda()
        self._now = clock.now()

    def now(self) -> int:
        """Milliseconds since 1970 UTC: the time of the action that is being done, never that of an earlier one."""
        return self._now

    def later(self, seconds: float, action: Callable[[int], None]) -> Entry:
        """Plan an action for so many seconds from now."""
        return self.agenda.plan(self._now + round(seconds * 1000), action)

    def settle(self) -> None:
        """Do what is due by the clock, each action at its own time."""
        moment = self.clock.now()
        while (at := self.agenda.next_at()) is not None and at <= moment:
            self._now = max(self._now, at)
            self.agenda.run_until(at)
        self._now = max(self._now, moment)

    def seconds_to_next(self) -> float | None:
        """Seconds of this clock until something is due; None if nothing is planned."""
        at = self.agenda.next_at()
        return None if at is None else max(0.0, (at - self.clock.now()) / 1000)
