"""Exact sets by search, for what the tables of `covers.py` cannot do: jobs of several types, unusual knobs.

Jobs of the same share that hold the same amounts are interchangeable, so the search counts how many of each class are
stopped. Classes are taken in turn, sets that are enough are not extended, and what cannot become enough is cut off.
The number of steps is bounded; beyond it the answer is a bound and says so.
"""

from __future__ import annotations

from quota_scheduler.admission import fits
from quota_scheduler.candidates import is_enough, is_over
from quota_scheduler.cost import FREE, cheapest, dearest, running_sums, total
from quota_scheduler.search_limits import MOST_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger


class JobClass:
    """Interchangeable candidates: same share, same amounts of the types that are asked for.

    Args:
        share: their share.
        amounts: pairs of type and instances, of the types that are asked for.
        is_own: whether theirs is the waiting job's own share.
    """

    __slots__ = ("amounts", "cheap", "dear", "is_own", "jobs", "share")

    def __init__(self, share: str, amounts: tuple[tuple[str, int], ...], *, is_own: bool) -> None:
        self.share = share
        self.amounts = amounts
        self.is_own = is_own
        self.jobs: list[Job] = []
        self.cheap: list[Cost] = []
        self.dear: list[Cost] = []


class SearchLimitError(Exception):
    """The search gave up; what it looks for can only be bounded."""


class Search:
    """A search for all inclusion-minimal sets.

    Args:
        ledger: who holds what; it is the same afterwards.
        demand: what the waiting job asks for.
        classes: the candidates.
        most_steps: after how many steps it gives up.
    """

    def __init__(self, ledger: Ledger, demand: Demand, classes: list[JobClass], most_steps: int = MOST_STEPS) -> None:
        self._ledger = ledger
        self._demand = demand
        self._classes = classes
        self._counts = [0] * len(classes)
        self.steps = 0
        self._most_steps = most_steps
        self.minimal: list[tuple[int, ...]] = []

    def run(self) -> list[tuple[int, ...]]:
        """Find every minimal set, as counts of the classes.

        Raises:
            SearchLimitError: it takes more than `most_steps` steps.
        """
        try:
            self._extend(0)
        finally:
            for position, count in enumerate(self._counts):
                self._move(position, -count)
        return self.minimal

    def _extend(self, position: int) -> None:
        self.steps += 1
        if self.steps > self._most_steps:
            raise SearchLimitError
        if self._is_enough():
            if self._is_minimal():
                self.minimal.append(tuple(self._counts))
            return
        if position == len(self._classes) or not self._can_become_enough(position):
            return
        self._extend(position + 1)
        for _ in self._classes[position].jobs:
            self._move(position, 1)
            if not self._obeys_stop_rule(position):
                break
            enough = self._is_enough()
            self._extend(len(self._classes) if enough else position + 1)
            if enough:
                break
        self._move(position, -self._counts[position])

    def _move(self, position: int, count: int) -> None:
        """Stop `count` more jobs of a class, or put back."""
        if count:
            self._counts[position] += count
            kind = self._classes[position]
            for unit, amount in kind.amounts:
                self._ledger.cell(kind.share, unit).put(-amount * count)

    def _is_enough(self) -> bool:
        own = cross = False
        for kind, count in zip(self._classes, self._counts, strict=True):
            if count:
                own = own or kind.is_own
                cross = cross or not kind.is_own
        return (own or cross) and self._is_allowed(own, cross)

    def _is_allowed(self, own: bool, cross: bool) -> bool:
        if own and cross and not self._ledger.knobs.allow_mixed:
            return False
        return is_enough(self._ledger, self._demand, cross=cross, own=own)

    def _is_minimal(self) -> bool:
        for position, count in enumerate(self._counts):
            if count:
                self._move(position, -1)
                spare = self._is_enough()
                self._move(position, 1)
                if spare:
                    return False
        return True

    def _can_become_enough(self, position: int) -> bool:
        rest = range(position, len(self._classes))
        for later in rest:
            self._move(later, len(self._classes[later].jobs))
        possible = fits(self._ledger, self._demand)
        for later in rest:
            self._move(later, -len(self._classes[later].jobs))
        return possible

    def _obeys_stop_rule(self, position: int) -> bool:
        """Say whether the stopped jobs of a share can be ordered so that it is still over when each is taken.

        Whoever can be the last is taken for the last; the others can only have it easier.
        """
        share = self._classes[position].share
        if self._classes[position].is_own:
            return True
        counts = {
            place: self._counts[place]
            for place, kind in enumerate(self._classes)
            if kind.share == share and self._counts[place]
        }
        put_back: list[int] = []
        while counts:
            last = next((place for place in counts if self._is_over_with(place)), None)
            if last is None:
                break
            self._move(last, -1)
            put_back.append(last)
            counts[last] -= 1
            if not counts[last]:
                del counts[last]
        for place in put_back:
            self._move(place, 1)
        return not counts

    def _is_over_with(self, place: int) -> bool:
        """Say whether the share is over in a type of the class once one job of it is put back."""
        kind = self._classes[place]
        self._move(place, -1)
        over = any(is_over(self._ledger, kind.share, unit) for unit, _ in kind.amounts)
        self._move(place, 1)
        return over


def cost_range(classes: list[JobClass], minimal: list[tuple[int, ...]]) -> tuple[Cost, Cost]:
    """Give the cost of the cheapest and of the dearest minimal set, each measure for itself."""
    for kind in classes:
        kind.cheap, kind.dear = kind.cheap or [FREE], kind.dear or [FREE]
    least, most = None, None
    for counts in minimal:
        cheap = total(kind.cheap[count] for kind, count in zip(classes, counts, strict=True))
        dear = total(kind.dear[count] for kind, count in zip(classes, counts, strict=True))
        least = cheap if least is None else cheapest(least, cheap)
        most = dear if most is None else dearest(most, dear)
    return least or FREE, most or FREE


def fill_costs(kind: JobClass, costs: list[Cost]) -> None:
    """Note what the jobs of a class cost."""
    kind.cheap = running_sums(costs, len(costs), dear=False)
    kind.dear = running_sums(costs, len(costs), dear=True)
