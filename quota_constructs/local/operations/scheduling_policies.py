"""Scheduling policies. They have no status: what is created is there at once.

Source: API Reference, CreateSchedulingPolicy and the operations beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.configuration_rules import check_policy_request
from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.paging import check_count, page
from quota_constructs.local.records import Members, SchedulingPolicy

if TYPE_CHECKING:
    from quota_constructs.local.service import Service


@operation("CreateSchedulingPolicy")
def create(service: Service, request: Members) -> Members:
    """Create a policy of one kind."""
    name = request["name"]
    check_policy_request(request)
    _check_one_kind(request)
    arn = service.store.arns.batch("scheduling-policy", name)
    if arn in service.store.policies:
        raise ClientException("Object already exists")
    policy = SchedulingPolicy(
        name=name,
        arn=arn,
        quota_share_policy=request.get("quotaSharePolicy"),
        fairshare_policy=request.get("fairsharePolicy"),
        tags=request.get("tags", {}),
    )
    service.store.policies[arn] = policy
    service.log.add("resource", arn, status="VALID")
    return {"name": name, "arn": arn}


@operation("UpdateSchedulingPolicy")
def update(service: Service, request: Members) -> Members:
    """Change a policy within its kind."""
    policy = service.store.policy(request["arn"])
    _check_one_kind(request)
    if "quotaSharePolicy" in request:
        if policy.quota_share_policy is None:
            raise ClientException("a fair-share scheduling policy cannot become a quota-share one; create another one")
        policy.quota_share_policy = request["quotaSharePolicy"]
    if "fairsharePolicy" in request:
        if policy.quota_share_policy is not None:
            raise ClientException("a quota-share scheduling policy cannot become a fair-share one; create another one")
        policy.fairshare_policy = request["fairsharePolicy"]
    return {}


@operation("DeleteSchedulingPolicy")
def delete(service: Service, request: Members) -> Members:
    """Delete a policy that no queue uses."""
    policy = service.store.policy(request["arn"])
    users = [queue.name for queue in service.store.queues.values() if queue.scheduling_policy_arn == policy.arn]
    if users:
        raise ClientException(f"scheduling policy {policy.name} is used by job queue {', '.join(users)}")
    del service.store.policies[policy.arn]
    service.log.add("gone", policy.arn)
    return {}


@operation("DescribeSchedulingPolicies")
def describe(service: Service, request: Members) -> Members:
    """Describe those of the named policies that exist."""
    arns = request["arns"]
    check_count("arns", arns, 100)
    return {
        "schedulingPolicies": [_detail(service.store.policies[arn]) for arn in arns if arn in service.store.policies]
    }


@operation("ListSchedulingPolicies")
def list_all(service: Service, request: Members) -> Members:
    """List the ARNs of the policies."""
    arns, following = page("ListSchedulingPolicies", request, sorted(service.store.policies))
    return {"schedulingPolicies": [{"arn": arn} for arn in arns], **following}


def _check_one_kind(request: Members) -> None:
    if "quotaSharePolicy" in request and "fairsharePolicy" in request:
        raise ClientException("only one of quotaSharePolicy and fairsharePolicy can be given")


def _detail(policy: SchedulingPolicy) -> Members:
    detail: Members = {"name": policy.name, "arn": policy.arn}
    if policy.quota_share_policy is not None:
        detail["quotaSharePolicy"] = policy.quota_share_policy
    if policy.fairshare_policy is not None:
        detail["fairsharePolicy"] = policy.fairshare_policy
    if policy.tags:
        detail["tags"] = policy.tags
    return detail
