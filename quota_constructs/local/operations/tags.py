"""Tags of scheduling policies, service environments, job queues, quota shares and service jobs.

Source: API Reference, TagResource, UntagResource, ListTagsForResource; user guide, tag your resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.errors import ClientException, NotThereError
from quota_constructs.local.operations.registry import operation
from quota_scheduler.rules.switches import MOST_TAGS

if TYPE_CHECKING:
    from quota_constructs.local.records import Members
    from quota_constructs.local.service import Service
    from quota_constructs.local.store import Store


@operation("TagResource")
def tag(service: Service, request: Members) -> Members:
    """Add tags, or change their values."""
    tags = _tags(service, request)
    wanted = tags | request["tags"]
    if len(wanted) > MOST_TAGS:
        raise ClientException(f"a resource may have at most {MOST_TAGS} tags, got {len(wanted)}")
    tags.update(request["tags"])
    return {}


@operation("UntagResource")
def untag(service: Service, request: Members) -> Members:
    """Take tags away; those that are not there do no harm."""
    tags = _tags(service, request)
    for key in request["tagKeys"]:
        tags.pop(key, None)
    return {}


@operation("ListTagsForResource")
def list_tags(service: Service, request: Members) -> Members:
    """List a resource's tags."""
    return {"tags": dict(_tags(service, request))}


def tags_of(store: Store, arn: str) -> dict[str, str] | None:
    """The tags of a resource; None if there is no such resource."""
    for resources in (store.policies, store.environments, store.queues, store.shares):
        if arn in resources:
            return resources[arn].tags
    job = store.jobs.get(arn) if ":service-job/" in arn else None
    return None if job is None else job.tags


def _tags(service: Service, request: Members) -> dict[str, str]:
    arn = request["resourceArn"]
    tags = tags_of(service.store, arn)
    if tags is None:
        raise NotThereError(f"resource {arn} does not exist")
    return tags
