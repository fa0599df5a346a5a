"""The waiting jobs of one share during a pass: which one comes first, and which are behind it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger


class ShareQueue:
    """The waiting jobs of one share, in the order of `share_order`.

    Args:
        share: its name.
        jobs: the waiting jobs in order.
        ledger: the books of the pass.
    """

    __slots__ = ("_behind", "_jobs", "_ledger", "_next", "_served", "share")

    def __init__(self, share: str, jobs: list[Job], ledger: Ledger) -> None:
        self.share = share
        self._jobs = jobs
        self._ledger = ledger
        self._next = 0
        self._served: set[str] = set()
        self._behind: dict[tuple[int, int | None, str], list[Job]] | None = None

    def heads(self) -> list[tuple[Job, Demand]]:
        """Give the jobs that can be decided now: the first one, if it can ever fit.

        With knob `head_blocking=backfill` it is the first of each kind (same demand, same priority): what holds for
        it holds for those behind it.
        """
        if self._ledger.knobs.head_blocking == "backfill":
            return self._first_of_each_kind()
        if self._next == len(self._jobs):
            return []
        job = self._jobs[self._next]
        demand = self._ledger.demand(job)
        return [] if demand.never is not None else [(job, demand)]

    def serve(self, job: Job) -> None:
        """Let a job go."""
        self._served.add(job.id)
        if self._behind is not None:
            self._behind[self._kind(job)].pop()
        while self._next < len(self._jobs) and self._jobs[self._next].id in self._served:
            self._next += 1

    def is_blocked(self, job: Job) -> bool:
        """Say whether another waiting job of the share comes first."""
        if self._ledger.knobs.head_blocking == "backfill":
            return False
        return self._next < len(self._jobs) and self._jobs[self._next] is not job

    def left(self) -> list[Job]:
        """Give the jobs that still wait, in order."""
        return [job for job in self._jobs[self._next :] if job.id not in self._served]

    def _first_of_each_kind(self) -> list[tuple[Job, Demand]]:
        if self._behind is None:
            self._behind = {}
            for job in reversed(self._jobs):
                self._behind.setdefault(self._kind(job), []).append(job)
        firsts = [(jobs[-1], self._ledger.demand(jobs[-1])) for jobs in self._behind.values() if jobs]
        return [(job, demand) for job, demand in firsts if demand.never is None]

    def _kind(self, job: Job) -> tuple[int, int | None, str]:
        """Tell apart what may be decided differently: demand, priority, and whom others are being stopped for."""
        alone = job.id if job.id in self._ledger.index.stoppers else ""
        return (id(self._ledger.demand(job)), job.priority, alone)
