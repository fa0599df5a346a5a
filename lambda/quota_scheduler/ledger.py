"""Who holds what: the sums behind every decision, kept up to date while a pass goes on.

A ledger belongs to one pass over one state and is changed in place; the state itself never is. For each instance type

    E            environment           L[s]  limit of share s, 0 if not listed
    U[s]         usage                 O[s] = max(0, U[s] - L[s])     I[s] = max(0, L[s] - U[s])

and their sums over the shares.
"""

from __future__ import annotations

from quota_scheduler.admission import never_reason
from quota_scheduler.roster import Roster
from quota_scheduler.search_limits import MOST_STEPS_OF_A_PASS
from quota_scheduler.sharing import cap, may_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.job_index import Amounts, JobIndex
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.share import Share
    from quota_scheduler.state import QueueState


class Totals:
    """Sums of one instance type over all shares. `version` counts the changes that a pass made."""

    __slots__ = (
        "environment",
        "lender_idle",
        "lender_limits",
        "limits",
        "over",
        "reserve_idle",
        "usage",
        "version",
    )

    def __init__(self, environment: int) -> None:
        self.environment = environment
        self.usage = 0
        self.over = 0
        self.lender_idle = 0
        self.reserve_idle = 0
        self.limits = 0
        self.lender_limits = 0
        self.version = 0

    @property
    def surplus(self) -> int:
        """Capacity of the environment that no share owns."""
        return max(0, self.environment - self.limits)


class Cell:
    """One instance type in one share."""

    __slots__ = ("borrows", "cap", "idle", "lends", "limit", "may_use", "over", "share", "totals", "unit", "usage")

    def __init__(self, share: Share, unit: str, totals: Totals, knobs: Knobs) -> None:
        self.share = share.name
        self.unit = unit
        self.totals = totals
        self.limit = share.limits.get(unit, 0)
        self.cap = cap(share, unit, knobs)
        self.may_use = may_use(share, unit, knobs)
        self.lends = share.lends
        self.borrows = share.borrows
        self.usage = 0
        self.over = 0
        self.idle = self.limit
        totals.limits += self.limit
        if self.lends:
            totals.lender_limits += self.limit
            totals.lender_idle += self.limit
        else:
            totals.reserve_idle += self.limit

    def put(self, amount: int) -> None:
        """Add to the usage, or take away what is negative."""
        usage = self.usage + amount
        left = self.limit - usage
        over, idle = (0, left) if left >= 0 else (-left, 0)
        totals = self.totals
        totals.usage += amount
        totals.over += over - self.over
        if self.lends:
            totals.lender_idle += idle - self.idle
        else:
            totals.reserve_idle += idle - self.idle
        self.usage, self.over, self.idle = usage, over, idle


class Demand:
    """What a job asks for, as lines of the ledger; equal demands of a share are one object."""

    __slots__ = ("lines", "never", "share", "units")

    def __init__(self, share: str, lines: tuple[tuple[Cell, int], ...], never: str | None) -> None:
        self.share = share
        self.lines = lines
        self.units = tuple([cell.unit for cell, _ in lines])
        self.never = never


class Ledger:
    """The books of one pass.

    Args:
        state: the state; it stays as it is.
        index: its jobs.
        knobs: what is assumed.
    """

    __slots__ = (
        "_cells",
        "_demands",
        "_demands_by_amount",
        "_rosters",
        "_totals",
        "blocked_idle",
        "gone",
        "index",
        "knobs",
        "search_steps",
        "shares",
    )

    def __init__(self, state: QueueState, index: JobIndex, knobs: Knobs) -> None:
        self.index = index
        self.knobs = knobs
        self.shares = state.shares
        self.search_steps = MOST_STEPS_OF_A_PASS
        self.gone: set[str] = set()
        self._rosters: dict[tuple[str, str], Roster] = {}
        self.blocked_idle: dict[str, set[str]] = {}
        self._totals = {unit: Totals(amount) for unit, amount in state.environment.items()}
        self._cells: dict[str, dict[str, Cell]] = {}
        self._demands: dict[tuple[str, int], Demand] = {}
        self._demands_by_amount: dict[tuple[str, Amounts], Demand] = {}
        for name, share in state.shares.items():
            self._cells[name] = {}
            for unit in share.limits:
                self.cell(name, unit)
        for name, usage in index.usage.items():
            if name in self._cells:
                for unit, amount in usage.items():
                    self.cell(name, unit).put(amount)

    def cell(self, share: str, unit: str) -> Cell:
        """Give the cell of a share and a type, whether the share lists the type or not."""
        cells = self._cells[share]
        cell = cells.get(unit)
        if cell is None:
            cell = cells[unit] = Cell(self.shares[share], unit, self.totals(unit), self.knobs)
        return cell

    def cells(self, share: str) -> dict[str, Cell]:
        """Give the cells of a share by instance type."""
        return self._cells[share]

    def totals(self, unit: str) -> Totals:
        """Give the sums of a type, whether the environment lists it or not."""
        totals = self._totals.get(unit)
        if totals is None:
            totals = self._totals[unit] = Totals(0)
        return totals

    @property
    def units(self) -> tuple[str, ...]:
        """Every instance type that occurs."""
        return tuple(self._totals)

    def demand(self, job: Job) -> Demand:
        """Give what a job asks for."""
        key = (job.share, id(job.uses))
        demand = self._demands.get(key)
        if demand is None:
            same = (job.share, self.index.amounts(job))
            demand = self._demands_by_amount.get(same)
            if demand is None:
                lines = tuple([(self.cell(job.share, unit), amount) for unit, amount in job.uses.items()])
                demand = self._demands_by_amount[same] = Demand(job.share, lines, never_reason(lines, self.knobs))
            self._demands[key] = demand
        return demand

    def put(self, job: Job) -> None:
        """Let a job hold what it uses."""
        for unit, amount in job.uses.items():
            self.cell(job.share, unit).put(amount)

    def take(self, job: Job) -> None:
        """Let a job give back what it uses."""
        for unit, amount in job.uses.items():
            self.cell(job.share, unit).put(-amount)

    def leave(self, job: Job) -> None:
        """Let a dispatched job end for the rest of the pass."""
        self.take(job)
        self.gone.add(job.id)
        self.touch(job)
        for unit in job.uses:
            left = self.roster(job.share, unit)
            self._rosters[job.share, unit] = left.where(lambda other: other is not job)

    def start(self, job: Job) -> None:
        """Let a waiting job be dispatched for the rest of the pass."""
        self.put(job)
        self.touch(job)

    def touch(self, job: Job) -> None:
        """Note that what was decided about the types of a job may be different now."""
        for unit in job.uses:
            self.totals(unit).version += 1

    def roster(self, share: str, unit: str) -> Roster:
        """Give the dispatched jobs of a share and a type that can be stopped."""
        key = (share, unit)
        left = self._rosters.get(key)
        if left is None:
            left = self.index.rosters.get(key)
            if left is None:
                left = self._rosters[key] = Roster(share, unit, [])
        return left
