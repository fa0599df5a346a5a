"""How many SubmitServiceJob calls a second are taken. Source: user guide, service quotas (5 a second)."""

from __future__ import annotations

from collections import deque

from quota_constructs.local.errors import TooManyRequestsException


class SubmissionRate:
    """The submissions of the last second.

    Args:
        most: how many are taken in a second of the clock; None: any number.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._taken: deque[int] = deque()

    def check(self, now: int) -> None:
        """Take one more submission, or refuse it.

        Raises:
            TooManyRequestsException: there were too many in the last second.
        """
        if self._most is None:
            return
        while self._taken and self._taken[0] <= now - 1000:
            self._taken.popleft()
        if len(self._taken) >= self._most:
            raise TooManyRequestsException(f"Rate exceeded: at most {self._most} SubmitServiceJob calls a second")
        self._taken.append(now)
