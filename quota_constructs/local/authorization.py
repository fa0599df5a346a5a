"""What a caller must be allowed to do for a Batch request: actions, resources, and the condition keys' values.

Whether a policy allows it is for somebody else to say.
Source: Service Authorization Reference, AWS Batch: actions, resource types and condition keys; its operations table
for TagResource beside a creation with tags, and PassRole beside SubmitServiceJob.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.local.arns import quota_share_arn
from quota_constructs.local.operations.tags import tags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quota_constructs.local.records import Members
    from quota_constructs.local.store import Store

ANY = "*"
"""The resource of an action that knows none."""

_DRAWN_LATER = "*"
"""In place of the id of a job that is not there yet."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that must be allowed.

    Args:
        action: for example `batch:CreateQuotaShare`.
        resource: an ARN, or `*`.
        context: values of condition keys.
    """

    action: str
    resource: str
    context: Mapping[str, str | list[str]]


def needs_of(store: Store, operation: str, members: Members) -> tuple[Need, ...]:
    """Give all that must be allowed for a request; each of it, or the request is refused.

    Args:
        store: the resources, for their tags.
        operation: its name.
        members: of the request, checked before.
    """
    # The bulk call has no action of its own. Source: API Reference, TerminateServiceJobs.
    action = "batch:TerminateServiceJob" if operation == "TerminateServiceJobs" else f"batch:{operation}"
    resources = [arn for find in _RESOURCES.get(operation, ()) for arn in find(store, members)] or [ANY]
    requested = _requested_tags(members)
    needs = [Need(action, arn, _context(store, arn, members, requested)) for arn in resources]
    if requested and operation.startswith(("Create", "Submit")):
        made = resources[1] if operation in ("CreateQuotaShare", "SubmitServiceJob") else resources[0]
        needs.append(Need("batch:TagResource", made, requested))
    if operation == "SubmitServiceJob" and (role := _role(members["serviceRequestPayload"])):
        needs.append(Need("iam:PassRole", role, {"iam:PassedToService": "sagemaker.amazonaws.com"}))
    return tuple(needs)


def _context(
    store: Store, arn: str, members: Members, requested: Mapping[str, str | list[str]]
) -> dict[str, str | list[str]]:
    context: dict[str, str | list[str]] = dict(requested)
    context |= {f"aws:ResourceTag/{key}": value for key, value in (tags_of(store, arn) or {}).items()}
    if ":service-job/" in arn and "schedulingPriority" in members:
        context["batch:SchedulingPriority"] = str(members["schedulingPriority"])
    return context


def _requested_tags(members: Members) -> dict[str, str | list[str]]:
    tags = members.get("tags") or {}
    keys = [*tags, *members.get("tagKeys", ())]
    requested: dict[str, str | list[str]] = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    return requested | {"aws:TagKeys": keys} if keys else requested


def _role(payload: str) -> str | None:
    try:
        role = json.loads(payload).get("RoleArn")
    except (ValueError, AttributeError, RecursionError):
        return None
    return role if isinstance(role, str) and role else None


def _named(kind: str, member: str) -> Callable[[Store, Members], list[str]]:
    """Find resources that a member names, by name or ARN; none if the member is missing."""
    return lambda store, members: [store.arns.resolve(kind, members[member])] if member in members else []


def _new_share(store: Store, members: Members) -> list[str]:
    return [quota_share_arn(store.arns.resolve("job-queue", members["jobQueue"]), members["quotaShareName"])]


def _environments(store: Store, members: Members) -> list[str]:
    order = members.get("serviceEnvironmentOrder", ())
    return [store.arns.resolve("service-environment", entry["serviceEnvironment"]) for entry in order]


def _new_job(store: Store, _members: Members) -> list[str]:
    return [store.arns.batch("service-job", _DRAWN_LATER)]


def _share_of_new_job(store: Store, members: Members) -> list[str]:
    return _new_share(store, members) if "quotaShareName" in members else []


def _jobs(store: Store, members: Members) -> list[str]:
    named = members["jobs"] if "jobs" in members else [members["jobId"]]
    return [store.arns.resolve("service-job", job) for job in named]


_POLICY = _named("scheduling-policy", "schedulingPolicyArn")
_POLICY_BY_NAME = _named("scheduling-policy", "name")
_POLICY_BY_ARN = _named("scheduling-policy", "arn")
_ENVIRONMENT = _named("service-environment", "serviceEnvironment")
_ENVIRONMENT_BY_NAME = _named("service-environment", "serviceEnvironmentName")
_QUEUE = _named("job-queue", "jobQueue")
_QUEUE_BY_NAME = _named("job-queue", "jobQueueName")
_SHARE = _named("quota-share", "quotaShareArn")
_TAGGED = _named("", "resourceArn")

_RESOURCES: Mapping[str, tuple[Callable[[Store, Members], list[str]], ...]] = {
    "CreateSchedulingPolicy": (_POLICY_BY_NAME,),
    "UpdateSchedulingPolicy": (_POLICY_BY_ARN,),
    "DeleteSchedulingPolicy": (_POLICY_BY_ARN,),
    "CreateServiceEnvironment": (_ENVIRONMENT_BY_NAME,),
    "UpdateServiceEnvironment": (_ENVIRONMENT,),
    "DeleteServiceEnvironment": (_ENVIRONMENT,),
    "CreateJobQueue": (_QUEUE_BY_NAME, _POLICY, _environments),
    "UpdateJobQueue": (_QUEUE, _POLICY),
    "DeleteJobQueue": (_QUEUE,),
    "GetJobQueueSnapshot": (_QUEUE,),
    "CreateQuotaShare": (_QUEUE, _new_share),
    "UpdateQuotaShare": (_SHARE,),
    "DeleteQuotaShare": (_SHARE,),
    "DescribeQuotaShare": (_SHARE,),
    "ListQuotaShares": (_QUEUE,),
    "SubmitServiceJob": (_QUEUE, _new_job, _share_of_new_job),
    "UpdateServiceJob": (_jobs,),
    "TerminateServiceJob": (_jobs,),
    "TerminateServiceJobs": (_jobs,),
    "TagResource": (_TAGGED,),
    "UntagResource": (_TAGGED,),
    "ListTagsForResource": (_TAGGED,),
}
"""The resources that an action is checked against; those that are not here know none."""
