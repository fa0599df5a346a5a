"""The order in which a queue's waiting jobs are looked at, for GetJobQueueSnapshot.

1. Heads that fit their share's limit; then heads of shares below their limit; then the others.
2. Earlier submission, name of the share, id.

Source: scheduling model, "several heads" (docs/model.md); the service publishes no order.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_constructs.local.records import JobQueue, QuotaShare, ServiceJob
    from quota_constructs.local.store import Store

_LOOK_AHEAD = 100


def dispatch_order(store: Store, queue: JobQueue) -> Iterator[ServiceJob]:
    """The waiting jobs of a queue, the next one first."""
    rows = {
        share.name: (share, iter(store.jobs.waiting(queue.arn, share.name, _LOOK_AHEAD)))
        for share in store.shares_of(queue)
    }
    heap: list[tuple[tuple[int, int, str, str], ServiceJob]] = []
    for share, row in rows.values():
        _push(heap, store, share, row)
    while heap:
        _, job = heapq.heappop(heap)
        yield job
        _push(heap, store, *rows[job.share])


def _push(
    heap: list[tuple[tuple[int, int, str, str], ServiceJob]], store: Store, share: QuotaShare, row: Iterator[ServiceJob]
) -> None:
    job = next(row, None)
    if job is not None:
        heapq.heappush(heap, ((_rank(store, share, job), job.created_at, share.name, job.id), job))


def _rank(store: Store, share: QuotaShare, job: ServiceJob) -> int:
    limits = {limit["capacityUnit"]: limit["maxCapacity"] for limit in share.capacity_limits}
    used = store.used(share.queue_arn, share.name)
    if all(used.get(unit, 0) + count <= limits.get(unit, 0) for unit, count in job.uses.items()):
        return 0
    return 1 if all(used.get(unit, 0) < limits.get(unit, 0) for unit in job.uses) else 2
