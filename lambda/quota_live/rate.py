"""A budget of calls, so that reading a busy account does not slow down everybody else in it."""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class RateBudget:
    """A token bucket that several threads draw from.

    Args:
        calls_per_second: how many calls are allowed in the long run.
        burst: how many may be made at once after a pause.
        clock: seconds that only grow.
        sleep: waits for that many seconds.
    """

    def __init__(
        self,
        calls_per_second: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate = calls_per_second
        self._burst = float(burst)
        self._clock = clock
        self._sleep = sleep
        self._tokens = float(burst)
        self._at = clock()
        self._lock = threading.Lock()

    def take(self) -> None:
        """Take one call from the budget; wait until there is one."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate) - 1
            self._at = now
            wait = -self._tokens / self._rate if self._tokens < 0 else 0.0
        if wait:
            self._sleep(wait)
