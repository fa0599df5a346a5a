"""Stops that no waiting job asks for: usage above a lowered limit or environment, cut at once.

Nothing of this happens by default: AWS stops jobs to make room for a waiting one. The knobs `reduction_mode=eager` and
`env_reduction=eager` assume otherwise. A share is cut down to what it may hold: its limit, and what it may borrow.

Source: assumed (docs/decisions/0010-documented-or-assumed-and-named.md).
"""

from __future__ import annotations

from quota_scheduler.cover_costs import CostLimitError, CostSearch, outer_bounds, price_list
from quota_scheduler.covers import Need, is_met_without, possible_own_alone
from quota_scheduler.heuristic import put_back, take_until_enough
from quota_scheduler.preemption import LARGEST_SUM, Targets
from quota_scheduler.tally import AmountTally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.cost import Cost
    from quota_scheduler.job_index import Entry
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
        at: now, for the cost; None if nobody asks for it.
    """
    knobs = ledger.knobs
    if knobs.reduction_mode == "eager":
        for share in sorted(ledger.shares):
            for unit, cell in sorted(ledger.cells(share).items()):
                if cell.cap is not None and cell.usage > cell.cap:
                    yield from _cut(ledger, unit, ledger.entries(share, unit), cell.usage - cell.cap, at)
    if knobs.env_reduction == "eager":
        for unit in sorted(ledger.units):
            excess = ledger.totals(unit).usage - ledger.totals(unit).environment
            if excess > 0:
                entries = [entry for share in sorted(ledger.shares) for entry in ledger.entries(share, unit)]
                yield from _cut(ledger, unit, sorted(entries), excess, at)


def _cut(ledger: Ledger, unit: str, entries: list[Entry], excess: int, at: int | None) -> Iterator[Reduction]:
    """Stop jobs in the order of the default heuristic; as many as there are, if all are not enough."""
    by_size: dict[int, list[Entry]] = {}
    for entry in entries:
        by_size.setdefault(entry[3].uses[unit], []).append(entry)
    counts = {size: len(alike) for size, alike in by_size.items()}
    excess = min(excess, sum(size * count for size, count in counts.items()))
    if excess <= 0:
        return
    need = Need(counts, [], alone=excess, own_part=0, total=0, allow_mixed=False)
    tally = AmountTally(need, unit)
    targets = Targets(tuple(put_back(tally, take_until_enough(tally, entries))))
    if excess + need.largest_size > LARGEST_SUM:
        targets.is_exact = False
        targets.possible = frozenset([entry[2] for entry in entries])
    else:
        sizes = possible_own_alone(need)
        targets.possible = frozenset([entry[2] for size in sizes for entry in by_size[size]])
        targets.certain = frozenset(
            [job.id for job in targets.likely if not is_met_without(need, None, job.uses[unit])]
        )
    if at is not None:
        costs = {size: [ledger.index.cost(entry[3], at) for entry in alike] for size, alike in by_size.items()}
        targets.least, targets.most = _cost(need, costs)
    for job in targets.likely:
        ledger.leave(job)
    yield Reduction(unit, targets)


def _cost(need: Need, costs: dict[int, list[Cost]]) -> tuple[Cost, Cost]:
    most = need.alone + need.largest_size
    prices = {size: price_list(alike, most // size + 1) for size, alike in costs.items()}
    try:
        found = CostSearch(need, prices, []).run()
    except CostLimitError:
        found = None
    if found is not None:
        return found
    return outer_bounds(need.alone, [(size, cost) for size, alike in costs.items() for cost in alike])
