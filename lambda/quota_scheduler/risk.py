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
    from quota_scheduler.state import QueueState
    from quota_scheduler.targets import Targets


def stuck_jobs(ledger: Ledger) -> tuple[dict[str, str], dict[str, str]]:
    """Find the waiting jobs that can never run, and those behind them.

    Returns:
        The reason by job that can never run, and the job in front by job that is blocked.
    """
    never_fits: dict[str, str] = {}
    blocked_behind: dict[str, str] = {}
    is_strict = ledger.knobs.head_blocking == "strict"
    for name in ledger.shares:
        kinds = ledger.index.kinds.get(name, {})
        if not any(ledger.demand(jobs[0]).never for jobs in kinds.values()):
            continue
        front: Job | None = None
        for job in ledger.index.waiting[name]:
            never = ledger.demand(job).never
            if never is not None:
                never_fits[job.id] = never
                front = front or job
            elif front is not None and is_strict:
                blocked_behind[job.id] = front.id
    return never_fits, blocked_behind


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
        "eligible_by_rule",
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
        self.eligible_by_rule, self.unknown_priority = eligible_jobs(self.ledger)
        one_pass.run()
        steps = Steps(one_pass)
        self.starts = steps.starts
        self.certain, self.likely, self.possible = steps.certain, steps.likely, steps.possible
        self.claimed_by, self.inexact = steps.claimed_by, steps.inexact
        self.least, self.most = steps.least, steps.most
        self.eligible = self.eligible_by_rule | self.possible
        self.never_fits, self.blocked_behind = stuck_jobs(self.ledger)


class Steps:
    """What the steps of a pass add up to."""

    __slots__ = ("certain", "claimed_by", "inexact", "least", "likely", "most", "possible", "starts")

    def __init__(self, one_pass: Pass) -> None:
        self.starts = frozenset([ruling.job.id for ruling in one_pass.served])
        self.certain: set[str] = set()
        self.likely: set[str] = set()
        self.possible: set[str] = set()
        self.claimed_by: dict[str, str] = {}
        self.inexact: set[str] = set()
        self.least: Cost = FREE
        self.most: Cost = FREE
        had_choice: set[str] = set()
        index = one_pass.ledger.index
        for reduction in one_pass.reductions:
            self._add((reduction.unit,), reduction.targets, had_choice, index)
        for ruling in one_pass.served:
            if ruling.targets is not None:
                for stopped in ruling.targets.possible - self.possible:
                    self.claimed_by[stopped] = ruling.job.id
                self._add(tuple(ruling.job.uses), ruling.targets, had_choice, index)

    def _add(self, units: tuple[str, ...], targets: Targets, had_choice: set[str], index: JobIndex) -> None:
        self.possible |= targets.possible
        self.likely.update([stopped.id for stopped in targets.likely])
        if had_choice.isdisjoint(units):
            self.certain |= targets.certain
        if targets.has_alternatives or not targets.is_exact:
            had_choice.update(units)
            for name in targets.possible & index.several_types:
                had_choice.update(index.by_id[name].uses)
        if not targets.is_exact:
            self.inexact |= targets.possible
        self.least = total((self.least, targets.least))
        self.most = total((self.most, targets.most))


def risk_of(state: QueueState, index: JobIndex, knobs: Knobs) -> Risk:
    """Work out what the jobs that wait in a state may stop.

    Args:
        state: the state; it stays as it is.
        index: its jobs; shares that the state does not have are left out.
        knobs: what is assumed.
    """
    return Risk(Pass(state, index, knobs, with_costs=True))
