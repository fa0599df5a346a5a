"""Service environments: the capacity behind one queue.

Source: API Reference, CreateServiceEnvironment and the operations beside it; user guide, service environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.configuration_rules import check_environment_request
from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.preconditions import check_deletable, check_room, check_updatable
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.paging import check_count, page
from quota_constructs.local.records import Members, ServiceEnvironment

if TYPE_CHECKING:
    from quota_constructs.local.service import Service

MOST_ENVIRONMENTS = 50


@operation("CreateServiceEnvironment")
def create(service: Service, request: Members) -> Members:
    """Create an environment; it is VALID after a while."""
    name = request["serviceEnvironmentName"]
    _check_units(request)
    check_environment_request(request, quota_management=False)
    arn = service.store.arns.batch("service-environment", name)
    if arn in service.store.environments:
        raise ClientException("Object already exists")
    check_room("service environments", service.store.environments, MOST_ENVIRONMENTS)
    environment = ServiceEnvironment(
        name=name,
        arn=arn,
        type=request["serviceEnvironmentType"],
        capacity_limits=request["capacityLimits"],
        tags=request.get("tags", {}),
        state=request.get("state", "ENABLED"),
    )
    service.store.environments[arn] = environment
    _note(service, environment)
    service.statuses.start(environment, "CREATING")
    return {"serviceEnvironmentName": name, "serviceEnvironmentArn": arn}


@operation("UpdateServiceEnvironment")
def update(service: Service, request: Members) -> Members:
    """Change limits or state; both count at once. Nobody is stopped by a lower limit."""
    environment = service.store.environment(request["serviceEnvironment"])
    check_updatable("service environment", environment)
    queue = service.store.queue_of(environment)
    _check_units(request)
    has_shares = queue is not None and service.store.has_quota_shares(queue)
    check_environment_request(request, quota_management=has_shares)
    environment.capacity_limits = request.get("capacityLimits", environment.capacity_limits)
    environment.state = request.get("state", environment.state)
    _note(service, environment)
    service.statuses.start(environment, "UPDATING")
    if queue is not None:
        service.scheduler.wake(queue.arn)
    return {"serviceEnvironmentName": environment.name, "serviceEnvironmentArn": environment.arn}


@operation("DeleteServiceEnvironment")
def delete(service: Service, request: Members) -> Members:
    """Delete an environment that is DISABLED and tied to no queue."""
    environment = service.store.environment(request["serviceEnvironment"])
    check_deletable("service environment", environment)
    queue = service.store.queue_of(environment)
    if queue is not None:
        raise ClientException(f"Cannot delete, found existing JobQueue relationship: {queue.name}")

    def gone() -> None:
        del service.store.environments[environment.arn]
        service.log.add("gone", environment.arn)

    service.statuses.start(environment, "DELETING", gone)
    return {}


@operation("DescribeServiceEnvironments")
def describe(service: Service, request: Members) -> Members:
    """Describe all environments, or those of the named ones that exist."""
    known = sorted(service.store.environments)
    if "serviceEnvironments" in request:
        check_count("serviceEnvironments", request["serviceEnvironments"], 100)
        asked = {service.store.arns.resolve("service-environment", name) for name in request["serviceEnvironments"]}
        known = [arn for arn in known if arn in asked]
    arns, following = page("DescribeServiceEnvironments", request, known)
    return {"serviceEnvironments": [_detail(service.store.environments[arn]) for arn in arns], **following}


def _check_units(request: Members) -> None:
    """Refuse limits without a unit: the model has them as optional, nothing can be done with them."""
    for index, limit in enumerate(request.get("capacityLimits", [])):
        if not limit.get("capacityUnit"):
            raise ClientException(f"capacityLimits[{index}].capacityUnit is missing")


def _note(service: Service, environment: ServiceEnvironment) -> None:
    """Write down what holds for an environment from now on."""
    service.log.add("configured", environment.arn, capacityLimits=environment.capacity_limits, state=environment.state)


def _detail(environment: ServiceEnvironment) -> Members:
    detail: Members = {
        "serviceEnvironmentName": environment.name,
        "serviceEnvironmentArn": environment.arn,
        "serviceEnvironmentType": environment.type,
        "state": environment.state,
        "status": environment.status,
        "capacityLimits": environment.capacity_limits,
    }
    return detail | ({"tags": environment.tags} if environment.tags else {})
