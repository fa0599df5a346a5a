"""Check the Batch resources that a CloudFormation template declares directly.

A linter checks each resource by its schema, which leaves most of these rules open: they span resources, or are only
in the user guide. A queue belongs here if a quota share of the template is attached to it, or if its scheduling policy
is one for quota shares. Findings point to `Resources.<logical id>`.

Left out: parameters, conditions and functions; whatever they give is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from quota_scheduler.rules.configuration import UNKNOWN, PolicyConfiguration, QueueConfiguration
from quota_scheduler.rules.documents import queue_configuration, share_configuration
from quota_scheduler.rules.registry import check_queue, check_queues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.rules.configuration import ShareConfiguration
    from quota_scheduler.rules.finding import Finding

QUEUE = "AWS::Batch::JobQueue"
ENVIRONMENT = "AWS::Batch::ServiceEnvironment"
POLICY = "AWS::Batch::SchedulingPolicy"
SHARE = "AWS::Batch::QuotaShare"
_ATTRIBUTES = ("Arn", "JobQueueArn", "ServiceEnvironmentArn")


def check_template(template: Mapping[str, object]) -> tuple[Finding, ...]:
    """Apply the rules to the queues with quota shares in a template.

    Args:
        template: the decoded template.

    Returns:
        All findings, sorted by rule and place.
    """
    queues = configurations_of_template(template)
    return tuple(sorted({*check_queues(queues), *(finding for queue in queues for finding in check_queue(queue))}))


def configurations_of_template(template: Mapping[str, object]) -> tuple[QueueConfiguration, ...]:
    """Give the queues with quota shares in a template, and shares of queues that are elsewhere."""
    resources = _resources(template)
    shares: dict[str | None, list[ShareConfiguration]] = {}
    for logical_id, properties in resources.get(SHARE, {}).items():
        queue_id = _referred(properties.get("JobQueue"))
        share = share_configuration(properties, whole=True, path=f"Resources.{logical_id}")
        shares.setdefault(queue_id if queue_id in resources.get(QUEUE, {}) else None, []).append(share)
    configurations = [
        _queue(logical_id, resources, tuple(shares.get(logical_id, ())))
        for logical_id in resources.get(QUEUE, {})
        if logical_id in shares or _has_quota_share_policy(logical_id, resources)
    ]
    if None in shares:
        # They may belong to different queues: each is looked at for itself.
        configurations += [QueueConfiguration(shares=(share,), all_shares=False) for share in shares[None]]
    return tuple(configurations)


_Resources = dict[str, dict[str, Mapping[str, object]]]


def _resources(template: Mapping[str, object]) -> _Resources:
    found: _Resources = {}
    declared = template.get("Resources")
    for logical_id, resource in declared.items() if isinstance(declared, Mapping) else ():
        if isinstance(resource, Mapping) and resource.get("Type") in (QUEUE, ENVIRONMENT, POLICY, SHARE):
            properties = resource.get("Properties")
            found.setdefault(resource["Type"], {})[logical_id] = properties if isinstance(properties, Mapping) else {}
    return found


def _referred(value: object) -> str | None:
    """Give the logical id that `Ref` or `Fn::GetAtt` of an ARN refers to."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    if isinstance(value.get("Ref"), str):
        return str(value["Ref"])
    attribute = value.get("Fn::GetAtt")
    if isinstance(attribute, str):
        attribute = attribute.split(".", 1)
    if isinstance(attribute, list) and len(attribute) == 2 and attribute[1] in _ATTRIBUTES:
        return str(attribute[0])
    return None


def _policy_id(queue: Mapping[str, object]) -> str | None:
    return _referred(queue.get("SchedulingPolicyArn"))


def _has_quota_share_policy(queue_id: str, resources: _Resources) -> bool:
    policy = resources.get(POLICY, {}).get(_policy_id(resources[QUEUE][queue_id]) or "")
    return policy is not None and policy.get("QuotaSharePolicy") is not None


def _environment_id(queue: Mapping[str, object]) -> str | None:
    order = queue.get("ServiceEnvironmentOrder")
    if not isinstance(order, list) or not order or not isinstance(order[0], Mapping):
        return None
    return _referred(order[0].get("ServiceEnvironment"))


def _queue(queue_id: str, resources: _Resources, shares: tuple[ShareConfiguration, ...]) -> QueueConfiguration:
    properties = resources[QUEUE][queue_id]
    environment_id, policy_id = _environment_id(properties), _policy_id(properties)
    environment = resources.get(ENVIRONMENT, {}).get(environment_id or "")
    policy = resources.get(POLICY, {}).get(policy_id or "")
    whole = queue_configuration(
        {"queue": properties, "environment": environment, "schedulingPolicy": policy}, whole=True
    )
    # Names may be left out in a template: CloudFormation makes them up.
    return replace(
        whole,
        shares=shares,
        environment=replace(
            whole.environment,
            identity=environment_id if environment is not None else None,
            path=f"Resources.{environment_id}" if environment is not None else whole.environment.path,
        ),
        policy=_policy(whole.policy, queue_id, properties, policy_id if policy is not None else None),
        path=f"Resources.{queue_id}",
    )


def _policy(
    policy: PolicyConfiguration, queue_id: str, queue: Mapping[str, object], policy_id: str | None
) -> PolicyConfiguration:
    if policy_id is not None:
        return replace(policy, path=f"Resources.{policy_id}")
    none_given = queue.get("SchedulingPolicyArn") is None
    return PolicyConfiguration(kinds=() if none_given else UNKNOWN, path=f"Resources.{queue_id}.policy")
