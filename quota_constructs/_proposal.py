"""What a stack proposes, as the guard and the plan read it: the writer's side of `quota_scheduler.proposal`.

The member order is fixed and the values are the users' own, tokens included, so that two synths give the same text
and CloudFormation fills in what is not known yet. Resources are named by logical id, never referred to.
"""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from quota_constructs._tokens import has_token
from quota_constructs._unguarded import unguarded
from quota_constructs.share_lifecycle import ShareLifecycle, ShareRemoval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aws_cdk import CfnResource, Stack

    from quota_constructs.job_state_time_limit import JobStateTimeLimit
    from quota_constructs.resource_sharing import ResourceSharing
    from quota_constructs.state import State

VERSION = 1
_WHEN_GONE = ("deletionPolicy", "updateReplacePolicy")


@dataclass(frozen=True, slots=True)
class Named:
    """A resource of the stack: the construct and the name it asks for, if any."""

    resource: "CfnResource"
    name: str | None


@dataclass(frozen=True, slots=True)
class ShareEntry:
    """A share as proposed."""

    path: str
    name: str
    capacity_limits: "Mapping[str, int]"
    resource_sharing: "ResourceSharing"
    in_share_preemption: bool
    state: "State"
    lifecycle: ShareLifecycle
    on_removal: ShareRemoval


@dataclass(frozen=True, slots=True)
class OwnedQueue:
    """A queue of the stack, with its environment and policy."""

    path: str
    queue: Named
    environment: Named
    scheduling_policy: Named
    state: "State"
    environment_state: "State"
    capacity_limits: "Mapping[str, int]"
    job_state_time_limits: "Sequence[JobStateTimeLimit]"
    allow_oversubscription: bool
    shares: "list[tuple[ShareEntry, CfnResource]]" = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ForeignQueue:
    """A queue of another stack, or of none, on which this stack has shares."""

    path: str
    arn: str
    shares: "list[tuple[ShareEntry, CfnResource]]" = field(default_factory=list)


QueueEntry = OwnedQueue | ForeignQueue


class Rendered:
    """The resources of a stack as they are when its template is written: renames, overrides and aspects included.

    Args:
        stack: The stack.
        guard: Its guard.
        entries: The queues and shares.

    Attributes:
        guard: Logical id of the guard.
        paths: Paths of the queues, environments, policies and shares, by their logical ids.
    """

    def __init__(self, stack: "Stack", guard: "CfnResource", entries: "Sequence[QueueEntry]") -> None:
        owners = list(_owners(entries))
        resources = [resource for resource, _ in owners]
        kept = [
            named.resource
            for entry in entries
            if isinstance(entry, OwnedQueue)
            for named in (entry.queue, entry.environment)
        ]
        shares = [owned for entry in entries for owned in entry.shares]
        kept += [resource for share, resource in shares if _is_kept_by_policy(share)]
        # One question for all of them; each costs a round trip.
        answer = stack.resolve(
            {
                "ids": [resource.logical_id for resource in (guard, *resources)],
                "options": [resource.cfn_options for resource in kept],
                "guard": guard.cfn_options,
            }
        )
        options = answer["options"]
        if answer["guard"].get(_WHEN_GONE[0]) is not None:
            # Set for the whole stack, as the guard has no policy by itself. Where it has none, the other shares are not
            # asked for theirs: each would cost a round trip.
            kept += (others := [resource for share, resource in shares if not _is_kept_by_policy(share)])
            options += stack.resolve([resource.cfn_options for resource in others])
        self.guard, *names = cast("list[str]", answer["ids"])
        self.paths = {name: path for name, (_, path) in zip(names, owners, strict=True)}
        self._stack = stack
        self._entries = entries
        self._resources = resources
        self._names = {id(resource): name for resource, name in zip(resources, names, strict=True)}
        self._options = {id(resource): option for resource, option in zip(kept, options, strict=True)}

    def document(self) -> dict[str, Any]:
        """Give the proposal."""
        queues = [_queue(self, entry) for entry in self._entries]
        return {"version": VERSION, "queues": queues, "unguarded": unguarded(self._stack, self._resources)}

    def logical_id(self, resource: "CfnResource") -> str:
        """Give the logical id of a resource."""
        return self._names[id(resource)]

    def removal_policy(self, resource: "CfnResource") -> str:
        """Say whether a queue or an environment is kept: an aspect or `apply_removal_policy` may have set it."""
        return "RETAIN" if self._is_retained(resource) else "DESTROY"

    def on_removal(self, share: ShareEntry, resource: "CfnResource") -> ShareRemoval:
        """Say what happens to a share that is removed: CloudFormation keeps a resource whose policy says so."""
        if id(resource) not in self._options:
            return share.on_removal
        if self._is_retained(resource):
            return ShareRemoval.RETAIN
        return ShareRemoval.REFUSE_IF_BUSY if _is_kept_by_policy(share) else share.on_removal

    def _is_retained(self, resource: "CfnResource") -> bool:
        options = self._options[id(resource)]
        return all(str(options.get(name)).startswith("Retain") for name in _WHEN_GONE)


