"""Which jobs are eligible for preemption: AWS's own word, and the widest of the four sets.

A dispatched job is eligible if its share is over its limit of a type the job uses; or if its share has in-share
preemption on and a job of the same share and type waits with a higher priority, whether that one can run or not.
Whatever is possible is eligible, too; the caller adds it.

Source: AWS Batch User Guide, Preemption, and Quota shares (lowered limits).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.ledger import Ledger


class Pressure:
    """The priorities of the waiting jobs of one share and type."""

    __slots__ = ("has_unknown", "highest")

    def __init__(self) -> None:
        self.highest: int | None = None
        self.has_unknown = False

    def add(self, priority: int | None) -> None:
        """Note one waiting job."""
        if priority is None:
            self.has_unknown = True
        elif self.highest is None or priority > self.highest:
            self.highest = priority

    def may_displace(self, priority: int | None) -> bool:
        """Say whether a waiting job may have a higher priority; where a priority is not known it may."""
        if self.has_unknown or priority is None:
            return True
        return self.highest is not None and priority < self.highest

    def needs_unknown(self, priority: int | None) -> bool:
        """Say whether that depends on a priority that is not known."""
        known = self.highest is not None and priority is not None and priority < self.highest
        return not known and self.may_displace(priority)


def eligible_jobs(ledger: Ledger) -> tuple[set[str], set[str]]:
    """Find the eligible jobs of a state, on books that no pass has touched.

    Returns:
        Their ids, and the ids of those that are so only because a priority is not known.
    """
    eligible: set[str] = set()
    unknown: set[str] = set()
    for name, share in ledger.shares.items():
        dispatched = ledger.index.dispatched.get(name, ())
        over = {unit for unit, cell in ledger.cells(name).items() if cell.over > 0}
        pressure = pressure_of(ledger, name) if share.in_share_preemption and dispatched else {}
        if not over and not pressure:
            continue
        for job in dispatched:
            if over and not over.isdisjoint(job.uses):
                eligible.add(job.id)
            elif pressure:
                pressing = [pressure[unit] for unit in job.uses if unit in pressure]
                if any(each.may_displace(job.priority) for each in pressing):
                    eligible.add(job.id)
                    if all(each.needs_unknown(job.priority) for each in pressing if each.may_displace(job.priority)):
                        unknown.add(job.id)
    return eligible, unknown


def pressure_of(ledger: Ledger, share: str) -> dict[str, Pressure]:
    """Give, by type, the priorities of the waiting jobs of a share."""
    pressure: dict[str, Pressure] = {}
    for alike in ledger.index.kinds.get(share, {}).values():
        for unit in alike[0].uses:
            if unit not in pressure:
                pressure[unit] = Pressure()
            pressure[unit].add(alike[0].priority)
    return pressure
