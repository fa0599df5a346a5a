"""The jobs that are stopped for a waiting one, as far as it can be known."""

from __future__ import annotations

from quota_scheduler.cost import FREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job

LARGEST_SUM = 4_096
"""Amounts beyond this are not tabled: no job of a real queue asks for as many instances."""

LARGEST_SIZE_BESIDE_RESERVE = 512
"""The same for the size of candidates, where a RESERVE share is over its limit."""


class Targets:
    """The jobs that a waiting job stops.

    `least` and `most` are the cost of the cheapest and the dearest minimal set. With `is_exact` false the sets are
    bounds: nothing outside `possible` is possible, and all of `certain` are certain.

    Args:
        likely: the set of the default heuristic.
    """

    __slots__ = ("certain", "is_exact", "least", "likely", "most", "possible")

    def __init__(self, likely: tuple[Job, ...]) -> None:
        self.likely = likely
        self.possible: frozenset[str] = frozenset()
        self.certain: frozenset[str] = frozenset()
        self.least: Cost = FREE
        self.most: Cost = FREE
        self.is_exact = True

    @property
    def has_alternatives(self) -> bool:
        """Whether there is more than one minimal set."""
        return len(self.possible) > len(self.likely)


def is_known_lower(stopped: Job, job: Job) -> bool:
    """Say whether a stopped job is a candidate whatever the unknown priorities are."""
    return stopped.share != job.share or (stopped.priority is not None and job.priority is not None)
