"""Stops that no waiting job asks for: usage above a lowered limit or environment, cut at once.

Nothing of this happens by default: AWS stops jobs to make room for a waiting one. The knobs `reduction_mode=eager` and
`env_reduction=eager` assume otherwise. A share is cut down to what it may hold: its limit, and what it may borrow.

Source: assumed (docs/decisions/0010-documented-or-assumed-and-named.md).
"""

from __future__ import annotations

from quota_scheduler.cover_costs import CostLimitError, CostSearch, outer_bounds
from quota_scheduler.covers import Need, is_met_without, possible_own_alone
from quota_scheduler.heuristic import lowest_priority_newest_first, put_back, take_until_enough
from quota_scheduler.roster import Roster, ids_of
from quota_scheduler.tally import AmountTally
from quota_scheduler.targets import LARGEST_SUM, Targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Ledger


class Reduction:
    """Jobs that are stopped to bring usage down.

    Args:
        unit: the instance type that there is too much of.
        targets: the jobs.
    """

    __slots__ = ("targets", "unit")

    def __init__(self, unit: str, targets: Targets) -> None:
        self.unit = unit
        self.targets = targets


def reductions(ledger: Ledger, at: int | None) -> Iterator[Reduction]:
    """Cut usage where the knobs say so, share by share, then the environment; the stopped jobs leave the books.

    Args:
        ledger: who holds what.
        at: the moment for the cost, in milliseconds since 1970 UTC; None if nobody asks for it.
    """
    knobs = ledger.knobs
    if knobs.reduction_mode == "eager":
        for share in sorted(ledger.shares):
            for unit, cell in sorted(ledger.cells(share).items()):
                if cell.cap is not None and cell.usage > cell.cap:
                    yield from _cut(ledger, unit, [ledger.roster(share, unit)], cell.usage - cell.cap, at)
    if knobs.env_reduction == "eager":
        for unit in sorted(ledger.units):
            excess = ledger.totals(unit).usage - ledger.totals(unit).environment
            if excess > 0:
                rosters = [ledger.roster(share, unit) for share in sorted(ledger.shares)]
                yield from _cut(ledger, unit, rosters, excess, at)


def _cut(ledger: Ledger, unit: str, rosters: list[Roster], excess: int, at: int | None) -> Iterator[Reduction]:
    """Stop jobs in the order of the default heuristic; as many as there are, if all are not enough."""
    everyone = Roster("", unit, list(lowest_priority_newest_first(rosters)))
    excess = min(excess, sum(size * count for size, count in everyone.counts.items()))
    if excess <= 0:
        return
    need = Need(everyone.counts, [], alone=excess, own_part=0, total=0, allow_mixed=False)
    tally = AmountTally(need, unit)
    targets = Targets(tuple(put_back(tally, take_until_enough(tally, everyone.entries))))
    if excess + need.largest_size > LARGEST_SUM:
        targets.is_exact = False
        targets.possible = ids_of([everyone])
    else:
        sizes = possible_own_alone(need)
        targets.possible = frozenset([job.id for size in sizes for job in everyone.by_size[size]])
        targets.certain = frozenset(
            [job.id for job in targets.likely if not is_met_without(need, None, job.uses[unit])]
        )
    if at is not None:
        targets.least, targets.most = _cost(need, everyone, lambda job: ledger.index.cost(job, at))
    for job in targets.likely:
        ledger.leave(job)
    yield Reduction(unit, targets)


def _cost(need: Need, everyone: Roster, cost: Callable[[Job], Cost]) -> tuple[Cost, Cost]:
    try:
        found = CostSearch(need, everyone.prices(cost), []).run()
    except CostLimitError:
        found = None
    if found is not None:
        return found
    return outer_bounds(need.alone, [(job.uses[everyone.unit], cost(job)) for job in everyone.jobs()])
