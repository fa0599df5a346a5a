"""GetJobQueueSnapshot: who waits at the front, what is in use.

Source: API Reference, GetJobQueueSnapshot; user guide, track service job capacity utilization. The order of heads
among the shares follows the scheduling model.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from quota_constructs.local.dispatch_order import dispatch_order
from quota_constructs.local.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.records import Members, ServiceJob
    from quota_constructs.local.service import Service

MOST_JOBS = 100


@operation("GetJobQueueSnapshot")
def snapshot(service: Service, request: Members) -> Members:
    """Give the front of a queue and of its shares, and the capacity that dispatched jobs hold."""
    queue = service.store.queue(request["jobQueue"])
    shares = service.store.shares_of(queue)
    updated = {"lastUpdatedAt": service.timing.now()}
    heads = {share.name: service.store.jobs.waiting(queue.arn, share.name, 1) for share in shares}
    used = {share.name: service.store.used(queue.arn, share.name) for share in shares}
    total: Counter[str] = Counter()
    for usage in used.values():
        total.update(usage)
    front = islice(dispatch_order(service.store, queue), MOST_JOBS)
    return {
        "frontOfQueue": {"jobs": [_position(service, job) for job in front], **updated},
        "frontOfQuotaShares": {
            "quotaShares": {name: [_position(service, job) for job in jobs] for name, jobs in heads.items()},
            **updated,
        },
        "queueUtilization": {
            "totalCapacityUsage": _capacity(total),
            "quotaShareUtilization": {
                "topCapacityUtilization": [
                    {"quotaShareName": name, "capacityUsage": _capacity(usage)} for name, usage in used.items()
                ]
            },
            **updated,
        },
    }


def _position(service: Service, job: ServiceJob) -> Members:
    return {"jobArn": job.arn, "earliestTimeAtPosition": service.heads.since(job)}


def _capacity(usage: Mapping[str, int]) -> list[Members]:
    return [{"capacityUnit": unit, "quantity": float(count)} for unit, count in sorted(usage.items()) if count]
