"""Which jobs may be stopped for a waiting one: likely, possible, certain, and what that costs at least and at most.

    likely      the set of the default heuristic
    possible    in some inclusion-minimal valid set: whatever the heuristic is, if it stops nobody for nothing
    certain     in every valid set

A valid set is enough for the waiting job, and its jobs of other shares can be ordered so that each one's share is
still over its limit when it is taken. For a job of one type the sets are exact (`covers.py`); for a job of several
types they are searched for, and bounded where the search grows too large (`search.py`).
"""

from __future__ import annotations

from quota_scheduler.admission import owner_shortage, pool_shortage, room_shortage
from quota_scheduler.candidates import Candidates
from quota_scheduler.cost import FREE, cost_of, total
from quota_scheduler.cover_costs import CostLimitError, CostSearch, outer_bounds, price_list
from quota_scheduler.covers import Group, Need, is_met_without, possible_own_alone, possible_with_others
from quota_scheduler.heuristic import choose
from quota_scheduler.search import JobClass, Search, SearchLimitError, cost_range, fill_costs
from quota_scheduler.tally import AmountTally, LedgerTally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.ledger import Cell, Demand, Ledger

LARGEST_SUM = 20_000
"""Amounts beyond this are not tabled: no share of a real queue is near it."""


class Targets:
    """The jobs that a waiting job stops, as far as it can be known.

    `least` and `most` are the cost of the cheapest and the dearest minimal set. With `is_exact` false the sets are
    bounds: nothing outside `possible` is possible, and all of `certain` are certain.
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


def find_targets(ledger: Ledger, job: Job, demand: Demand, at: int | None) -> Targets | None:
    """Find the jobs to stop for a waiting job that does not fit.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        at: now, for the cost; None if nobody asks for it.

    Returns:
        The sets, or None if the default heuristic finds none.
    """
    candidates = Candidates(ledger, job, demand)
    if not (candidates.cross or candidates.own):
        return None
    everyone = candidates.all()
    need = _need_of(ledger, demand, everyone) if _has_table(ledger, demand) else None
    if need is None:
        likely = choose(demand, candidates, ledger.knobs, lambda: LedgerTally(ledger, demand))
    else:
        likely = choose(demand, candidates, ledger.knobs, lambda: AmountTally(need, demand.units[0]))
    if likely is None:
        return None
    targets = Targets(likely)
    if need is None:
        _fill_from_search(targets, ledger, job, demand, everyone, at)
    else:
        _fill_from_tables(targets, ledger.index, job, demand.units[0], need, everyone, at)
    if ledger.knobs.minimality == "any":
        targets.possible = frozenset([candidate.id for candidate in everyone])
        targets.is_exact = False
    return targets


def _has_table(ledger: Ledger, demand: Demand) -> bool:
    """Say whether one amount tells whether a set is enough."""
    if len(demand.lines) > 1:
        return False
    cell, amount = demand.lines[0]
    return ledger.knobs.reclaim_scope == "whole_job" or cell.usage + amount <= cell.limit


def _need_of(ledger: Ledger, demand: Demand, candidates: list[Job]) -> Need:
    cell, amount = demand.lines[0]
    own: dict[int, int] = {}
    groups: dict[str, Group] = {}
    for candidate in candidates:
        size = candidate.uses[cell.unit]
        counts = own
        if candidate.share != cell.share:
            group = groups.get(candidate.share)
            if group is None:
                other = ledger.cell(candidate.share, cell.unit)
                group = groups[candidate.share] = Group(other.share, other.over, {}, is_reserve=not other.lends)
            counts = group.counts
        counts[size] = counts.get(size, 0) + 1
    shortage = owner_shortage(cell, amount, ledger.knobs)
    own_part = max(0, cell.usage + amount - cell.limit)
    return Need(
        own,
        list(groups.values()),
        alone=_needed_alone(ledger, cell, amount, within_limit=max(own_part, shortage)),
        own_part=own_part,
        total=shortage,
        allow_mixed=ledger.knobs.allow_mixed,
    )


def _needed_alone(ledger: Ledger, cell: Cell, amount: int, *, within_limit: int) -> int:
    """Say how much own jobs alone have to give back: until the job is within the limit, or can borrow the rest."""
    if not ledger.knobs.in_share_while_borrowing:
        return within_limit
    above_cap = 0 if cell.cap is None else cell.usage + amount - cell.cap
    with_loan = max(room_shortage(cell, amount), pool_shortage(ledger, cell, amount), above_cap)
    return min(within_limit, with_loan)


def _fill_from_tables(
    targets: Targets, index: JobIndex, job: Job, unit: str, need: Need, candidates: list[Job], at: int | None
) -> None:
    if need.total + need.largest_size > LARGEST_SUM:
        need = need.reduced()
    if max(need.total, need.alone) + need.largest_size > LARGEST_SUM:
        _bound(targets, index, need, unit, candidates, at)
        return
    if _is_any_single_enough(need):
        targets.possible = frozenset([candidate.id for candidate in candidates])
    else:
        own = possible_own_alone(need)
        own_beside, kinds = possible_with_others(need)
        own |= own_beside
        scale = _scale(need, unit, candidates)
        targets.possible = frozenset(
            [
                candidate.id
                for candidate in candidates
                if (
                    candidate.uses[unit] // scale in own
                    if candidate.share == job.share
                    else (candidate.share, candidate.uses[unit] // scale) in kinds
                )
            ]
        )
    targets.certain = _certain(targets.likely, need, job, unit, _scale(need, unit, candidates))
    if at is not None:
        _fill_costs(targets, index, need, job, unit, candidates, at)


def _is_any_single_enough(need: Need) -> bool:
    """Say whether each candidate is enough alone, so that the minimal sets are the single jobs."""
    if need.own_part > 0 or need.total <= 0:
        return False
    smallest = min([*need.own, *(size for group in need.groups for size in group.counts)])
    if (need.own and need.alone != need.total) or need.total > smallest:
        return False
    return all(group.over >= need.total for group in need.groups if group.is_reserve)


def _scale(need: Need, unit: str, candidates: list[Job]) -> int:
    """Say how many instances one unit of a reduced need stands for."""
    largest = need.largest_size
    return max(candidate.uses[unit] for candidate in candidates) // largest if largest else 1


def _certain(likely: tuple[Job, ...], need: Need, job: Job, unit: str, scale: int) -> frozenset[str]:
    """Keep the likely jobs without which no valid set is left; only those can be certain."""
    certain = []
    counted: dict[tuple[str | None, int], list[Job]] = {}
    for stopped in likely:
        share = None if stopped.share == job.share else stopped.share
        counted.setdefault((share, stopped.uses[unit] // scale), []).append(stopped)
    counts_of = {group.share: group.counts for group in need.groups}
    for (share, size), alike in counted.items():
        counts = need.own if share is None else counts_of[share]
        if counts[size] == len(alike) and not is_met_without(need, share, size):
            certain += [stopped.id for stopped in alike if _is_known_lower(stopped, job)]
    return frozenset(certain)


def _is_known_lower(stopped: Job, job: Job) -> bool:
    return stopped.share != job.share or (stopped.priority is not None and job.priority is not None)


def _fill_costs(
    targets: Targets, index: JobIndex, need: Need, job: Job, unit: str, candidates: list[Job], at: int
) -> None:
    costs: dict[str, dict[int, list[Cost]]] = {}
    scale = _scale(need, unit, candidates)
    for candidate in candidates:
        by_size = costs.setdefault(candidate.share, {})
        by_size.setdefault(candidate.uses[unit] // scale, []).append(index.cost(candidate, at))
    if _is_any_single_enough(need):
        singles = list(
            zip(*(cost for by_size in costs.values() for alike in by_size.values() for cost in alike), strict=True)
        )
        targets.least = (min(singles[0]), min(singles[1]), min(singles[2]))
        targets.most = (max(singles[0]), max(singles[1]), max(singles[2]))
        return
    reach = max(need.total, need.alone) + need.largest_size
    prices = {
        share: {size: price_list(alike, reach // size + 1) for size, alike in by_size.items()}
        for share, by_size in costs.items()
    }
    try:
        found = CostSearch(need, prices.get(job.share, {}), [prices[group.share] for group in need.groups]).run()
    except CostLimitError:
        found = None
    if found is None:
        targets.is_exact = False
        found = _outer(index, need, unit, candidates, at)
    targets.least, targets.most = found


def _outer(index: JobIndex, need: Need, unit: str, candidates: list[Job], at: int) -> tuple[Cost, Cost]:
    needed = max(1, min(need.total, need.alone) if need.groups else need.alone)
    return outer_bounds(needed, [(candidate.uses[unit], index.cost(candidate, at)) for candidate in candidates])


def _bound(targets: Targets, index: JobIndex, need: Need, unit: str, candidates: list[Job], at: int | None) -> None:
    """Fill the sets with bounds: every candidate is possible, none is certain."""
    targets.is_exact = False
    targets.possible = frozenset([candidate.id for candidate in candidates])
    if at is not None:
        targets.least, targets.most = _outer(index, need, unit, candidates, at)


def _fill_from_search(
    targets: Targets, ledger: Ledger, job: Job, demand: Demand, candidates: list[Job], at: int | None
) -> None:
    classes = _classes(demand, candidates, at or 0)
    try:
        minimal = Search(ledger, demand, classes, ledger.search_steps).run()
    except SearchLimitError:
        targets.is_exact = False
        targets.possible = frozenset([candidate.id for candidate in candidates])
        targets.least = (1, 1, 0)
        targets.most = total(cost_of(candidate, at or 0) for candidate in candidates)
        return
    possible: list[str] = []
    certain: list[str] = []
    for kind, counts in zip(classes, zip(*minimal, strict=True), strict=True):
        if max(counts):
            possible += [stopped.id for stopped in kind.jobs]
        if min(counts) == len(kind.jobs):
            certain += [stopped.id for stopped in kind.jobs if _is_known_lower(stopped, job)]
    targets.possible, targets.certain = frozenset(possible), frozenset(certain)
    targets.least, targets.most = cost_range(classes, minimal)


def _classes(demand: Demand, candidates: list[Job], at: int) -> list[JobClass]:
    """Group candidates that are interchangeable, large ones first."""
    classes: dict[tuple[str, tuple[tuple[str, int], ...]], JobClass] = {}
    for candidate in candidates:
        amounts = tuple([(unit, candidate.uses[unit]) for unit in demand.units if unit in candidate.uses])
        key = (candidate.share, amounts)
        if key not in classes:
            classes[key] = JobClass(*key, is_own=candidate.share == demand.share)
        classes[key].jobs.append(candidate)
    for kind in classes.values():
        fill_costs(kind, [cost_of(candidate, at) for candidate in kind.jobs])
    return sorted(classes.values(), key=lambda kind: [-amount for _, amount in kind.amounts])
