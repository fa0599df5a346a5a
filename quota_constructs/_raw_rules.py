"""The rules of quota management, for queues and shares that a template declares without these constructs."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quota_constructs._rendered import told_resources
from quota_constructs._template_values import document_of
from quota_constructs.assembly.intrinsics import Scope
from quota_constructs.assembly.proposals import GUARD
from quota_constructs.assembly.resources import (
    ENVIRONMENT,
    JOB_QUEUE,
    NATIVE_SHARE,
    POLICY,
    Resource,
    referred,
    resources_of,
)
from quota_constructs.assembly.values import Unknown, members_of, resources_in
from quota_scheduler.rules import INFO, WARNING, check_queue, check_queues
from quota_scheduler.rules.documents import queue_configuration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quota_constructs.assembly import StackTemplate
    from quota_scheduler.rules import Finding, QueueConfiguration

_TYPES = (JOB_QUEUE, ENVIRONMENT, POLICY, NATIVE_SHARE)
_ORDER = "ServiceEnvironmentOrder"
_UNITS = "QS005"


def findings(stack: "StackTemplate") -> "Iterator[tuple[Finding, str, str]]":
    """Find what breaks a rule.

    Args:
        stack: A stack of an assembly. What its guard is told of is left out: the constructs have checked it.

    Returns:
        Each finding, with logical id and construct path of the resource it is about.
    """
    told = _told(stack.template)
    resources = {
        logical_id: resource
        for logical_id, resource in resources_of(_scope(stack.template), _TYPES, stack.path).items()
        if logical_id not in told
    }
    shares = [resource for resource in resources.values() if resource.type == NATIVE_SHARE]
    configurations: list[QueueConfiguration] = []
    for queue in (resource for resource in resources.values() if resource.type == JOB_QUEUE):
        own = [share for share in shares if referred(share.properties.get("JobQueue"), resources, JOB_QUEUE) is queue]
        policy = referred(queue.properties.get("SchedulingPolicyArn"), resources, POLICY)
        if not own and (policy is None or "QuotaSharePolicy" not in policy.properties):
            continue
        shares = [share for share in shares if share not in own]
        environment = _environment(queue, resources)
        said: set[Finding] = set()
        for together in _existing_together(own):
            document, members = _document(queue, environment, policy, together)
            configuration = queue_configuration(document, whole=True, all_shares=False)
            found = tuple(finding for finding in check_queue(configuration) if finding not in said)
            said.update(found)
            yield from _placed(found, members, queue)
        if not queue.condition:
            configurations.append(configuration)
    yield from _spare_environments(resources)
    for share in shares:
        document, members = _document(None, None, None, [share])
        yield from _placed(check_queue(queue_configuration(document, whole=True, all_shares=False)), members, share)
    first = next((resource for resource in resources.values() if resource.type == ENVIRONMENT), None)
    if first is not None:
        yield from _placed(check_queues(configurations), {}, first)


def _scope(template: "Mapping[str, Any]") -> Scope:
    """Give what the template is resolved against: every parameter may have another value at the deployment."""
    parameters = members_of(template.get("Parameters"))
    return Scope(template, {name: Unknown(f"Ref {name}", "it is given at the deployment") for name in parameters})


def _existing_together(shares: list[Resource]) -> "Iterator[list[Resource]]":
    """Give the shares that are sure to exist, then these with those that one condition adds."""
    certain = [share for share in shares if not share.condition]
    yield certain
    for condition in dict.fromkeys(share.condition for share in shares if share.condition):
        yield [share for share in shares if share.condition in ("", condition)]


def _spare_environments(resources: "Mapping[str, Resource]") -> "Iterator[tuple[Finding, str, str]]":
    """Check the environments that no queue of the stack uses.

    Such an environment may serve a queue without quota shares elsewhere, which counts in NUM_INSTANCES: what is an
    error for quota shares is a warning there.
    """
    queues = [resource for resource in resources.values() if resource.type == JOB_QUEUE]
    if any(queue.properties.get(_ORDER) and _environment(queue, resources) is None for queue in queues):
        return  # nobody knows which one it uses
    used = {id(_environment(queue, resources)) for queue in queues}
    for environment in resources.values():
        if environment.type != ENVIRONMENT or id(environment) in used:
            continue
        if environment.properties.get("ServiceEnvironmentType") != "SAGEMAKER_TRAINING":
            continue
        document, members = _document(None, environment, None, [])
        found = check_queue(queue_configuration(document, whole=True, all_shares=False))
        mild = (replace(one, severity=WARNING) if one.id == _UNITS else one for one in found)
        yield from _placed(tuple(mild), members, environment)


def _told(template: "Mapping[str, Any]") -> set[str]:
    told: set[str] = set()
    for resource in resources_in(template).values():
        if resource.get("Type") == GUARD:
            told.update(dict(told_resources(document_of(resource["Properties"]["Proposal"]))))
    return told


def _environment(queue: Resource, resources: "Mapping[str, Resource]") -> Resource | None:
    order = queue.properties.get(_ORDER)
    entries = order if isinstance(order, list) else []
    found = (referred(members_of(entry).get("ServiceEnvironment"), resources, ENVIRONMENT) for entry in entries)
    return next((environment for environment in found if environment is not None), None)


def _document(
    queue: Resource | None, environment: Resource | None, policy: Resource | None, shares: list[Resource]
) -> tuple[dict[str, Any], dict[str, Resource]]:
    """Give the document the rules read, and which resource each of its places is."""
    document: dict[str, Any] = {"shares": [_properties(share) for share in shares]}
    places: dict[str, Resource] = {}
    for number, share in enumerate(shares):
        name = share.properties.get("QuotaShareName")
        places[f"shares.{name}" if isinstance(name, str) and name else f"shares.{number}"] = share
    for part, resource in (("queue", queue), ("environment", environment), ("schedulingPolicy", policy)):
        if resource is not None:
            document[part] = _properties(resource)
            places["policy" if part == "schedulingPolicy" else part] = resource
    if environment is not None:
        document["environment"]["logicalId"] = environment.logical_id
    return document, places


def _properties(resource: Resource) -> dict[str, Any]:
    """Give the properties with what is not known made recognisable to the rules."""
    return {name: _plain(value) for name, value in resource.properties.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401  # JSON with the leaves of the assembly reader
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else {"Ref": "unknown"}


def _placed(
    found: "tuple[Finding, ...]", places: "Mapping[str, Resource]", otherwise: Resource
) -> "Iterator[tuple[Finding, str, str]]":
    for finding in found:
        if finding.severity == INFO:
            continue
        matching = [place for place in places if finding.where == place or finding.where.startswith(f"{place}.")]
        resource = places[max(matching, key=len)] if matching else otherwise
        yield finding, resource.logical_id, resource.path
