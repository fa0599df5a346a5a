"""Which dispatched jobs can be stopped for a waiting one, and when a set of them is enough.

A candidate is of the same type and either of another share that is over its limit (cross-share, always on, whatever
the priorities) or of the same share with a lower priority (in-share, where the share has it on). Jobs that are being
stopped already and jobs started in the same pass are none.

Source: AWS Batch User Guide, Preemption; each predicate below names what is assumed.
"""

from __future__ import annotations

from quota_scheduler.admission import fits, has_headroom, is_entitled, is_larger_than_limit
from quota_scheduler.job_index import is_lower, known_priority
from quota_scheduler.roster import Roster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.job import Job
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.ledger import Demand, Ledger


class Candidates:
    """The jobs that can be stopped for a waiting one.

    Args:
        ledger: who holds what.
        job: the waiting job.
        demand: what it asks for.
    """

    __slots__ = ("cross", "own", "own_or_unknown")

    def __init__(self, ledger: Ledger, job: Job, demand: Demand) -> None:
        self.cross = cross_rosters(ledger, demand) if may_reclaim(demand, ledger.knobs) else []
        self.own = self.own_or_unknown = _NOBODY
        if may_use_in_share(demand, ledger.knobs):
            self.own = own_roster(ledger, job, demand)
            self.own_or_unknown = self.own
            if job.priority is None or job.share in ledger.index.unknown_priorities:
                self.own_or_unknown = own_roster(ledger, job, demand, unknown=True)

    @property
    def everyone(self) -> list[Roster]:
        """Everybody who may be stopped, whatever the unknown priorities are; the own share last."""
        return [*self.cross, self.own_or_unknown]


_NOBODY = Roster("", "", [])


def own_roster(ledger: Ledger, job: Job, demand: Demand, *, unknown: bool = False) -> Roster:
    """Give the dispatched jobs of the same share that in-share preemption may stop.

    Args:
        ledger: who holds what.
        job: the waiting job.
        demand: what it asks for.
        unknown: whether a job counts as lower where a priority is not known; otherwise an unknown one counts as 0.
    """
    if not may_stop_own(ledger, demand.share, demand.units):
        return _NOBODY
    roster = _of_units(ledger, demand.share, demand.units)
    if unknown:
        return roster.where(lambda other: is_lower(other, job, unknown=True))
    return roster.lower_than(known_priority(job))


def may_stop_own(ledger: Ledger, share: str, units: Iterable[str]) -> bool:
    """Say whether a waiting job of some types may stop jobs of its own share.

    Source: CreateQuotaShare, `inSharePreemption`; assumed for knob `reduction_trigger_own`.
    """
    if ledger.shares[share].in_share_preemption:
        return True
    return ledger.knobs.reduction_trigger_own == "any" and any(is_over(ledger, share, unit) for unit in units)


def cross_rosters(ledger: Ledger, demand: Demand) -> list[Roster]:
    """Give the dispatched jobs of other shares that are over their limit of a type, share by share."""
    found = []
    for name in ledger.shares:
        if name != demand.share:
            over = [cell.unit for cell, _ in demand.lines if is_over(ledger, name, cell.unit)]
            if over:
                found.append(_in_pool(ledger, name, _of_units(ledger, name, tuple(over))))
    return [roster for roster in found if roster]


def is_over(ledger: Ledger, share: str, unit: str) -> bool:
    """Say whether a share uses more of a type than its limit."""
    cell = ledger.cells(share).get(unit)
    return cell is not None and cell.over > 0


def _in_pool(ledger: Ledger, share: str, roster: Roster) -> Roster:
    """Keep the jobs that count as borrowing (knob `victim_pool`; all of them by default).

    Which jobs borrowed when they were dispatched is read off the present limits: the newest ones down to the limit.
    """
    if ledger.knobs.victim_pool == "any":
        return roster
    above = {unit: cell.over for unit, cell in ledger.cells(share).items() if cell.over > 0}
    kept = set()
    for entry in sorted(roster.entries, key=lambda entry: (entry[1], entry[2])):
        if any(above.get(unit, 0) > 0 for unit in entry[3].uses):
            kept.add(entry[2])
            for unit, amount in entry[3].uses.items():
                above[unit] = above.get(unit, 0) - amount
    return roster.where(lambda job: job.id in kept)


def _of_units(ledger: Ledger, share: str, units: tuple[str, ...]) -> Roster:
    if len(units) == 1:
        return ledger.roster(share, units[0])
    merged = {entry[2]: entry for unit in units for entry in ledger.roster(share, unit).entries}
    return Roster(share, "", sorted(merged.values()))


def may_reclaim(demand: Demand, knobs: Knobs) -> bool:
    """Say whether a waiting job may stop jobs of other shares: its share is below its limit.

    Source: assumed for a job larger than the limit (knob `reclaim_scope`).
    """
    return has_headroom(demand) and (knobs.reclaim_scope == "headroom" or not is_larger_than_limit(demand))


def may_use_in_share(demand: Demand, knobs: Knobs) -> bool:
    """Say whether a waiting job is small enough to stop jobs of its own share.

    Source: assumed (knob `preemptor_must_fit_limit`).
    """
    return not (knobs.preemptor_must_fit_limit and is_larger_than_limit(demand))


def is_enough(ledger: Ledger, demand: Demand, *, cross: bool, own: bool) -> bool:
    """Say whether a demand is met by the set of jobs that the ledger is without.

    Args:
        ledger: the books without the set.
        demand: what the waiting job asks for.
        cross: whether jobs of other shares are in the set. The waiting job must then be entitled: nobody borrows
            what it takes from others (knob `reclaim_scope`).
        own: whether jobs of its own share are in the set (knob `in_share_while_borrowing`).
    """
    knobs = ledger.knobs
    must_be_entitled = (cross and knobs.reclaim_scope == "whole_job") or (own and not knobs.in_share_while_borrowing)
    return (not must_be_entitled or is_entitled(demand)) and fits(ledger, demand)
