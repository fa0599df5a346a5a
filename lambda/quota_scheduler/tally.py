"""What a set of stopped jobs amounts to while it is being chosen, and whether it is enough.

Two ways to count the same: `AmountTally` adds up instances of the one type that matters, `LedgerTally` asks the books
and works for jobs of several types and for every knob.
"""

from __future__ import annotations

from quota_scheduler.candidates import is_enough, is_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.covers import Need
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger


class AmountTally:
    """A set of stopped jobs of one instance type. What is of none of the need's groups is of the own share.

    Args:
        need: what has to be given back.
        unit: the instance type.
    """

    __slots__ = ("_cross_count", "_groups", "_need", "_own", "_own_count", "_released", "_taken", "_unit")

    def __init__(self, need: Need, unit: str) -> None:
        self._need = need
        self._unit = unit
        self._groups = {group.share: group for group in need.groups}
        self._taken = dict.fromkeys(self._groups, 0)
        self._own = self._own_count = self._released = self._cross_count = 0

    def may_take(self, job: Job) -> bool:
        """Say whether the stop rule allows to take a job now: its share is still over."""
        group = self._groups.get(job.share)
        return group is None or self._taken[job.share] < group.over

    def take(self, job: Job) -> None:
        """Add a job."""
        self._move(job, 1)

    def put_back(self, job: Job) -> None:
        """Remove a job."""
        self._move(job, -1)

    def _move(self, job: Job, count: int) -> None:
        amount = job.uses[self._unit] * count
        group = self._groups.get(job.share)
        if group is None:
            self._own += amount
            self._own_count += count
            return
        self._cross_count += count
        before = self._taken[job.share]
        after = self._taken[job.share] = before + amount
        if group.is_reserve:
            self._released += min(after, group.over) - min(before, group.over)
        else:
            self._released += amount

    def is_enough(self) -> bool:
        """Say whether the set is enough."""
        if self._cross_count:
            return self._own >= self._need.own_part and self._own + self._released >= self._need.total
        return self._own_count > 0 and self._own >= self._need.alone

    def close(self) -> None:
        """Forget the set."""


class LedgerTally:
    """A set of stopped jobs, taken off the books until it is closed.

    Args:
        ledger: who holds what.
        demand: what the waiting job asks for.
    """

    __slots__ = ("_demand", "_ledger", "_taken")

    def __init__(self, ledger: Ledger, demand: Demand) -> None:
        self._ledger = ledger
        self._demand = demand
        self._taken: dict[str, Job] = {}

    def may_take(self, job: Job) -> bool:
        """Say whether the stop rule allows to take a job now: its share is still over in a type that matters."""
        return job.share == self._demand.share or any(
            is_over(self._ledger, job.share, unit) for unit in self._demand.units if unit in job.uses
        )

    def take(self, job: Job) -> None:
        """Add a job."""
        self._ledger.take(job)
        self._taken[job.id] = job

    def put_back(self, job: Job) -> None:
        """Remove a job."""
        self._ledger.put(job)
        del self._taken[job.id]

    def is_enough(self) -> bool:
        """Say whether the set is enough."""
        own = any(job.share == self._demand.share for job in self._taken.values())
        cross = any(job.share != self._demand.share for job in self._taken.values())
        return (own or cross) and is_enough(self._ledger, self._demand, cross=cross, own=own)

    def close(self) -> None:
        """Put everything back on the books."""
        for job in self._taken.values():
            self._ledger.put(job)


if TYPE_CHECKING:
    Tally = AmountTally | LedgerTally
