"""The jobs of a state, sorted once for every question that is asked about it.

Independent of limits and knobs: the states before and after a change share one index, as long as shares that are gone
are not asked for.
"""

from __future__ import annotations

from quota_scheduler.cost import cost_of
from quota_scheduler.job import DISPATCHED_STATUSES, RUNNABLE
from quota_scheduler.roster import Roster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.roster import Entry

    Amounts = tuple[tuple[str, int], ...]

UNKNOWN_PRIORITY = 0
"""What an unknown priority counts as where one order is needed (the likely set, the order in a share)."""

_NEVER = 2**62
"""Sorts an unknown time of submission behind all known ones."""


class JobIndex:
    """Waiting and dispatched jobs by share, in the orders in which the scheduler looks at them.

    `kinds` has the waiting jobs of each demand and priority, by share, in order: what holds for one, however long it
    waits, holds for all of its kind.

    Args:
        jobs: all jobs of a state; those neither waiting nor dispatched are left out.
    """

    __slots__ = (
        "_amounts",
        "_costs",
        "by_id",
        "dispatched",
        "kinds",
        "rosters",
        "several_types",
        "stoppers",
        "stopping",
        "unknown_priorities",
        "usage",
        "waiting",
    )

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.by_id: dict[str, Job] = {}
        self.waiting: dict[str, list[Job]] = {}
        self.kinds: dict[str, dict[tuple[Amounts, int | None], list[Job]]] = {}
        self._amounts: dict[int, Amounts] = {}
        self.dispatched: dict[str, list[Job]] = {}
        self.usage: dict[str, dict[str, int]] = {}
        self.stoppers: dict[str, list[Job]] = {}
        self.stopping: set[str] = set()
        self.rosters: dict[tuple[str, str], Roster] = {}
        self.several_types: set[str] = set()
        self.unknown_priorities: set[str] = set()
        self._costs: dict[str, Cost] = {}
        by_id, waiting = self.by_id, self.waiting
        entries: dict[tuple[str, str], list[Entry]] = {}
        for job in jobs:
            if job.status == RUNNABLE:
                by_id[job.id] = job
                queue = waiting.get(job.share)
                if queue is None:
                    queue = waiting[job.share] = []
                queue.append(job)
            elif job.status in DISPATCHED_STATUSES:
                by_id[job.id] = job
                self._add_dispatched(job, entries)
        for share, queue in waiting.items():
            queue.sort(key=share_order)
            self.kinds[share] = self._kinds_of(queue)
        for (share, unit), listed in entries.items():
            listed.sort()
            self.rosters[share, unit] = Roster(share, unit, listed)

    def _kinds_of(self, queue: list[Job]) -> dict[tuple[Amounts, int | None], list[Job]]:
        kinds: dict[tuple[Amounts, int | None], list[Job]] = {}
        amounts_of = self._amounts
        for job in queue:
            kind = (amounts_of.get(id(job.uses)) or self.amounts(job), job.priority)
            alike = kinds.get(kind)
            if alike is None:
                kinds[kind] = [job]
            else:
                alike.append(job)
        return kinds

    def _add_dispatched(self, job: Job, entries: dict[tuple[str, str], list[Entry]]) -> None:
        self.dispatched.setdefault(job.share, []).append(job)
        usage = self.usage.setdefault(job.share, {})
        for unit, amount in job.uses.items():
            usage[unit] = usage.get(unit, 0) + amount
        if len(job.uses) > 1:
            self.several_types.add(job.id)
        if job.priority is None:
            self.unknown_priorities.add(job.share)
        if job.stopping_for is not None:
            self.stopping.add(job.id)
            self.stoppers.setdefault(job.stopping_for, []).append(job)
            return
        entry = (known_priority(job), -(job.dispatched_at or 0), job.id, job)
        for unit in job.uses:
            entries.setdefault((job.share, unit), []).append(entry)

    def amounts(self, job: Job) -> Amounts:
        """Give what a job uses in a form that is equal for equal amounts."""
        amounts = self._amounts.get(id(job.uses))
        if amounts is None:
            amounts = self._amounts[id(job.uses)] = tuple(sorted(job.uses.items()))
        return amounts

    def cost(self, job: Job, at: int) -> Cost:
        """Give what stopping a job costs at the time of the state; asked for often, calculated once."""
        cost = self._costs.get(job.id)
        if cost is None:
            cost = self._costs[job.id] = cost_of(job, at)
        return cost


def known_priority(job: Job) -> int:
    """Give a job's priority, with an unknown one counted as 0.

    Source: assumed (docs/decisions/0012-unknown-priorities.md).
    """
    return UNKNOWN_PRIORITY if job.priority is None else job.priority


def share_order(job: Job) -> tuple[int, int, str]:
    """Give a waiting job's place in its share.

    1. higher priority first
    2. earlier submission first, an unknown one last
    3. id

    Source: UpdateServiceJob (1); assumed (2, 3), docs/decisions/0011-order-of-heads.md.
    """
    created = job.created_at
    return (-known_priority(job), _NEVER if created is None else created, job.id)


def submitted(job: Job) -> int:
    """Give the time of submission, an unknown one behind all known ones."""
    return _NEVER if job.created_at is None else job.created_at


def is_lower(job: Job, waiting: Job, *, unknown: bool) -> bool:
    """Say whether a dispatched job has a lower priority than a waiting one.

    Args:
        job: the dispatched job.
        waiting: the waiting job.
        unknown: the answer where one of the priorities is not known.
    """
    if job.priority is None or waiting.priority is None:
        return unknown
    return job.priority < waiting.priority


def names(jobs: Iterable[Job]) -> list[str]:
    """Give the sorted ids of jobs."""
    return sorted([job.id for job in jobs])