def _is_kept_by_policy(share: ShareEntry) -> bool:
    return share.lifecycle is ShareLifecycle.NATIVE and share.on_removal is ShareRemoval.RETAIN


def _owners(entries: "Sequence[QueueEntry]") -> "Iterator[tuple[CfnResource, str]]":
    for entry in entries:
        if isinstance(entry, OwnedQueue):
            yield entry.queue.resource, entry.path
            yield entry.environment.resource, f"{entry.path}/ServiceEnvironment"
            yield entry.scheduling_policy.resource, f"{entry.path}/SchedulingPolicy"
        for share, resource in entry.shares:
            yield resource, share.path


def share_document(share: ShareEntry, tags: "Mapping[str, str]") -> dict[str, Any]:
    """Give a managed share's property `Share`."""
    return {
        "version": VERSION,
        "quotaShareName": share.name,
        "capacityLimits": _capacity_limits(share.capacity_limits),
        "resourceSharingConfiguration": _resource_sharing(share.resource_sharing),
        "preemptionConfiguration": _preemption(in_share=share.in_share_preemption),
        "state": share.state.value,
        "tags": dict(tags),
    }


def _capacity_limits(limits: "Mapping[str, int]") -> list[dict[str, Any]]:
    """Give limits as the service writes them."""
    return [{"capacityUnit": unit, "maxCapacity": amount} for unit, amount in limits.items()]


def _resource_sharing(sharing: "ResourceSharing") -> dict[str, Any]:
    """Give a sharing strategy as the service writes it; a borrow limit only where the strategy has one."""
    if sharing.borrow_limit_percent is None:
        return {"strategy": sharing.strategy}
    return {"strategy": sharing.strategy, "borrowLimit": sharing.borrow_limit_percent}


def _preemption(*, in_share: bool) -> dict[str, Any]:
    """Give the in-share preemption as the service writes it."""
    return {"inSharePreemption": "ENABLED" if in_share else "DISABLED"}


def json_text(stack: "Stack", value: dict[str, Any]) -> str:
    """Turn a document into compact JSON text; tokens in it are left to CloudFormation."""
    if has_token(value):
        return stack.to_json_string(value)
    return json.dumps(value, separators=(",", ":"))


def _queue(rendered: Rendered, entry: QueueEntry) -> dict[str, Any]:
    shares = [_share(rendered, share, resource) for share, resource in entry.shares]
    if isinstance(entry, ForeignQueue):
        return {
            "path": entry.path,
            "queue": {"arn": entry.arn},
            "environment": None,
            "schedulingPolicy": None,
            "jobStateTimeLimitActions": [],
            "allowOversubscription": False,
            "shares": shares,
        }
    return {
        "path": entry.path,
        "queue": {
            "logicalId": rendered.logical_id(entry.queue.resource),
            "name": entry.queue.name,
            "arn": None,
            "state": entry.state.value,
            "removalPolicy": rendered.removal_policy(entry.queue.resource),
        },
        "environment": {
            "logicalId": rendered.logical_id(entry.environment.resource),
            "name": entry.environment.name,
            "state": entry.environment_state.value,
            "capacityLimits": _capacity_limits(entry.capacity_limits),
            "removalPolicy": rendered.removal_policy(entry.environment.resource),
        },
        "schedulingPolicy": {
            "logicalId": rendered.logical_id(entry.scheduling_policy.resource),
            "name": entry.scheduling_policy.name,
        },
        "jobStateTimeLimitActions": [
            {
                "reason": limit.reason,
                "state": "RUNNABLE",
                "maxTimeSeconds": limit.max_time.to_seconds(),
                "action": "TERMINATE",
            }
            for limit in entry.job_state_time_limits
        ],
        "allowOversubscription": entry.allow_oversubscription,
        "shares": shares,
    }


def _share(rendered: Rendered, share: ShareEntry, resource: "CfnResource") -> dict[str, Any]:
    return {
        "path": share.path,
        "logicalId": rendered.logical_id(resource),
        "name": share.name,
        "capacityLimits": _capacity_limits(share.capacity_limits),
        "resourceSharingConfiguration": _resource_sharing(share.resource_sharing),
        "preemptionConfiguration": _preemption(in_share=share.in_share_preemption),
        "state": share.state.value,
        "lifecycle": share.lifecycle.value,
        "onRemoval": rendered.on_removal(share, resource).value,
    }
