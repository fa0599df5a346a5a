"""Fill the sets for a job of several types, and under knobs that no table covers, by search."""

from __future__ import annotations

from quota_scheduler.cost import cost_of, total
from quota_scheduler.roster import ids_of
from quota_scheduler.search import JobClass, Search, SearchLimitError, cost_range, fill_costs
from quota_scheduler.search_limits import MOST_STEPS
from quota_scheduler.targets import is_known_lower

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.candidates import Candidates
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger
    from quota_scheduler.targets import Targets


def fill_from_search(
    targets: Targets, ledger: Ledger, job: Job, demand: Demand, candidates: Candidates, at: int
) -> None:
    """Fill possible, certain and the costs.

    Args:
        targets: with the likely set; the rest is filled.
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        candidates: who can be stopped for it.
        at: the moment for the cost, in milliseconds since 1970 UTC.
    """
    everyone = [candidate for roster in candidates.everyone for candidate in roster.jobs()]
    classes = _classes(demand, everyone, at)
    search = Search(ledger, demand, classes, min(MOST_STEPS, ledger.search_steps))
    try:
        minimal = search.run()
    except SearchLimitError:
        targets.is_exact = False
        targets.possible = ids_of(candidates.everyone)
        targets.least = (1, 1, 0)
        targets.most = total(cost_of(candidate, at) for candidate in everyone)
        return
    finally:
        ledger.search_steps = max(0, ledger.search_steps - search.steps)
    possible: list[str] = []
    certain: list[str] = []
    for kind, counts in zip(classes, zip(*minimal, strict=True), strict=True):
        if max(counts):
            possible += [stopped.id for stopped in kind.jobs]
        if min(counts) == len(kind.jobs):
            certain += [stopped.id for stopped in kind.jobs if is_known_lower(stopped, job)]
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
