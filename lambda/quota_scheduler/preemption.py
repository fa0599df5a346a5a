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
from quota_scheduler.covers import Group, Need, can_be_enough
from quota_scheduler.heuristic import choose
from quota_scheduler.roster import ids_of
from quota_scheduler.table_sets import fill_from_tables
from quota_scheduler.tally import AmountTally, LedgerTally
from quota_scheduler.targets import Targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Cell, Demand, Ledger


def find_targets(ledger: Ledger, job: Job, demand: Demand, at: int | None) -> Targets | None:
    """Find the jobs to stop for a waiting job that does not fit.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        at: the moment for the cost, in milliseconds since 1970 UTC; None if nobody asks for it.

    Returns:
        The sets, or None if the default heuristic finds none.
    """
    candidates = Candidates(ledger, job, demand)
    if not (candidates.cross or candidates.own):
        return None
    targets = (
        _by_tables(ledger, job, demand, candidates, at)
        if _has_table(ledger, demand)
        else _by_search(ledger, job, demand, candidates, at)
    )
    if targets is not None and ledger.knobs.minimality == "any":
        targets.possible = ids_of(candidates.everyone)
        targets.is_exact = False
    return targets


def _has_table(ledger: Ledger, demand: Demand) -> bool:
    """Say whether one amount tells whether a set is enough."""
    if len(demand.lines) > 1:
        return False
    cell, amount = demand.lines[0]
    return ledger.knobs.reclaim_scope == "whole_job" or cell.usage + amount <= cell.limit


def _by_tables(ledger: Ledger, job: Job, demand: Demand, candidates: Candidates, at: int | None) -> Targets | None:
    need = _need_of(ledger, demand, candidates)
    if not can_be_enough(need):
        return None
    likely = choose(demand, candidates, ledger.knobs, lambda: AmountTally(need, demand.units[0]))
    if likely is None:
        return None
    targets = Targets(likely)
    cost = None if at is None else lambda stopped: ledger.index.cost(stopped, at)
    fill_from_tables(targets, need, job, candidates, cost)
    return targets


def _by_search(ledger: Ledger, job: Job, demand: Demand, candidates: Candidates, at: int | None) -> Targets | None:
    likely = choose(demand, candidates, ledger.knobs, lambda: LedgerTally(ledger, demand))
    if likely is None:
        return None
    from quota_scheduler.search_sets import fill_from_search  # jobs of several types are rare

    targets = Targets(likely)
    fill_from_search(targets, ledger, job, demand, candidates, at or 0)
    return targets


def _need_of(ledger: Ledger, demand: Demand, candidates: Candidates) -> Need:
    cell, amount = demand.lines[0]
    groups = []
    for roster in candidates.cross:
        other = ledger.cell(roster.share, cell.unit)
        groups.append(Group(other.share, other.over, roster.counts, is_reserve=not other.lends))
    shortage = owner_shortage(cell, amount, ledger.knobs)
    own_part = max(0, cell.usage + amount - cell.limit)
    return Need(
        candidates.own_or_unknown.counts,
        groups,
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
