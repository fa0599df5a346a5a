"""What a caller may say about how an account is read."""

from __future__ import annotations

import time
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How an account is read.

    Args:
        owner_tag: key of the job tag that names a job's owner.
        progress: is told what is read, how many steps are done and how many are known.
        now: milliseconds since 1970 UTC.
        has_time: whether there is time left for details.
    """

    owner_tag: str = "owner"
    progress: Progress | None = None
    now: Callable[[], int] = lambda: int(time.time() * 1000)
    has_time: Callable[[], bool] = lambda: True
