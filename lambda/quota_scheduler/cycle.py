"""One pass over the waiting jobs.

    0  with the knobs for it, stop what is above a lowered limit or environment
    1  the heads of the shares, in the order of `in_order`
    2  decide the first one that is not refused yet
    3  served: the jobs stopped for it leave, it counts as dispatched, the next of its share becomes head, and
       refusals are forgotten
    4  refused: remember it
    5  until all heads are refused

Jobs started in the pass are not stopped in it, and stopped ones are not queued again within it. A refusal whose
instance types nobody has touched since would be the same again, so that it is not decided twice.
"""

from __future__ import annotations

from quota_scheduler.admission import hold_for_blocked_owners, is_entitled
from quota_scheduler.decision import Decision, make_decision
from quota_scheduler.job_index import JobIndex
from quota_scheduler.knobs import Knobs
from quota_scheduler.ledger import Ledger
from quota_scheduler.ordering import in_order
from quota_scheduler.reduction import reductions
from quota_scheduler.ruling import refuse, serve, stopping_for
from quota_scheduler.search_limits import MOST_STEPS_ON_BUDGET
from quota_scheduler.sentences import sentence_of
from quota_scheduler.share_queue import BackfillQueue, ShareQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand
    from quota_scheduler.ordering import OrderedHead
    from quota_scheduler.reduction import Reduction
    from quota_scheduler.ruling import Ruling
    from quota_scheduler.state import QueueState


def cycle(
    state: QueueState,
    knobs: Knobs = Knobs(),  # noqa: B008  # immutable
    *,
    heads_only: bool = False,
) -> tuple[Decision, ...]:
    """Decide about every waiting job, each on the state as the earlier decisions leave it.

    Args:
        state: the state; it stays as it is.
        knobs: what is assumed.
        heads_only: whether jobs behind another one of their share are left out, which takes less time.

    Returns:
        The jobs that are served, in the order in which they are; then all others, share by share.
    """
    one_pass = Pass(state, JobIndex(state.jobs), knobs).run()
    rulings = one_pass.served + one_pass.refusals(heads_only=heads_only)
    return tuple([make_decision(ruling, one_pass.ledger) for ruling in rulings])


class Budget:
    """How many decisions several passes may take together.

    Args:
        decisions: their number.
    """

    __slots__ = ("_left",)

    def __init__(self, decisions: int) -> None:
        self._left = decisions

    def spend(self, decisions: int = 1) -> bool:
        """Take some decisions, and say whether there were so many left."""
        self._left -= decisions
        return self._left >= 0


_HEADS_PER_DECISION = 60
"""Keeping so many heads in order takes about as long as a decision."""


class Pass:
    """One pass over the waiting jobs of a state.

    Args:
        state: the state; it stays as it is.
        index: its jobs.
        knobs: what is assumed.
        with_costs: whether the cost of the stopped jobs is worked out, too.
        budget: how many decisions may be taken; any number unless given.
    """

    def __init__(
        self,
        state: QueueState,
        index: JobIndex,
        knobs: Knobs,
        *,
        with_costs: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.ledger = Ledger(state, index, knobs)
        self.served: list[Ruling] = []
        self.reductions: list[Reduction] = []
        self.is_cut_short = False
        self._budget = budget
        if budget is not None:
            self.ledger.search_steps = MOST_STEPS_ON_BUDGET
        self._at = state.at if with_costs else None
        queue_of = BackfillQueue if knobs.head_blocking == "backfill" else ShareQueue
        self._queues = {
            name: queue_of(name, index.waiting[name], self.ledger)
            for name in sorted(state.shares)
            if name in index.waiting
        }
        self._heads: dict[str, list[OrderedHead]] = {}
        self._order: list[OrderedHead] = []
        self._refused: dict[str, tuple[int, ...]] = {}

    def run(self) -> Pass:
        """Decide until all heads are refused."""
        self.reductions += reductions(self.ledger, self._at)
        self._find_heads(self._queues)
        while (ruling := self._serve_next()) is not None:
            self._apply(ruling)
        return self

    def refusals(self, *, heads_only: bool = False) -> list[Ruling]:
        """Give the rulings about the jobs that were not served, on the books as the pass leaves them."""
        self._hold_for_blocked_owners()
        found: list[Ruling] = []
        for queue in self._queues.values():
            same: dict[int, Ruling] = {}
            left = queue.left()[:1] if heads_only else queue.left()
            found += [self._refuse(job, queue.is_blocked(job), same) for job in left]
        return found

    def _refuse(self, job: Job, is_blocked: bool, same: dict[int, Ruling]) -> Ruling:
        """Refuse a job; those behind another one, and those that can never run, in the words of the first such one."""
        demand = self.ledger.demand(job)
        is_alike = (is_blocked or demand.never is not None) and job.id not in self.ledger.index.stoppers
        if is_alike and id(demand) in same:
            return same[id(demand)].of(job)
        ruling = refuse(self.ledger, job, demand, is_blocked=is_blocked)
        if is_alike:
            ruling.sentence = sentence_of(ruling, self.ledger)
            same[id(demand)] = ruling
        return ruling

    def _find_heads(self, shares: Iterable[str]) -> None:
        for share in shares:
            self._heads[share] = in_order(self.ledger, self._queues[share].heads())
        self._order = sorted([head for heads in self._heads.values() for head in heads])

    def _serve_next(self) -> Ruling | None:
        """Decide the heads in order until one is served."""
        self._hold_for_blocked_owners()
        if self._budget is not None:
            self._budget.spend(len(self._order) // _HEADS_PER_DECISION)
        blocked_units: set[str] = set()
        for *_, job, demand in self._order:
            is_borrower = self.ledger.knobs.fifo_blocking == "block" and not is_entitled(demand)
            if is_borrower and not blocked_units.isdisjoint(demand.units):
                continue
            ruling = self._decide(job, demand)
            if ruling is not None or self.is_cut_short:
                return ruling
            if is_borrower:
                blocked_units.update(demand.units)
        return None

    def _decide(self, job: Job, demand: Demand) -> Ruling | None:
        versions = tuple([cell.totals.version for cell, _ in demand.lines])
        if self._refused.get(job.id) == versions and not self.ledger.blocked_idle:
            return None
        if self._budget is not None and not self._budget.spend():
            self.is_cut_short = True
            return None
        ruling = serve(self.ledger, job, demand, self._at)
        if ruling is None:
            self._refused[job.id] = versions
        return ruling

    def _apply(self, ruling: Ruling) -> None:
        """Let the served job hold its capacity and those stopped for it leave."""
        leaving = stopping_for(self.ledger, ruling.job)
        if ruling.targets is not None:
            leaving += ruling.targets.likely
        for job in leaving:
            self.ledger.leave(job)
        self.ledger.start(ruling.job)
        self.served.append(ruling)
        self._queues[ruling.job.share].serve(ruling.job)
        self._find_heads({ruling.job.share, *(job.share for job in leaving)} & self._queues.keys())

    def _hold_for_blocked_owners(self) -> None:
        if self.ledger.knobs.hold_idle_for_blocked_owner:
            firsts = [(share, heads[0][5]) for share, heads in self._heads.items() if heads]
            hold_for_blocked_owners(self.ledger, firsts)
