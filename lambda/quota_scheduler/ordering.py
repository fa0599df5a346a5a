"""In which order the first waiting jobs of the shares are decided."""

from __future__ import annotations

from quota_scheduler.admission import has_headroom, is_entitled
from quota_scheduler.job_index import submitted
from quota_scheduler.ruling import stopping_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger

    OrderedHead = tuple[int, int, str, str, Job, Demand]


def in_order(ledger: Ledger, heads: Iterable[tuple[Job, Demand]]) -> list[OrderedHead]:
    """Sort heads, each with its place among the heads of all shares before it.

    1. jobs within their share's limits, then those of shares below their limits, then the others; what is being
       stopped for a job counts as gone
    2. earlier submission first (knob `fifo_key`; time at the front of the queue is no part of a state, so that
       `earliest_at_position` is the same as `created_at`)
    3. name of the share
    4. id

    Source: AWS Batch User Guide, `idleResourceAssignmentStrategy` FIFO; assumed for the rest
    (docs/decisions/0011-order-of-heads.md).
    """
    is_by_share = ledger.knobs.fifo_key == "share_order"
    stoppers = ledger.index.stoppers
    ranks: dict[int, int] = {}  # equal demands of a share are one object, and have one rank
    ordered: list[OrderedHead] = []
    for job, demand in heads:
        if job.id in stoppers:
            rank = _rank_without_stopping(ledger, job, demand)
        elif (rank := ranks.get(id(demand), 0)) == 0:
            rank = ranks[id(demand)] = _rank(demand)
        ordered.append((rank, 0 if is_by_share else submitted(job), job.share, job.id, job, demand))
    ordered.sort()  # ids differ, so that nothing behind them is ever compared
    return ordered


def _rank(demand: Demand) -> int:
    return 1 if is_entitled(demand) else 2 if has_headroom(demand) else 3


def _rank_without_stopping(ledger: Ledger, job: Job, demand: Demand) -> int:
    """Give the rank of a job as if those that are being stopped for it were gone."""
    stopping = stopping_for(ledger, job)
    for other in stopping:
        ledger.take(other)
    rank = _rank(demand)
    for other in stopping:
        ledger.put(other)
    return rank
