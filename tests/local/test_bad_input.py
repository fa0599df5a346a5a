"""Whatever is sent: an error that the service model declares, and no other answer."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from local_support import InProcess

from quota_constructs.local import LocalBatch
from quota_constructs.local.operations import OPERATIONS
from quota_constructs.local.service_model import service_model

if TYPE_CHECKING:
    from botocore.model import Shape

    from quota_constructs.local import LocalCloud

ARN = "arn:aws:batch:eu-west-1:000000000000:job-queue/none"


@pytest.fixture(scope="module")
def batch() -> LocalBatch:
    return InProcess().batch


def send(batch: LocalBatch, operation: str, members: Any) -> tuple[int, str, dict[str, Any]]:
    """Send members as they are; gives status, error code and body."""
    model = service_model().operation_model(operation)
    path, query, body = model.http["requestUri"], {}, members
    if "{resourceArn}" in path:
        given = dict(members) if isinstance(members, dict) else {}
        path = path.replace("{resourceArn}", str(given.pop("resourceArn", ARN)))
        if "tagKeys" in given:
            keys = given.pop("tagKeys")
            query = {"tagKeys": [str(key) for key in keys] if isinstance(keys, list) else [str(keys)]}
        body = given
    status, headers, content = batch.handle(model.http["method"], path, {}, json.dumps(body).encode(), query)
    return status, headers.get("x-amzn-ErrorType", ""), json.loads(content)


def good(shape: Shape) -> Any:
    """A value that fits a shape, but names nothing that exists."""
    kind = shape.type_name
    if kind == "structure":
        return {name: good(shape.members[name]) for name in shape.required_members}
    if kind == "list":
        return [good(shape.member)]
    if kind == "map":
        return {"k": good(shape.value)}
    if kind == "string":
        return shape.enum[0] if shape.enum else "none"
    return {"boolean": True}.get(kind, 1)


def bad_values(shape: Shape) -> list[Any]:
    """Values that do not fit a shape: wrong types, too long, too short, out of range."""
    wrong = {
        "structure": ["x", 1, [], True],
        "list": ["x", 1, {}, True],
        "map": ["x", 1, [], True],
        "string": [1, [], {}, True],
        "integer": ["1", 1.5, True, [], 2**31, -(2**31) - 1],
        "long": ["1", 1.5, True, [], 2**63],
        "float": ["1", True, []],
        "double": ["1", True, []],
        "boolean": ["true", 1],
    }[shape.type_name]
    values: list[Any] = list(wrong)
    most, least = shape.metadata.get("max"), shape.metadata.get("min")
    if shape.type_name == "string":
        values += ["x" * (most + 1)] if most else []
        values += ["NONSENSE"] if shape.enum else []
        values += [""] if least else []
    elif shape.type_name == "list":
        values += [[good(shape.member)] * (most + 1)] if most else []
        values += [[bad] for bad in bad_values(shape.member)[:3]]
    elif shape.type_name == "map":
        values += [{f"k{n}": "v" for n in range(most + 1)}] if most else []
        values += [{"k": 1}, {"x" * 129: "v"}]
    elif shape.type_name == "structure":
        values += [{"unknownMember": 1}]
        for name, member in shape.members.items():
            values += [good(shape) | {name: bad} for bad in bad_values(member)]
            if name in shape.required_members:
                values.append({other: value for other, value in good(shape).items() if other != name})
    return values


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_every_member_missing_or_wrong_is_a_declared_error(batch: LocalBatch, operation: str) -> None:
    shape = service_model().operation_model(operation).input_shape
    uri_members = {"resourceArn", "tagKeys"}
    sent = 0
    for members in bad_values(shape):
        if isinstance(members, dict) and uri_members & (set(shape.members)):
            members = {name: value for name, value in members.items() if name not in uri_members}
            if operation != "TagResource":
                continue
        status, code, body = send(batch, operation, members)
        assert (status, code) == (400, "ClientException"), (members, body)
        assert set(body) == {"message"}
        assert body["message"]
        sent += 1
    assert sent


def test_all_problems_of_a_request_are_named_at_once(batch: LocalBatch) -> None:
    _, _, body = send(
        batch, "CreateQuotaShare", {"jobQueue": 1, "state": "ON", "capacityLimits": [{"maxCapacity": "1"}]}
    )
    assert body["message"].split("; ") == [
        "quotaShareName is missing",
        "resourceSharingConfiguration is missing",
        "preemptionConfiguration is missing",
        "jobQueue must be a string, got an integer",
        "state must be ENABLED or DISABLED, got 'ON'",
        "capacityLimits[0].capacityUnit is missing",
        "capacityLimits[0].maxCapacity must be an integer, got a string",
    ]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
known: dict[str, st.SearchStrategy[Any]] = {}


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """Mostly fitting values, now and then anything at all."""
    if shape.name not in known:
        known[shape.name] = st.integers(0, 9).flatmap(lambda dice: ANYTHING if dice == 9 else fitting(shape))
    return known[shape.name]


def fitting(shape: Shape) -> st.SearchStrategy[Any]:
    kind = shape.type_name
    if kind == "structure":
        required = {name: values(shape.members[name]) for name in shape.required_members}
        optional = {name: values(member) for name, member in shape.members.items() if name not in required}
        return st.fixed_dictionaries(required, optional=optional)
    if kind == "list":
        return st.lists(values(shape.member), max_size=6)
    if kind == "map":
        return st.dictionaries(st.text(max_size=10), values(shape.value), max_size=4)
    if kind == "string":
        return st.sampled_from(shape.enum) if shape.enum else st.text(max_size=20) | st.just(ARN)
    return st.booleans() if kind == "boolean" else st.integers(-5, 10_005)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_fuzzed_members_get_an_answer_or_a_declared_error(operation: str, data: st.DataObject) -> None:
    fuzz(operation, data)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_many_fuzzed_members_get_an_answer_or_a_declared_error(operation: str, data: st.DataObject) -> None:
    fuzz(operation, data)


def fuzz(operation: str, data: st.DataObject) -> None:
    batch = LocalBatch()
    shape = service_model().operation_model(operation).input_shape
    status, code, body = send(batch, operation, data.draw(values(shape)))
    assert status == 200 or (status, code) == (400, "ClientException"), body
    batch.advance(5)


RAW = [
    ("POST", "/v1/describejobqueues", b"{", "request body is not valid JSON"),
    ("POST", "/v1/describejobqueues", b"\xff\xfe", "request body is not valid JSON"),
    ("POST", "/v1/describejobqueues", b"[" * 100_000, "request body is not valid JSON"),
    ("POST", "/v1/describejobqueues", b"[]", "request body must be a JSON object, got a list"),
    ("POST", "/v1/describejobqueues", b"null", "request body must be a JSON object, got null"),
    (
        "POST",
        "/v1/describejobqueues",
        b'{"jobQueues": null, "maxResults": 0}',
        "maxResults must be from 1 to 100, got 0",
    ),
    ("GET", "/v1/describejobqueues", b"", "/v1/describejobqueues takes POST, got GET"),
    ("PUT", "/v1/tags/x", b"", "/v1/tags/x takes DELETE or GET or POST, got PUT"),
    ("POST", "/v1/nonsense", b"{}", "unknown operation POST /v1/nonsense; the Batch API has no such path"),
    ("POST", "/", b"{}", "unknown operation POST /; the Batch API has no such path"),
]


@pytest.mark.parametrize(("method", "path", "body", "want"), RAW)
def test_malformed_requests_in_process(batch: LocalBatch, method: str, path: str, body: bytes, want: str) -> None:
    status, headers, content = batch.handle(method, path, {}, body, {})
    assert (status, headers["x-amzn-ErrorType"], json.loads(content)["message"]) == (400, "ClientException", want)


@pytest.mark.parametrize(("method", "path", "body", "want"), RAW)
def test_malformed_requests_over_http(batch_server: LocalCloud, method: str, path: str, body: bytes, want: str) -> None:
    url = urlsplit(batch_server.endpoint_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=10)
    connection.request(method, quote(path), body)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    assert (answer.status, answer.headers["x-amzn-ErrorType"], content["message"]) == (400, "ClientException", want)


def test_a_body_of_many_megabytes_is_refused(batch_server: LocalCloud) -> None:
    url = urlsplit(batch_server.endpoint_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=30)
    connection.request("POST", "/v1/describejobqueues", b'{"jobQueues": ["' + b"x" * 5_000_000 + b'"]}')
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["message"]) == (400, "request body is not valid JSON")
    connection.close()


def test_an_error_of_our_own_is_a_declared_error(batch: LocalBatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_service: object, _members: object) -> dict[str, Any]:
        raise RuntimeError("a bug")

    known = OPERATIONS["DescribeJobQueues"]
    OPERATIONS["DescribeJobQueues"] = broken
    try:
        status, code, body = send(batch, "DescribeJobQueues", {})
    finally:
        OPERATIONS["DescribeJobQueues"] = known
    assert (status, code, body["message"]) == (500, "ServerException", "the local Batch failed; its log says why")
    assert "a bug" in caplog.text
