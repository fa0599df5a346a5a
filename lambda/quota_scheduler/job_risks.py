"""What may happen to each unfinished job, with the sentence for its owner."""

from __future__ import annotations

from quota_scheduler.assessment import JobRisk
from quota_scheduler.job import RUNNABLE
from quota_scheduler.loss import gpu_hours, upper_loss
from quota_scheduler.ruling import refuse
from quota_scheduler.sentences import sentence_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.job_index import JobIndex
    from quota_scheduler.risk import Risk

_NOTHING_LOST = (0.0, 0.0)


def job_risks(index: JobIndex, before: Risk, after: Risk, terminated: frozenset[str], at: int) -> dict[str, JobRisk]:
    """Give the risk of every unfinished job by its id, sorted.

    Args:
        index: the jobs before the change.
        before: the risk without the change.
        after: the risk with it.
        terminated: jobs that the change ends.
        at: the moment, in milliseconds since 1970 UTC.
    """
    writer = _Writer(before, after, terminated, at)
    jobs = index.by_id
    return {job_id: writer.write(jobs[job_id]) for job_id in sorted(jobs)}


class _Writer:
    """Writes the risks of one assessment. Equal ones are one object: a full queue has thousands that are safe."""

    def __init__(self, before: Risk, after: Risk, terminated: frozenset[str], at: int) -> None:
        self._after = after
        self._at = at
        self._terminated = terminated
        self._newly_terminated_or_possible = terminated | (after.possible - before.possible)
        self._newly_eligible = after.eligible - before.eligible
        self._newly_stuck = after.never_fits.keys() - before.never_fits.keys()
        self._outstanding = terminated | after.never_fits.keys() | after.blocked_behind.keys() | after.starts
        self._waits: dict[tuple[str, str | None], JobRisk] = {}

    def write(self, job: Job) -> JobRisk:
        """Give the risk of one job."""
        if job.status == RUNNABLE:
            return self._outstanding_risk(job) if job.id in self._outstanding else self._waits_on(job)
        risk = self._dispatched_risk(job.id)
        newly = job.id in self._newly_terminated_or_possible or job.id in self._newly_eligible
        return JobRisk(
            job.share,
            risk,
            newly,
            "failed" if job.fails_if_preempted else "requeued",
            self._loss(job),
            job.owner,
            self._sentence(job, risk),
        )

    def _waits_on(self, job: Job) -> JobRisk:
        key = (job.share, job.owner)
        same = self._waits.get(key)
        if same is None:
            same = self._waits[key] = _of_waiting(job, "safe", "waits, and holds nothing that could be lost")
        return same

    def _outstanding_risk(self, job: Job) -> JobRisk:
        after = self._after
        if job.id in self._terminated:
            return _of_waiting(job, "terminated", "ends: its share is removed", newly=True)
        if job.id in after.never_fits:
            return _of_waiting(job, "never_fits", self._never_fits(job), newly=job.id in self._newly_stuck)
        if job.id in after.blocked_behind:
            return _of_waiting(job, "blocked", f"waits behind {after.blocked_behind[job.id]}, which can never run")
        return _of_waiting(job, "safe", "starts")

    def _dispatched_risk(self, job_id: str) -> str:
        after = self._after
        if job_id in self._terminated:
            return "terminated"
        if job_id in after.certain:
            return "certain"
        if job_id in after.likely:
            return "likely"
        if job_id in after.possible:
            return "possible"
        if job_id in after.eligible:
            return "eligible"
        return "stopping" if job_id in after.ledger.index.stopping else "safe"

    def _loss(self, job: Job) -> tuple[float, float]:
        most = upper_loss(job, self._at)
        if not most:
            return _NOTHING_LOST
        hours = gpu_hours(most)
        return (0.0 if job.checkpointed_at is None else hours, hours)

    def _never_fits(self, job: Job) -> str:
        ledger = self._after.ledger
        return sentence_of(refuse(ledger, job, ledger.demand(job), is_blocked=False), ledger)

    def _sentence(self, job: Job, risk: str) -> str:
        claimed_by = self._after.claimed_by.get(job.id)
        if job.stopping_for is not None and risk in ("eligible", "stopping"):
            return f"is being stopped for {job.stopping_for}"
        if risk == "eligible":
            return self._eligible(job)
        if claimed_by is None and risk in ("certain", "likely", "possible"):
            return "is stopped at once, or may be: usage is above a lowered limit or environment"
        return _DISPATCHED[risk].format(claimed_by)

    def _eligible(self, job: Job) -> str:
        for unit in job.uses:
            row = self._after.ledger.index.usage[job.share]
            limit = self._after.ledger.shares[job.share].limits.get(unit, 0)
            if row[unit] > limit:
                return (
                    f"could be stopped: {job.share} uses {row[unit]:,} of {limit:,} {unit}, but nothing that waits "
                    "now claims it"
                )
        return f"could be stopped: a job of {job.share} waits with a higher priority, but does not claim its room now"


def _of_waiting(job: Job, risk: str, sentence: str, *, newly: bool = False) -> JobRisk:
    return JobRisk(job.share, risk, newly, None, _NOTHING_LOST, job.owner, sentence)


_DISPATCHED = {
    "terminated": "ends: its share is removed",
    "certain": "is stopped for {}, whatever the heuristic is",
    "likely": "is likely stopped for {}",
    "possible": "may be stopped for {}",
    "safe": "keeps running: nothing that waits can stop it",
}
