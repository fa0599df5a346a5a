"""The likely set: which jobs the default heuristic stops for a waiting one.

AWS does not publish its heuristic. The default (H1) is Kueue's, which agrees with every published example: jobs of
other shares first, lower priority first, newest first; then whatever is not needed is put back. Another member of the
panel would be another `order`; the rest of the search stays.

Source: assumed (docs/decisions/0014-default-heuristic.md).
"""

from __future__ import annotations

from quota_scheduler.admission import is_entitled
from quota_scheduler.candidates import cross_entries, is_enough, is_over, may_reclaim, may_use_in_share, own_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quota_scheduler.job import Job
    from quota_scheduler.job_index import Entry
    from quota_scheduler.ledger import Demand, Ledger

    Order = Callable[[Entry], tuple[int, int, str]]


def lowest_priority_newest_first(entry: Entry) -> tuple[int, int, str]:
    """Sort candidates as H1 does.

    1. lower priority first, an unknown one counted as 0
    2. dispatched later first, an unknown time last
    3. id
    """
    return entry[:3]


def choose(
    ledger: Ledger, job: Job, demand: Demand, order: Order = lowest_priority_newest_first
) -> tuple[Job, ...] | None:
    """Choose the jobs to stop for a waiting job that does not fit.

    Args:
        ledger: who holds what; it is the same afterwards.
        job: the waiting job.
        demand: what it asks for.
        order: in which order candidates of one kind are taken.

    Returns:
        The jobs, or None if no attempt finds a set.
    """
    for candidates in _attempts(ledger, job, demand, order):
        taken = _take_until_enough(ledger, demand, candidates)
        if taken:
            return taken
    return None


def _attempts(ledger: Ledger, job: Job, demand: Demand, order: Order) -> Iterator[list[Entry]]:
    """Give what to try, one after another.

    1. below the limit and with candidates in other shares: those, then own ones
    2. own ones only
    """
    knobs = ledger.knobs
    cross = sorted(cross_entries(ledger, demand), key=order) if may_reclaim(demand, knobs) else []
    own = sorted(own_entries(ledger, job, demand), key=order) if may_use_in_share(demand, knobs) else []
    in_share_first = knobs.order_of_remedies == "in_share_first"
    if cross and knobs.allow_mixed:
        yield own + cross if in_share_first else cross + own
    elif cross and not in_share_first:
        yield cross
    if own and not (cross and knobs.allow_mixed and is_entitled(demand)):
        yield own
    if cross and not knobs.allow_mixed and in_share_first:
        yield cross


def _take_until_enough(ledger: Ledger, demand: Demand, candidates: list[Entry]) -> tuple[Job, ...] | None:
    """Take candidates until they are enough, then put back what is not needed, newest taken first."""
    taken: list[Job] = []
    enough = False
    for entry in candidates:
        job = entry[3]
        if job.share != demand.share and not any(is_over(ledger, job.share, unit) for unit in _shared(job, demand)):
            continue
        ledger.take(job)
        taken.append(job)
        if _is_enough(ledger, demand, taken):
            enough = True
            break
    kept = _put_back(ledger, demand, taken) if enough else taken
    for job in kept:
        ledger.put(job)
    return tuple(kept) if enough else None


def _put_back(ledger: Ledger, demand: Demand, taken: list[Job]) -> list[Job]:
    """Put back, newest taken first, until nothing can be.

    Once is not always enough: without any job of another share in the set the waiting job may borrow, so that an own
    job that was needed before is no longer.
    """
    kept = list(taken)
    for job in reversed(taken):
        rest = [other for other in kept if other is not job]
        ledger.put(job)
        if rest and _is_enough(ledger, demand, rest):
            kept = rest
        else:
            ledger.take(job)
    return kept if len(kept) == len(taken) else _put_back(ledger, demand, kept)


def _is_enough(ledger: Ledger, demand: Demand, jobs: list[Job]) -> bool:
    own = any(job.share == demand.share for job in jobs)
    cross = any(job.share != demand.share for job in jobs)
    return is_enough(ledger, demand, cross=cross, own=own)


def _shared(job: Job, demand: Demand) -> list[str]:
    return [unit for unit in demand.units if unit in job.uses]
