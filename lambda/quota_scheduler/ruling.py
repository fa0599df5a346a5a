"""What happens to one waiting job now: the numbered steps of a decision.

0  another waiting job of the share comes first   -> wait, head_blocked
1  it can never fit                               -> never_fits (tested before 0)
2  it fits                                        -> dispatch
3  entitled: stop jobs of shares over their limit -> preempt, reclaim
4  in-share: stop own jobs of lower priority      -> preempt, in_share
5  both together, below the limit                 -> preempt, mixed
6  otherwise                                      -> wait
"""

from __future__ import annotations

from quota_scheduler.admission import borrowing, fits, is_entitled, is_larger_than_limit, needs, room_shortage
from quota_scheduler.candidates import cross_rosters, own_roster
from quota_scheduler.preemption import find_targets
from quota_scheduler.sentences import Numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Cell, Demand, Ledger
    from quota_scheduler.targets import Targets

DISPATCH = "dispatch"
PREEMPT = "preempt"
WAIT = "wait"
NEVER_FITS = "never_fits"


class Ruling:
    """The decision about one waiting job on one state of the books."""

    __slots__ = ("borrowing", "job", "needs", "numbers", "outcome", "reason", "sentence", "targets")

    def __init__(self, job: Job, outcome: str, reason: str) -> None:
        self.job: Job = job
        self.outcome: str = outcome
        self.reason: str = reason
        self.borrowing: int = 0
        self.needs: dict[str, int] = {}
        self.targets: Targets | None = None
        self.numbers: tuple[Numbers, ...] = ()
        self.sentence: str | None = None

    def of(self, job: Job) -> Ruling:
        """Give the same ruling about another job of the share with the same demand."""
        same = Ruling(job, self.outcome, self.reason)
        same.needs, same.numbers, same.sentence = self.needs, self.numbers, self.sentence
        return same


def serve(ledger: Ledger, job: Job, demand: Demand, at: int | None = None) -> Ruling | None:
    """Decide steps 2 to 5 for a job that comes first in its share and can fit.

    A job that is being stopped for it counts as gone for it.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        at: the moment for the cost of the stopped jobs, in milliseconds since 1970 UTC; None if nobody asks for it.

    Returns:
        The ruling, or None if the job has to wait.
    """
    stopping = stopping_for(ledger, job)
    for other in stopping:
        ledger.take(other)
    ruling = _serve(ledger, job, demand, at)
    for other in stopping:
        ledger.put(other)
    return ruling


def stopping_for(ledger: Ledger, job: Job) -> list[Job]:
    """Give the dispatched jobs that are being stopped for a waiting one."""
    stoppers = ledger.index.stoppers.get(job.id)
    if not stoppers:
        return []
    return [other for other in stoppers if other.id not in ledger.gone and other.share in ledger.shares]


def _serve(ledger: Ledger, job: Job, demand: Demand, at: int | None) -> Ruling | None:
    if fits(ledger, demand):
        borrowed = borrowing(demand)
        ruling = Ruling(job, DISPATCH, "borrow" if borrowed else "within_limit")
        ruling.borrowing = borrowed
        ruling.numbers = _numbers(demand)
        return ruling
    targets = find_targets(ledger, job, demand, at)
    if targets is None:
        return None
    kinds = {stopped.share == job.share for stopped in targets.likely}
    ruling = Ruling(job, PREEMPT, "mixed" if len(kinds) == 2 else "in_share" if True in kinds else "reclaim")
    ruling.targets = targets
    ruling.needs = needs(ledger, demand)
    ruling.numbers = _numbers(demand)
    for stopped in targets.likely:
        ledger.take(stopped)
    ruling.borrowing = borrowing(demand)
    for stopped in targets.likely:
        ledger.put(stopped)
    return ruling


def refuse(ledger: Ledger, job: Job, demand: Demand, *, is_blocked: bool) -> Ruling:
    """Give the ruling about a job that is not served: never_fits, or wait with the first reason that holds.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        is_blocked: whether another waiting job of its share comes first.
    """
    if demand.never is not None:
        ruling = Ruling(job, NEVER_FITS, demand.never)
        ruling.numbers = _numbers(demand)
        return ruling
    stopping = stopping_for(ledger, job)
    for other in stopping:
        ledger.take(other)
    ruling = Ruling(job, WAIT, "head_blocked" if is_blocked else _wait_reason(ledger, job, demand))
    ruling.needs = needs(ledger, demand)
    ruling.numbers = _numbers(demand)
    for other in stopping:
        ledger.put(other)
    return ruling


def _wait_reason(ledger: Ledger, job: Job, demand: Demand) -> str:
    own = own_roster(ledger, job, demand)
    if not own and not is_entitled(demand) and cross_rosters(ledger, demand):
        return "would_borrow"
    if own and is_larger_than_limit(demand):
        return "larger_than_limit"
    if own or cross_rosters(ledger, demand):
        return "cannot_help"
    over_cap = any(cell.cap is not None and cell.usage + amount > cell.cap for cell, amount in demand.lines)
    if demand.lines[0][0].borrows:
        return "borrow_limit" if over_cap else "no_capacity"
    if is_entitled(demand):
        return "no_capacity"
    if ledger.shares[demand.share].in_share_preemption:
        return "no_candidates"
    free = all(cell.totals.usage + amount <= cell.totals.environment for cell, amount in demand.lines)
    return "limit_now" if free else "no_capacity"


def _numbers(demand: Demand) -> tuple[Numbers, ...]:
    """Keep the numbers that the sentence tells; the books move on."""
    return tuple([_numbers_of(cell, amount) for cell, amount in demand.lines])


def _numbers_of(cell: Cell, amount: int) -> Numbers:
    totals = cell.totals
    lent = totals.lender_idle - (cell.idle if cell.lends else 0) - max(0, totals.over)
    free = -room_shortage(cell, 0)
    return Numbers(cell.unit, amount, cell.usage, cell.limit, cell.cap, lent, free, totals.environment)
