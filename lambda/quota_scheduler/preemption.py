"""Which jobs may be stopped for a waiting one: likely, possible, certain, and what that costs at least and at most.

    likely      the set of the default heuristic
    possible    in some inclusion-minimal valid set: whatever the heuristic is, if it stops nobody for nothing
    certain     in every valid set

A valid set is enough for the waiting job, and its jobs of other shares can be ordered so that each one's share is
still over its limit when it is taken.
"""

from __future__ import annotations

from quota_scheduler.candidates import cross_entries, may_reclaim, may_use_in_share, own_entries
from quota_scheduler.cost import FREE, cost_of, total
from quota_scheduler.heuristic import choose
from quota_scheduler.search import JobClass, Search, SearchLimitError, cost_range, fill_costs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger


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


def find_targets(ledger: Ledger, job: Job, demand: Demand, at: int) -> Targets | None:
    """Find the jobs to stop for a waiting job that does not fit.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        at: now, for the cost.

    Returns:
        The sets, or None if the default heuristic finds none.
    """
    likely = choose(ledger, job, demand)
    if likely is None:
        return None
    targets = Targets(likely)
    classes = _classes(ledger, job, demand, at)
    search = Search(ledger, demand, classes)
    try:
        minimal = search.run()
    except SearchLimitError:
        _bound(targets, classes, at)
        return targets
    used = [max(counts) > 0 for counts in zip(*minimal, strict=True)]
    whole = [min(counts) == len(kind.jobs) for counts, kind in zip(zip(*minimal, strict=True), classes, strict=True)]
    targets.possible = frozenset(
        [stopped.id for kind, is_used in zip(classes, used, strict=True) if is_used for stopped in kind.jobs]
    )
    targets.certain = frozenset(
        [
            stopped.id
            for kind, is_whole in zip(classes, whole, strict=True)
            if is_whole
            for stopped in kind.jobs
            if not kind.is_own or (stopped.priority is not None and job.priority is not None)
        ]
    )
    targets.least, targets.most = cost_range(classes, minimal)
    return targets


def _classes(ledger: Ledger, job: Job, demand: Demand, at: int) -> list[JobClass]:
    """Group every candidate, with jobs of unknown priority among the own ones."""
    entries = cross_entries(ledger, demand) if may_reclaim(demand, ledger.knobs) else []
    if may_use_in_share(demand, ledger.knobs):
        entries = entries + own_entries(ledger, job, demand, unknown=True)
    classes: dict[tuple[str, tuple[tuple[str, int], ...]], JobClass] = {}
    for entry in entries:
        candidate = entry[3]
        amounts = tuple([(unit, candidate.uses[unit]) for unit in demand.units if unit in candidate.uses])
        key = (candidate.share, amounts)
        if key not in classes:
            classes[key] = JobClass(*key, is_own=candidate.share == demand.share)
        classes[key].jobs.append(candidate)
    for kind in classes.values():
        fill_costs(kind, [cost_of(candidate, at) for candidate in kind.jobs])
    return sorted(classes.values(), key=lambda kind: [-amount for _, amount in kind.amounts])


def _bound(targets: Targets, classes: list[JobClass], at: int) -> None:
    """Fill the sets with bounds: every candidate is possible, none is certain."""
    everyone = [candidate for kind in classes for candidate in kind.jobs]
    targets.is_exact = False
    targets.possible = frozenset([candidate.id for candidate in everyone])
    targets.least = (1, 1, 0)
    targets.most = total(cost_of(candidate, at) for candidate in everyone)
