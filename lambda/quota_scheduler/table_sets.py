"""Fill the sets for a job of one type from the tables of `covers.py` and `cover_costs.py`."""

from __future__ import annotations

from quota_scheduler.cover_costs import CostLimitError, CostSearch, outer_bounds
from quota_scheduler.covers import is_met_without, possible_own_alone, possible_with_others
from quota_scheduler.roster import ids_of
from quota_scheduler.targets import LARGEST_SIZE_BESIDE_RESERVE, LARGEST_SUM, is_known_lower

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_scheduler.candidates import Candidates
    from quota_scheduler.cost import Cost
    from quota_scheduler.cover_costs import PriceLists
    from quota_scheduler.covers import Need
    from quota_scheduler.job import Job
    from quota_scheduler.roster import Roster
    from quota_scheduler.targets import Targets

    CostOf = Callable[[Job], Cost]


def fill_from_tables(targets: Targets, need: Need, job: Job, candidates: Candidates, cost: CostOf | None) -> None:
    """Fill possible, certain and the costs.

    Args:
        targets: with the likely set; the rest is filled.
        need: what has to be given back.
        job: the waiting job.
        candidates: who can be stopped for it.
        cost: gives what stopping a job costs; None if nobody asks for it.
    """
    whole = need
    if need.total + need.largest_size > LARGEST_SUM:
        need = need.reduced()
    if not has_tables(need):
        targets.is_exact = False
        targets.possible = ids_of(candidates.everyone)
        if cost is not None:
            targets.least, targets.most = _outer(whole, candidates, cost)
        return
    scale = whole.largest_size // need.largest_size
    single = _is_any_single_enough(need)
    targets.possible = ids_of(candidates.everyone) if single else _possible(need, candidates, scale)
    targets.certain = _certain(targets.likely, need, job, candidates, scale)
    if cost is not None:
        found = _cost_of_singles(candidates, cost) if single else _cost(need, candidates, cost, scale)
        if found is None:
            targets.is_exact = False
            found = _outer(whole, candidates, cost)
        targets.least, targets.most = found


def has_tables(need: Need) -> bool:
    """Say whether amounts are small enough; with RESERVE shares every slack is looked at on its own."""
    if any(group.is_reserve for group in need.groups) and need.largest_size > LARGEST_SIZE_BESIDE_RESERVE:
        return False
    return max(need.total, need.alone) + need.largest_size <= LARGEST_SUM


def _is_any_single_enough(need: Need) -> bool:
    """Say whether each candidate is enough alone, so that the minimal sets are the single jobs."""
    if need.own_part > 0 or need.total <= 0 or (need.own and need.alone != need.total):
        return False
    smallest = min([*need.own, *[size for group in need.groups for size in group.counts]])
    return need.total <= smallest and all(group.over >= need.total for group in need.groups if group.is_reserve)


def _possible(need: Need, candidates: Candidates, scale: int) -> frozenset[str]:
    own_sizes = possible_own_alone(need)
    beside, kinds = possible_with_others(need)
    found = _ids(candidates.own_or_unknown, own_sizes | beside, scale)
    for roster in candidates.cross:
        found += _ids(roster, {size for share, size in kinds if share == roster.share}, scale)
    return frozenset(found)


def _ids(roster: Roster, sizes: set[int], scale: int) -> list[str]:
    return [job.id for size in sizes for job in roster.by_size[size * scale]]


def _certain(likely: tuple[Job, ...], need: Need, job: Job, candidates: Candidates, scale: int) -> frozenset[str]:
    """Keep the likely jobs without which no valid set is left; only those can be certain."""
    unit = (candidates.cross or [candidates.own_or_unknown])[0].unit
    alike: dict[tuple[str, int], list[Job]] = {}
    for stopped in likely:
        alike.setdefault((stopped.share, stopped.uses[unit] // scale), []).append(stopped)
    counts_of = {group.share: group.counts for group in need.groups}
    counts_of[job.share] = need.own
    certain: list[str] = []
    for (share, size), jobs in alike.items():
        own = None if share == job.share else share
        if counts_of[share][size] == len(jobs) and not is_met_without(need, own, size):
            certain += [stopped.id for stopped in jobs if is_known_lower(stopped, job)]
    return frozenset(certain)


def _cost_of_singles(candidates: Candidates, cost: CostOf) -> tuple[Cost, Cost]:
    singles = [prices[1] for roster in candidates.everyone if roster for prices in roster.prices(cost).values()]
    columns = list(zip(*singles, strict=True))
    return (min(columns[0]), min(columns[1]), min(columns[2])), (max(columns[3]), max(columns[4]), max(columns[5]))


def _cost(need: Need, candidates: Candidates, cost: CostOf, scale: int) -> tuple[Cost, Cost] | None:
    own = _prices(candidates.own_or_unknown, cost, scale)
    groups = [_prices(roster, cost, scale) for roster in candidates.cross]
    try:
        return CostSearch(need, own, groups).run()
    except CostLimitError:
        return None


def _prices(roster: Roster, cost: CostOf, scale: int) -> PriceLists:
    prices = roster.prices(cost) if roster else {}
    return prices if scale == 1 else {size // scale: listed for size, listed in prices.items()}


def _outer(need: Need, candidates: Candidates, cost: CostOf) -> tuple[Cost, Cost]:
    needed = max(1, min(need.total, need.alone) if need.groups else need.alone)
    everyone = [
        (size, cost(job))
        for roster in candidates.everyone
        if roster
        for size, jobs in roster.by_size.items()
        for job in jobs
    ]
    return outer_bounds(needed, everyone)
