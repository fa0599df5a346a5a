"""Quota shares.

Source: API Reference, CreateQuotaShare and the operations beside it; user guide, quota shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local import reasons
from quota_constructs.local.arns import quota_share_arn
from quota_constructs.local.configuration_rules import check_share_request
from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.preconditions import check_deletable, check_room, check_updatable
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.paging import page
from quota_constructs.local.records import Members, QuotaShare
from quota_scheduler.rules.names import MOST_SHARES

if TYPE_CHECKING:
    from quota_constructs.local.service import Service


@operation("CreateQuotaShare")
def create(service: Service, request: Members) -> Members:
    """Create a share of a VALID queue; it is VALID after a while."""
    name = request["quotaShareName"]
    check_share_request(request)
    queue = service.store.queue(request["jobQueue"])
    if not service.store.has_quota_shares(queue):
        raise ClientException(f"job queue {queue.name} has no scheduling policy with a quotaSharePolicy")
    arn = quota_share_arn(queue.arn, name)
    if arn in service.store.shares:
        raise ClientException(f"quota share {name} already exists")
    if queue.status != "VALID":
        raise ClientException(f"job queue {queue.name} must be VALID, its status is {queue.status}")
    check_room("quota shares in a job queue", service.store.shares_of(queue), MOST_SHARES)
    share = QuotaShare(
        name=name,
        arn=arn,
        queue_arn=queue.arn,
        capacity_limits=request["capacityLimits"],
        sharing=_sharing(request),
        preemption=request["preemptionConfiguration"],
        tags=request.get("tags", {}),
        state=request.get("state", "ENABLED"),
    )
    service.store.shares[arn] = share
    _note(service, share)
    service.statuses.start(share, "CREATING")
    service.scheduler.wake(queue.arn)
    return {"quotaShareName": name, "quotaShareArn": arn}


@operation("UpdateQuotaShare")
def update(service: Service, request: Members) -> Members:
    """Change limits, sharing, preemption or state; all of them count at once."""
    share = service.store.share(request["quotaShareArn"])
    check_updatable("quota share", share)
    check_share_request(request)
    share.capacity_limits = request.get("capacityLimits", share.capacity_limits)
    if "resourceSharingConfiguration" in request:
        share.sharing = _sharing(request)
    share.preemption = request.get("preemptionConfiguration", share.preemption)
    share.state = request.get("state", share.state)
    _note(service, share)
    service.statuses.start(share, "UPDATING")
    service.scheduler.wake(share.queue_arn)
    return {"quotaShareName": share.name, "quotaShareArn": share.arn}


@operation("DeleteQuotaShare")
def delete(service: Service, request: Members) -> Members:
    """Delete a DISABLED share; its jobs are ended."""
    share = service.store.share(request["quotaShareArn"])
    check_deletable("quota share", share)
    service.removal.delete_share(share, reasons.SHARE_DELETED)
    return {}


@operation("DescribeQuotaShare")
def describe(service: Service, request: Members) -> Members:
    """Describe a share; one that does not exist is an error."""
    share = service.store.share(request["quotaShareArn"])
    return _detail(share) | ({"tags": share.tags} if share.tags else {})


@operation("ListQuotaShares")
def list_all(service: Service, request: Members) -> Members:
    """List the shares of a queue, without their tags."""
    queue = service.store.queue(request["jobQueue"])
    names, following = page("ListQuotaShares", request, sorted(share.arn for share in service.store.shares_of(queue)))
    return {"quotaShares": [_detail(service.store.shares[arn]) for arn in names], **following}


def _sharing(request: Members) -> Members:
    """The sharing configuration with the service's default: no borrow limit."""
    sharing: Members = dict(request["resourceSharingConfiguration"])
    if sharing["strategy"] == "LEND_AND_BORROW":
        sharing.setdefault("borrowLimit", -1)
    return sharing


def _note(service: Service, share: QuotaShare) -> None:
    """Write down what holds for a share from now on."""
    configuration = _detail(share)
    kept = ("capacityLimits", "resourceSharingConfiguration", "preemptionConfiguration", "state")
    service.log.add("configured", share.arn, queue=share.queue_arn, **{name: configuration[name] for name in kept})


def _detail(share: QuotaShare) -> Members:
    return {
        "quotaShareName": share.name,
        "quotaShareArn": share.arn,
        "jobQueueArn": share.queue_arn,
        "capacityLimits": share.capacity_limits,
        "resourceSharingConfiguration": share.sharing,
        "preemptionConfiguration": share.preemption,
        "state": share.state,
        "status": share.status,
    }
