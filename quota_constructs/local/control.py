"""Answers of the control endpoints: let time pass, read the event log, make things fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quota_constructs.local.faults import rules_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quota_constructs.local.accounts import Accounts
    from quota_constructs.local.batch import LocalBatch
    from quota_constructs.local.service import Answer

    Control = Callable[[LocalBatch, dict[str, Any], Mapping[str, list[str]]], object]


def control_answer(
    accounts: Accounts, method: str, path: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, list[str]]
) -> Answer:
    """Answer a request to a control endpoint.

    Args:
        accounts: the local Batches.
        method: HTTP method.
        path: path of the URL.
        headers: the request's headers, names in lower case.
        body: a JSON object, or empty.
        query: query parameters.
    """
    control = _CONTROLS.get((method, path))
    if control is None:
        known = ", ".join(f"{method} {path}" for method, path in _CONTROLS)
        return _json(404, {"message": f"unknown control endpoint {method} {path}; there are {known}"})
    try:
        return _json(200, control(_batch(accounts, headers, query), _members(body), query))
    except RefusedError as error:
        return _json(400, {"message": str(error)})


class RefusedError(Exception):
    """A control endpoint cannot do what was asked for; the message says why."""


def _members(body: bytes) -> dict[str, Any]:
    try:
        members = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        raise RefusedError("body is not valid JSON") from error
    if not isinstance(members, dict):
        raise RefusedError("body must be a JSON object")
    return members


def _batch(accounts: Accounts, headers: Mapping[str, str], query: Mapping[str, list[str]]) -> LocalBatch:
    """The local Batch that the query names, or the one the request is signed for."""
    batch = accounts.for_request(headers)
    region, account = query.get("region", [batch.region]), query.get("account", [batch.account])
    return accounts.get(region[0], account[0])


def _json(status: int, members: object) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(members).encode()


def _health(batch: LocalBatch, _members: dict[str, Any], _query: Mapping[str, list[str]]) -> object:
    return {"status": "ready", "now": batch.now(), "region": batch.region, "account": batch.account}


def _advance(batch: LocalBatch, members: dict[str, Any], _query: Mapping[str, list[str]]) -> object:
    seconds = members.get("seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < float("inf"):
        raise RefusedError(f"seconds must be a number of at least 0, got {seconds!r}")
    batch.advance(seconds)
    return {"now": batch.now()}


def _events(batch: LocalBatch, _members: dict[str, Any], query: Mapping[str, list[str]]) -> object:
    after = query.get("after", ["0"])[0]
    if not (after.isascii() and after.isdecimal()):
        raise RefusedError(f"after must be the number of an event, got {after!r}")
    batch.settle()
    return {"events": [record.to_dict() for record in batch.events if record.number > int(after)]}


def _faults(batch: LocalBatch, members: dict[str, Any], _query: Mapping[str, list[str]]) -> object:
    try:
        rules, seed = rules_from(members)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    batch.faults.clear()
    batch.faults.add(*rules, seed=seed)
    return {"rules": len(rules)}


def _scarcity(batch: LocalBatch, members: dict[str, Any], _query: Mapping[str, list[str]]) -> object:
    instance_type, available = members.get("instanceType"), members.get("available")
    if not isinstance(instance_type, str):
        raise RefusedError(f"instanceType must be a string, got {instance_type!r}")
    if available is not None and (not isinstance(available, int) or isinstance(available, bool) or available < 0):
        raise RefusedError(f"available must be a whole number of at least 0, or null, got {available!r}")
    batch.make_scarce(instance_type, available)
    return {}


_CONTROLS: dict[tuple[str, str], Control] = {
    ("GET", "/_quota/health"): _health,
    ("POST", "/_quota/advance"): _advance,
    ("GET", "/_quota/events"): _events,
    ("POST", "/_quota/faults"): _faults,
    ("POST", "/_quota/scarcity"): _scarcity,
}
