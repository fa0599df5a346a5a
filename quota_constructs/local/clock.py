"""Clocks of the local Batch: real time, faster time, or time that moves only when told to.

Every clock gives whole milliseconds since 1970 UTC, as the Batch API does, and never goes backwards.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What the local Batch asks of a clock."""

    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""
        ...

    def advance(self, seconds: float) -> None:
        """Move on by that much.

        Args:
            seconds: at least 0.
        """
        ...


def _milliseconds(seconds: float) -> int:
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"a clock moves forwards by a number of seconds of at least 0, got {seconds!r}")
    return round(seconds * 1000)


class ManualClock:
    """Time that stands still until `advance`.

    Args:
        start: where it starts, in milliseconds since 1970 UTC; 2026-01-01T00:00:00Z unless given.

    >>> clock = ManualClock()
    >>> before = clock.now()
    >>> clock.advance(90)
    >>> clock.now() - before
    90000
    """

    def __init__(self, start: int = 1_767_225_600_000) -> None:
        self._now = start

    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on by so many seconds."""
        self._now += _milliseconds(seconds)


class RealClock:
    """The machine's time, or a multiple of it.

    Args:
        speed: how many seconds pass in a second; 60 makes an hour pass in a minute. Real time unless given.

    Raises:
        ValueError: the speed is not above 0.
    """

    def __init__(self, speed: float = 1.0) -> None:
        if not 0 < speed < float("inf"):
            raise ValueError(f"speed must be a number above 0, got {speed!r}; 1 is real time")
        self.speed = speed
        self._began = time.monotonic()
        self._offset = time.time_ns() // 1_000_000

    def now(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z, by this clock."""
        return self._offset + int((time.monotonic() - self._began) * 1000 * self.speed)

    def advance(self, seconds: float) -> None:
        """Jump ahead by so many seconds; from there it goes on as before."""
        self._offset += _milliseconds(seconds)
