"""Who is eligible until things settle: a stopped job waits again, and may have others stopped in its turn.

The least set that is closed under

    waiting      the jobs that wait, and every job that is eligible (it may be put back)
    over         shares over their limit, and LEND_AND_BORROW shares with a waiting job that could borrow what is free
                 or what an eligible job holds
    cross-share  jobs of a share that is over, if a job of another share waits that is below its limit, or may become
                 so by in-share preemption
    in-share     jobs of a share with in-share preemption that have a lower priority than a waiting one of it

all per instance type. Sound: whatever the heuristic and the order, no other dispatched job is stopped before new jobs
arrive. Not tight: not everybody in it can really be reached. A RESERVE or LEND share within its limits is not in it for
the sake of other shares, whatever arrives, as long as limits stay.
"""

from __future__ import annotations

from quota_scheduler.candidates import may_stop_own
from quota_scheduler.eligibility import Pressure
from quota_scheduler.job_index import JobIndex
from quota_scheduler.knobs import Knobs
from quota_scheduler.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.state import QueueState


def eligible_until_settled(
    state: QueueState,
    knobs: Knobs = Knobs(),  # noqa: B008  # immutable
) -> frozenset[str]:
    """Give the dispatched jobs that may be stopped before the queue comes to rest, without new arrivals.

    Args:
        state: the state; it stays as it is.
        knobs: what is assumed.

    Returns:
        Their ids.
    """
    return frozenset(_Closure(state, knobs).run())


class _Closure:
    def __init__(self, state: QueueState, knobs: Knobs) -> None:
        self._ledger = Ledger(state, JobIndex(state.jobs), knobs)
        self._jobs = [job for job in self._ledger.index.by_id.values() if job.share in state.shares]
        self._waiting = {job.id for job in self._jobs if job.is_waiting}
        self._eligible: set[str] = set()

    def run(self) -> set[str]:
        before = -1
        while before != len(self._eligible):
            before = len(self._eligible)
            self._add()
        return {job.id for job in self._jobs if job.is_dispatched and job.id in self._eligible}

    def _add(self) -> None:
        queued = [job for job in self._jobs if job.id in self._waiting or job.id in self._eligible]
        pressure: dict[tuple[str, str], Pressure] = {}
        for job in queued:
            for unit in job.uses:
                pressure.setdefault((job.share, unit), Pressure()).add(job.priority)
        held = {unit for job in self._jobs if job.id in self._eligible for unit in job.uses}
        shrinking = {(job.share, unit) for job in self._jobs if job.id in self._eligible for unit in job.uses}
        over = self._shares_over(pressure, held)
        owners: dict[str, set[str]] = {}
        for share, unit in pressure:
            cell = self._ledger.cell(share, unit)
            may_shrink = (share, unit) in shrinking or may_stop_own(self._ledger, share, (unit,))
            if cell.limit > 0 and (cell.usage < cell.limit or may_shrink):
                owners.setdefault(unit, set()).add(share)
        for job in self._jobs:
            for unit in job.uses:
                key = (job.share, unit)
                is_pressed = key in pressure and pressure[key].may_displace(job.priority)
                by_own = is_pressed and may_stop_own(self._ledger, job.share, (unit,))
                if by_own or (key in over and owners.get(unit, set()) - {job.share}):
                    self._eligible.add(job.id)

    def _shares_over(self, queued: Iterable[tuple[str, str]], held: set[str]) -> set[tuple[str, str]]:
        """Give the shares that are over, or may come to be by borrowing what is free or what an eligible job holds."""
        ledger = self._ledger
        over = {(name, unit) for name in ledger.shares for unit, cell in ledger.cells(name).items() if cell.over > 0}
        for share, unit in queued:
            cell = ledger.cell(share, unit)
            may_borrow = cell.borrows and (cell.cap is None or cell.cap > cell.limit)
            if may_borrow and (unit in held or cell.totals.usage < cell.totals.environment):
                over.add((share, unit))
        return over
