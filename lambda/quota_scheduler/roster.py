"""The dispatched jobs of one share and type that can be stopped: in the default order, and grouped by size.

Rosters are asked for again and again during a pass and change only when a job leaves, so that each remembers what it
was asked.
"""

from __future__ import annotations

from bisect import bisect_left

from quota_scheduler.cover_costs import price_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from quota_scheduler.cost import Cost
    from quota_scheduler.cover_costs import PriceLists
    from quota_scheduler.job import Job

    Entry = tuple[int, int, str, Job]


class Roster:
    """Some dispatched jobs of one share.

    Args:
        share: the share.
        unit: the instance type that counts; empty where several do, in which case sizes mean nothing.
        entries: the jobs in the default order: lower priority first, an unknown one counted as 0; dispatched later
            first, an unknown time last; id.
    """

    __slots__ = ("_by_size", "_counts", "_lower", "_prices", "entries", "share", "unit")

    def __init__(self, share: str, unit: str, entries: list[Entry]) -> None:
        self.share = share
        self.unit = unit
        self.entries = entries
        self._by_size: dict[int, list[Job]] | None = None
        self._counts: dict[int, int] | None = None
        self._lower: dict[int, Roster] = {}
        self._prices: PriceLists | None = None

    def __bool__(self) -> bool:
        return bool(self.entries)

    @property
    def by_size(self) -> dict[int, list[Job]]:
        """The jobs by the instances that they hold."""
        if self._by_size is None:
            self._by_size = {}
            for entry in self.entries:
                self._by_size.setdefault(entry[3].uses[self.unit], []).append(entry[3])
        return self._by_size

    @property
    def counts(self) -> dict[int, int]:
        """The number of jobs of each size."""
        if self._counts is None:
            self._counts = {size: len(jobs) for size, jobs in self.by_size.items()}
        return self._counts

    def prices(self, cost: Callable[[Job], Cost]) -> PriceLists:
        """Give, by size, what 0, 1, 2 … of the jobs cost."""
        if self._prices is None:
            self._prices = {
                size: price_list([cost(job) for job in jobs], len(jobs)) for size, jobs in self.by_size.items()
            }
        return self._prices

    def lower_than(self, priority: int) -> Roster:
        """Give the jobs of lower priority, an unknown one counted as 0."""
        known = self._lower.get(priority)
        if known is None:
            entries = self.entries[: bisect_left(self.entries, (priority,))]
            known = self if len(entries) == len(self.entries) else Roster(self.share, self.unit, entries)
            self._lower[priority] = known
        return known

    def where(self, is_kept: Callable[[Job], bool]) -> Roster:
        """Give the jobs for which something holds."""
        return Roster(self.share, self.unit, [entry for entry in self.entries if is_kept(entry[3])])

    def jobs(self) -> list[Job]:
        """Give the jobs."""
        return [entry[3] for entry in self.entries]


def ids_of(rosters: Iterable[Roster]) -> frozenset[str]:
    """Give the ids of all jobs of some rosters."""
    return frozenset([entry[2] for roster in rosters for entry in roster.entries])
