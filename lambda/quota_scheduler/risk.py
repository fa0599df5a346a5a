"""The four nested sets and the bounds for a whole queue: what the jobs that wait now may stop.

    eligible  ⊇  possible  ⊇  likely  ⊇  certain

`possible` and `likely` are unions over the steps of a pass. What is certain in a later step is certain only as long as
it is certain what the earlier steps took, so `certain` ends, per type, with the first step that had a choice.
"""

from __future__ import annotations

from quota_scheduler.cost import FREE, total
from quota_scheduler.cycle import Pass
from quota_scheduler.eligibility import eligible_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.cost import Cost
    from quota_scheduler.job import Job
    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.ledger import Ledger
    from quota_scheduler.ruling import Ruling
    from quota_scheduler.state import QueueState


class Risk:
    """What the jobs that wait in a state may stop.

    `never_fits` maps a job to its reason, `blocked_behind` a job to the one in front that can never run, and
    `claimed_by` a possible job to the first waiting job that may stop it.
    """

    __slots__ = (
        "blocked_behind",
        "certain",
        "claimed_by",
        "eligible",
        "inexact",
        "least",
        "ledger",
        "likely",
        "most",
        "never_fits",
        "possible",
        "starts",
        "unknown_priority",
    )

    def __init__(self, one_pass: Pass) -> None:
        self.ledger: Ledger = one_pass.ledger
        self.certain: set[str] = set()
        self.claimed_by: dict[str, str] = {}
        self.likely: set[str] = set()
        self.possible: set[str] = set()
        self.inexact: set[str] = set()
        self.least: Cost = FREE
        self.most: Cost = FREE
        self.eligible, self.unknown_priority = eligible_jobs(self.ledger)
        one_pass.run()
        self.starts = frozenset([ruling.job.id for ruling in one_pass.served])
        self._add_steps(one_pass.served)
        self.eligible |= self.possible
        self.never_fits: dict[str, str] = {}
        self.blocked_behind: dict[str, str] = {}
        self._add_stuck()

    def sets(self) -> tuple[frozenset[str], ...]:
        """Give the sets that knobs may change."""
        stuck = (self.never_fits, self.blocked_behind)
        return tuple(
            [frozenset(ids) for ids in (self.eligible, self.possible, self.likely, self.certain, self.starts, *stuck)]
        )

    def _add_steps(self, served: list[Ruling]) -> None:
        had_choice: set[str] = set()
        for ruling in served:
            targets = ruling.targets
            if targets is None:
                continue
            for stopped in targets.possible:
                self.claimed_by.setdefault(stopped, ruling.job.id)
            self.possible |= targets.possible
            self.likely.update([job.id for job in targets.likely])
            if had_choice.isdisjoint(ruling.job.uses):
                self.certain |= targets.certain
            if targets.has_alternatives or not targets.is_exact:
                had_choice.update(ruling.job.uses)
                for stopped in targets.possible:
                    had_choice.update(self.ledger.index.by_id[stopped].uses)
            if not targets.is_exact:
                self.inexact |= targets.possible
            self.least = total((self.least, targets.least))
            self.most = total((self.most, targets.most))

    def _add_stuck(self) -> None:
        ledger = self.ledger
        is_strict = ledger.knobs.head_blocking == "strict"
        for name in ledger.shares:
            front: Job | None = None
            for job in ledger.index.waiting.get(name, ()):
                never = ledger.demand(job).never
                if never is not None:
                    self.never_fits[job.id] = never
                    front = front or job
                elif front is not None and is_strict:
                    self.blocked_behind[job.id] = front.id


def risk_of(state: QueueState, index: JobIndex, knobs: Knobs, *, with_costs: bool = True) -> Risk:
    """Work out what the jobs that wait in a state may stop.

    Args:
        state: the state; it stays as it is.
        index: its jobs; shares that the state does not have are left out.
        knobs: what is assumed.
        with_costs: whether the bounds are worked out, too.
    """
    return Risk(Pass(state, index, knobs, with_costs=with_costs))
