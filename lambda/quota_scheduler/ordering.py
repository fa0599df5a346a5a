"""In which order the first waiting jobs of the shares are decided."""

from __future__ import annotations

from quota_scheduler.admission import has_headroom, is_entitled
from quota_scheduler.job_index import submitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.job import Job
    from quota_scheduler.ledger import Demand, Ledger

    HeadOrder = tuple[int, int, str, int, str]


def head_order(ledger: Ledger, job: Job, demand: Demand) -> HeadOrder:
    """Give the place of a head among the heads of all shares.

    1. jobs for which others are being stopped: what those free is held for them
    2. jobs within their share's limits, then those of shares below their limits, then the others
    3. earlier submission first (knob `fifo_key`; time at the front of the queue is no part of a state, so that
       `earliest_at_position` is the same as `created_at`)
    4. name of the share
    5. in one share (only with knob `head_blocking`): priority, submission, id

    Source: AWS Batch User Guide, `idleResourceAssignmentStrategy` FIFO; assumed for the rest
    (docs/decisions/0011-order-of-heads.md).
    """
    if job.id in ledger.index.stoppers:
        rank = 0
    elif is_entitled(demand):
        rank = 1
    else:
        rank = 2 if has_headroom(demand) else 3
    arrival = 0 if ledger.knobs.fifo_key == "share_order" else submitted(job)
    return (rank, arrival, job.share, 0, job.id)
