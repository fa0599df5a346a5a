"""Why a job waits, or would: the decision about one job on a state as it is."""

from __future__ import annotations

from dataclasses import replace

from quota_scheduler.admission import hold_for_blocked_owners
from quota_scheduler.decision import Decision, make_decision
from quota_scheduler.job import RUNNABLE, Job
from quota_scheduler.job_index import JobIndex
from quota_scheduler.knobs import Knobs
from quota_scheduler.ledger import Ledger
from quota_scheduler.ruling import refuse, serve
from quota_scheduler.share import DISABLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.state import QueueState


def explain(state: QueueState, job_id: str, knobs: Knobs = Knobs()) -> Decision:  # noqa: B008  # immutable
    """Decide about one waiting job, as if the scheduler looked at it next.

    Args:
        state: the state; it stays as it is.
        job_id: id of a waiting job.
        knobs: what is assumed.

    Returns:
        The decision.

    Raises:
        ValueError: there is no such job, or it does not wait.
    """
    job = next((job for job in state.jobs if job.id == job_id), None)
    if job is None:
        from quota_scheduler.document import nearest  # only on the way to an error

        hint = nearest(job_id, tuple(job.id for job in state.jobs))
        raise ValueError(f"there is no job {job_id}{hint}")
    if not job.is_waiting:
        raise ValueError(f"job {job_id} is {job.status}; only a waiting job (RUNNABLE) can be explained")
    return _explain(state, JobIndex(state.jobs), job, knobs)


def explain_submission(state: QueueState, job: Job, knobs: Knobs = Knobs()) -> Decision:  # noqa: B008  # immutable
    """Decide about a job that is not in the state, as if it were submitted now.

    Args:
        state: the state; it stays as it is.
        job: the job. It counts as waiting, and without a time of submission as submitted at the state's time.
        knobs: what is assumed.

    Returns:
        The decision.

    Raises:
        ValueError: the id is taken, the share is unknown or DISABLED, or the job asks for nothing.
    """
    share = state.shares.get(job.share)
    if share is None:
        from quota_scheduler.document import nearest  # only on the way to an error

        hint = nearest(job.share, tuple(state.shares))
        raise ValueError(f"there is no share {job.share}{hint}; shares are {', '.join(sorted(state.shares))}")
    if share.state == DISABLED:
        raise ValueError(f"share {job.share} is DISABLED and takes no new jobs; enable it first")
    if not job.uses or any(type(amount) is not int or amount < 1 for amount in job.uses.values()):
        raise ValueError(f"job {job.id} must ask for at least 1 instance of a type")
    if any(other.id == job.id for other in state.jobs):
        raise ValueError(f"there is a job {job.id} already; take another id")
    created = state.at if job.created_at is None else job.created_at
    submitted = replace(job, status=RUNNABLE, created_at=created)
    return _explain(state, JobIndex((*state.jobs, submitted)), submitted, knobs)


def _explain(state: QueueState, index: JobIndex, job: Job, knobs: Knobs) -> Decision:
    ledger = Ledger(state, index, knobs)
    demand = ledger.demand(job)
    first = index.waiting[job.share][0]
    is_blocked = knobs.head_blocking == "strict" and first is not job
    if knobs.hold_idle_for_blocked_owner:
        firsts = [(share, ledger.demand(jobs[0])) for share, jobs in index.waiting.items() if share != job.share]
        hold_for_blocked_owners(ledger, [(share, first) for share, first in firsts if first.never is None])
    ruling = None
    if demand.never is None and not is_blocked:
        ruling = serve(ledger, job, demand)
    return make_decision(ruling or refuse(ledger, job, demand, is_blocked=is_blocked), ledger)
