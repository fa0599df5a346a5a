"""In which order the first waiting jobs of the shares are decided."""

from __future__ import annotations

from quota_scheduler.admission import has_headroom, is_entitled
from quota_scheduler.job_index import submitted
from quota_scheduler.ruling import stopping_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger

    HeadOrder = tuple[int, int, str, str]


def head_order(ledger: Ledger, job: Job, demand: Demand) -> HeadOrder:
    """Give the place of a head among the heads of all shares.

    1. jobs within their share's limits, then those of shares below their limits, then the others; what is being
       stopped for a job counts as gone
    2. earlier submission first (knob `fifo_key`; time at the front of the queue is no part of a state, so that
       `earliest_at_position` is the same as `created_at`)
    3. name of the share
    4. id

    Source: AWS Batch User Guide, `idleResourceAssignmentStrategy` FIFO; assumed for the rest
    (docs/decisions/0011-order-of-heads.md).
    """
    stopping = stopping_for(ledger, job)
    for other in stopping:
        ledger.take(other)
    rank = 1 if is_entitled(demand) else 2 if has_headroom(demand) else 3
    for other in stopping:
        ledger.put(other)
    arrival = 0 if ledger.knobs.fifo_key == "share_order" else submitted(job)
    return (rank, arrival, job.share, job.id)
