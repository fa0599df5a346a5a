"""The waiting jobs of one share during a pass: which one comes first, and which are behind it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger

    Head = tuple[Job, Demand]


class ShareQueue:
    """The waiting jobs of one share, in the order of `share_order`; the first one blocks those behind it.

    Args:
        share: its name.
        jobs: the waiting jobs in order.
        ledger: the books of the pass.
    """

    def __init__(self, share: str, jobs: list[Job], ledger: Ledger) -> None:
        self.share = share
        self._jobs = jobs
        self._ledger = ledger
        self._next = 0
        self._served: set[str] = set()

    def heads(self) -> Iterable[Head]:
        """Give the jobs that can be decided now: the first one, if it can ever fit."""
        if self._next == len(self._jobs):
            return ()
        job = self._jobs[self._next]
        demand = self._ledger.demand(job)
        return () if demand.never is not None else ((job, demand),)

    def serve(self, job: Job) -> None:
        """Let a job go."""
        self._served.add(job.id)
        while self._next < len(self._jobs) and self._jobs[self._next].id in self._served:
            self._next += 1

    def is_blocked(self, job: Job) -> bool:
        """Say whether another waiting job of the share comes first."""
        return self._next < len(self._jobs) and self._jobs[self._next] is not job

    def left(self) -> list[Job]:
        """Give the jobs that still wait, in order."""
        return [job for job in self._jobs[self._next :] if job.id not in self._served]


class BackfillQueue(ShareQueue):
    """The waiting jobs of one share with knob `head_blocking=backfill`: none blocks another one.

    Its heads are the first of each kind (same demand, same priority): what holds for it holds for those behind it. A
    job for which others are being stopped is a kind of its own.
    """

    def __init__(self, share: str, jobs: list[Job], ledger: Ledger) -> None:
        super().__init__(share, jobs, ledger)
        self._firsts: dict[tuple[int, int | None, str], Head] = {}
        self._behind: dict[tuple[int, int | None, str], Iterator[Job]] = {}
        for alike in _apart(ledger.index.kinds[share].values(), ledger):
            demand = ledger.demand(alike[0])
            if demand.never is None:
                kind = self._kind(alike[0], demand)
                behind = self._behind[kind] = iter(alike)
                self._firsts[kind] = (next(behind), demand)

    def heads(self) -> Iterable[Head]:
        """Give the jobs that can be decided now: the first of each kind that can ever fit."""
        return self._firsts.values()

    def serve(self, job: Job) -> None:
        """Let a job go."""
        super().serve(job)
        demand = self._ledger.demand(job)
        kind = self._kind(job, demand)
        following = next(self._behind[kind], None)
        if following is None:
            del self._firsts[kind]
        else:
            self._firsts[kind] = (following, demand)

    def is_blocked(self, job: Job) -> bool:
        """Say whether another waiting job of the share comes first; none does."""
        return False

    def _kind(self, job: Job, demand: Demand) -> tuple[int, int | None, str]:
        return (id(demand), job.priority, job.id if job.id in self._ledger.index.stoppers else "")


def _apart(kinds: Iterable[list[Job]], ledger: Ledger) -> Iterator[list[Job]]:
    """Take the jobs for which others are being stopped out of their kinds."""
    stoppers = ledger.index.stoppers
    for jobs in kinds:
        alike = [job for job in jobs if job.id not in stoppers] if stoppers else jobs
        if alike:
            yield alike
        if len(alike) < len(jobs):
            yield from [[job] for job in jobs if job.id in stoppers]
