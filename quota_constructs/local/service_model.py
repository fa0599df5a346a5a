"""The Batch API as botocore describes it: which operations there are, what they take and what they answer.

Requests are checked against the model's shapes before an operation sees them; answers are checked in tests.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from botocore.model import OperationModel, ServiceModel, Shape, StructureShape

MAX_REQUEST_BYTES = 30 * 1024
"""Largest SubmitServiceJob request. Source: user guide, service quotas."""

_INTEGERS = {"integer": 31, "long": 63}


@cache
def service_model() -> ServiceModel:
    """The model of the Batch API in the installed botocore."""
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    return ServiceModel(Loader().load_service_model("batch", "service-2"), "batch")


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: the operation, and the members that its path holds."""

    operation: str
    path_members: Mapping[str, str]


@cache
def _routes() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    model = service_model()
    found = []
    for name in model.operation_names:
        http = model.operation_model(name).http
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(http["requestUri"]))
        found.append((http["method"], re.compile(pattern + r"\Z"), name))
    return tuple(found)


def route(method: str, path: str) -> Route:
    """Find the operation of a request.

    Args:
        method: HTTP method.
        path: path of the URL, decoded.

    Raises:
        ClientException: no operation has this path, or not with this method.
    """
    allowed = []
    for wanted, pattern, name in _routes():
        if match := pattern.match(path):
            if wanted == method:
                return Route(name, match.groupdict())
            allowed.append(wanted)
    if allowed:
        raise ClientException(f"{path} takes {' or '.join(sorted(allowed))}, got {method}")
    raise ClientException(f"unknown operation {method} {path}; the Batch API has no such path")


def parse_request(
    operation: str, path_members: Mapping[str, str], query: Mapping[str, list[str]], body: bytes
) -> dict[str, Any]:
    """Read a request's members and check them against the operation's input shape.

    Args:
        operation: its name.
        path_members: members found in the path.
        query: query parameters.
        body: the request's body, JSON or empty.

    Returns:
        The members, those that are null left out.

    Raises:
        ClientException: the body is not JSON, or members are missing, unknown, of the wrong type or out of range;
            the message names them all.
    """
    model = service_model().operation_model(operation)
    members: dict[str, Any] = _parse_body(body, model)
    members.update(path_members)
    for name, member in _input_shape(operation).members.items():
        if member.serialization.get("location") == "querystring":
            key = member.serialization["name"]
            if key in query:
                members[name] = query[key] if member.type_name == "list" else query[key][0]
    check_request(operation, members)
    return members


def check_request(operation: str, members: dict[str, Any]) -> None:
    """Check a request's members against the operation's input shape.

    Raises:
        ClientException: members are missing, unknown, of the wrong type or out of range; the message names them all.
    """
    problems = list(_check(_input_shape(operation), members, ""))
    if problems:
        raise ClientException("; ".join(problems))


def _input_shape(operation: str) -> StructureShape:
    shape: StructureShape = service_model().operation_model(operation).input_shape  # type: ignore[assignment]  # every operation has one
    return shape


def _parse_body(body: bytes, model: OperationModel) -> dict[str, Any]:
    if len(body) > MAX_REQUEST_BYTES and model.name == "SubmitServiceJob":
        raise ClientException(f"request is {len(body)} bytes long, at most {MAX_REQUEST_BYTES} are allowed")
    if not body.strip():
        return {}
    try:
        members = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ClientException("request body is not valid JSON") from error
    if not isinstance(members, dict):
        raise ClientException(f"request body must be a JSON object, got {_kind(members)}")
    return _without_null(members)  # type: ignore[no-any-return]  # an object stays one


def _without_null(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return value


def _kind(value: object) -> str:
    names = {
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")


def _check(shape: Shape, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    check = _CHECKS.get(shape.type_name)
    if check is not None:
        yield from check(shape, value, where)


def _check_structure(shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        yield f"{where} must be an object, got {_kind(value)}"
        return
    prefix = f"{where}." if where else ""
    for name in shape.required_members:
        if name not in value:
            yield f"{prefix}{name} is missing"
    for name, item in value.items():
        member = shape.members.get(name)
        if member is None:
            yield f"{prefix}{name} is unknown, allowed are {', '.join(shape.members)}"
        else:
            yield from _check(member, item, prefix + name)


def _check_list(shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, list):
        yield f"{where} must be a list, got {_kind(value)}"
        return
    yield from _check_size(shape, len(value), where, "entries")
    for index, item in enumerate(value):
        yield from _check(shape.member, item, f"{where}[{index}]")


def _check_map(shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        yield f"{where} must be an object, got {_kind(value)}"
        return
    yield from _check_size(shape, len(value), where, "entries")
    for key, item in value.items():
        yield from _check(shape.key, key, f"key {key!r} of {where}")
        yield from _check(shape.value, item, f"{where}.{key}")


def _check_string(shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, str):
        yield f"{where} must be a string, got {_kind(value)}"
        return
    yield from _check_size(shape, len(value), where, "characters")
    if shape.enum and value not in shape.enum:
        yield f"{where} must be {' or '.join(shape.enum)}, got {value!r}"


def _check_integer(shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, int) or isinstance(value, bool):
        yield f"{where} must be an integer, got {_kind(value)}"
        return
    most = 2 ** _INTEGERS[shape.type_name]
    if not -most <= value < most:
        yield f"{where} is out of the range of an integer, got {value}"


def _check_number(_shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, int | float) or isinstance(value, bool):
        yield f"{where} must be a number, got {_kind(value)}"


def _check_boolean(_shape: Any, value: Any, where: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, bool):
        yield f"{where} must be a boolean, got {_kind(value)}"


def _check_size(shape: Any, size: int, where: str, of: str) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield f"{where} must have at least {least} {of}, got {size}"
    if most is not None and size > most:
        yield f"{where} must have at most {most} {of}, got {size}"


_CHECKS = {
    "structure": _check_structure,
    "list": _check_list,
    "map": _check_map,
    "string": _check_string,
    "integer": _check_integer,
    "long": _check_integer,
    "float": _check_number,
    "double": _check_number,
    "boolean": _check_boolean,
}


def output_problems(operation: str, answer: Mapping[str, Any]) -> list[str]:
    """What does not fit an operation's output shape; nothing if all does.

    Args:
        operation: its name.
        answer: the members of an answer.
    """
    shape = service_model().operation_model(operation).output_shape
    return [] if shape is None else list(_check(shape, dict(answer), ""))
