"""The only file that touches ministack: puts the Batch service and its CloudFormation types into it.

The hooks are private and may be gone in another release, so they are asserted before use, and the version is pinned.
"""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from quota_constructs.local.cloud_events import SOURCE
from quota_constructs.local.cloud_metrics import DIMENSION, NAMESPACE, MetricDatum
from quota_constructs.local.cloudformation import RESOURCE_TYPES, Properties, ResourceType
from quota_constructs.local.errors import AccessDeniedException, StartError
from quota_constructs.local.service import error_answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.accounts import Accounts
    from quota_constructs.local.asgi import App
    from quota_constructs.local.authorization import Need
    from quota_constructs.local.batch import LocalBatch
    from quota_constructs.local.outbox import Outbox
    from quota_constructs.local.service import Answer

PUT_METRIC_DATA = "GraniteServiceVersion20100801.PutMetricData"
MOST_DATA = 1000
"""Values in one PutMetricData call."""

EXPECTED_VERSION = "1.5.33"
"""The release of ministack whose hooks are known to fit."""

_HOOKS = (
    ("ministack.app", "AUTH"),
    ("ministack.app", "app"),
    ("ministack.app", "SERVICE_HANDLERS"),
    ("ministack.core.iam_actions", "SERVICE_TO_IAM_NAMESPACE"),
    ("ministack.core.iam_evaluator", "enforce"),
    ("ministack.core.router", "extract_access_key_id"),
    ("ministack.core.responses", "get_account_id"),
    ("ministack.core.responses", "get_region"),
    ("ministack.core.responses", "set_request_account_id"),
    ("ministack.core.responses", "set_request_region"),
    ("ministack.core.lambda_runtime", "reset"),
    ("ministack.services.eventbridge", "_put_events"),
    ("ministack.services.cloudformation.changesets", "_IMPORT_LOOKUPS"),
    ("ministack.services.cloudformation.provisioners", "_RESOURCE_HANDLERS"),
    ("ministack.services.cloudformation.provisioners", "_REPLACING_PROPERTIES"),
)


def install(accounts: Accounts) -> App:
    """Put the local Batch into ministack.

    Args:
        accounts: answers for each account and Region.

    Returns:
        ministack's ASGI application.

    Raises:
        StartError: ministack is missing, or lacks a hook.
    """
    hooks = _hooks()

    async def batch(
        method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, list[str]]
    ) -> Answer:
        local = current()
        if hooks["AUTH"]:
            denied = _denied(hooks, local, headers, local.needs(method, path, body, query))
            if denied is not None:
                return error_answer(denied)
        return local.handle(method, path, headers, body, query)

    def current() -> LocalBatch:
        return accounts.get(hooks["get_region"](), hooks["get_account_id"]())

    hooks["SERVICE_HANDLERS"]["batch"] = batch
    # ministack knows no resource of Batch; it would check every action against "*". `batch` above knows better.
    hooks["SERVICE_TO_IAM_NAMESPACE"].pop("batch", None)
    for resource_type in RESOURCE_TYPES:
        hooks["_RESOURCE_HANDLERS"][resource_type.name] = _handlers(resource_type, current)
        hooks["_IMPORT_LOOKUPS"][resource_type.name] = _import_lookup(resource_type, current)
        hooks["_REPLACING_PROPERTIES"][resource_type.name] = resource_type.create_only
    app: App = hooks["app"]
    return app


def _denied(
    hooks: dict[str, Any], batch: LocalBatch, headers: Mapping[str, str], needs: tuple[Need, ...]
) -> AccessDeniedException | None:
    """Ask ministack whether the caller's policies allow all that a request needs."""
    key = hooks["extract_access_key_id"](headers)
    for need in needs:
        denied = hooks["enforce"](key, need.action, "batch", batch.region, need.resource, dict(need.context))
        if denied is None:
            continue
        by = getattr(denied, "decision", "")
        why = "with an explicit deny" if by == "Deny" else f"because no policy allows the {need.action} action"
        caller = getattr(denied, "principal_arn", "") or key
        return AccessDeniedException(
            f"User: {caller} is not authorized to perform: {need.action} on resource: {need.resource} {why}"
        )
    return None


def stop_lambdas() -> None:
    """End the processes of the Lambdas and remove their folders."""
    _hooks()["reset"]()


async def publish(batch: LocalBatch, outbox: Outbox) -> None:
    """Bring a local Batch's events to the local cloud's EventBridge and its metrics to CloudWatch.

    Args:
        batch: whose account and Region they belong to.
        outbox: what it has collected; it is empty afterwards.
    """
    hooks = _hooks()
    hooks["set_request_account_id"](batch.account)
    hooks["set_request_region"](batch.region)
    while outbox.events:
        event = outbox.events.popleft()
        entry = {
            "Source": SOURCE,
            "DetailType": event.detail_type,
            "Detail": json.dumps(event.detail),
            "Resources": list(event.resources),
        }
        # On a thread: a rule may have a target that takes its time.
        await asyncio.to_thread(hooks["_put_events"], {"Entries": [entry]}, True)
    while outbox.metrics:
        data = [_datum(outbox.metrics.popleft()) for _ in range(min(len(outbox.metrics), MOST_DATA))]
        body = json.dumps({"Namespace": NAMESPACE, "MetricData": data}).encode()
        headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": PUT_METRIC_DATA}
        await hooks["SERVICE_HANDLERS"]["monitoring"]("POST", "/", headers, body, {})


def _datum(value: MetricDatum) -> dict[str, Any]:
    return {
        "MetricName": value.name,
        "Dimensions": [{"Name": DIMENSION, "Value": value.queue}],
        "Timestamp": value.at / 1000,
        "Value": value.value,
        "Unit": value.unit,
    }


def _handlers(resource_type: ResourceType, current: Any) -> dict[str, Any]:  # noqa: ANN401 - a function
    def create(logical_id: str, properties: Properties, stack: str) -> tuple[str, Properties]:
        return resource_type.create(current(), stack, logical_id, properties)

    def update(physical_id: str, old: Properties, new: Properties, _stack: str) -> tuple[str, Properties]:
        return resource_type.update(current(), physical_id, old, new)

    def delete(physical_id: str, _properties: Properties) -> None:
        resource_type.delete(current(), physical_id)

    def adopt(identifier: Mapping[str, str]) -> tuple[str, Properties]:
        arn = identifier[resource_type.attribute]
        return arn, {resource_type.attribute: arn}

    return {"create": create, "update": update, "delete": delete, "import": adopt}


def _import_lookup(resource_type: ResourceType, current: Any) -> tuple[tuple[str, ...], Any]:  # noqa: ANN401 - a function
    """What identifies a resource that is to be imported, and what tells why it cannot be."""
    return (resource_type.attribute,), lambda arn: resource_type.missing(current(), arn)


def _hooks() -> dict[str, Any]:
    from importlib import import_module

    found: dict[str, Any] = {}
    missing = []
    for module, name in _HOOKS:
        try:
            found[name] = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            missing.append(f"{module}.{name}")
    if missing:
        raise StartError(
            f"the local cloud needs ministack {EXPECTED_VERSION}, got {version('ministack')}, "
            f"which has no {', '.join(missing)}; install quota-constructs[local]"
        )
    return found
