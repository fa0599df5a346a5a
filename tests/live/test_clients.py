"""Clients that cannot hang, and errors in words a user can act on."""

from __future__ import annotations

import pickle

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, NoCredentialsError

from quota_live.clients import NEEDED_OPERATIONS, call, check_operations, clients
from quota_live.errors import (
    AccessDeniedError,
    LiveError,
    NotFoundError,
    ServiceError,
    SettingsError,
    ThrottledError,
    UnreachableError,
    UnsupportedSdkError,
    error_of,
)


def test_every_client_has_time_outs_and_slows_down_when_it_is_throttled() -> None:
    made = clients(region="eu-west-1")
    for client in (made.batch, made.cloudformation, made.sns):
        config = client.meta.config
        assert (config.connect_timeout, config.read_timeout) == (5, 20)
        assert config.retries == {"mode": "adaptive", "total_max_attempts": 5}
    assert made.batch is made.batch
    assert made.region == "eu-west-1"


def test_an_endpoint_is_the_same_for_all() -> None:
    made = clients(region="eu-west-1", endpoint_url="http://127.0.0.1:1")
    assert {client.meta.endpoint_url for client in (made.batch, made.cloudformation, made.sns)} == {
        "http://127.0.0.1:1"
    }


def test_the_operations_are_those_of_the_service_model() -> None:
    check_operations(clients(region="eu-west-1").batch)


def test_fails_with_the_operations_that_an_old_sdk_lacks() -> None:
    meta = type("Meta", (), {"method_to_api_mapping": {"list_jobs": "ListJobs"}})
    old = type("Client", (), {"meta": meta})
    with pytest.raises(UnsupportedSdkError) as caught:
        check_operations(old)
    assert caught.value.missing == NEEDED_OPERATIONS
    assert "use a newer runtime, or put a newer botocore beside the code" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_fails_without_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(SettingsError, match="no client for batch: You must specify a region"):
        _ = clients().batch


def raising(error: Exception):
    def list_service_jobs(**members: object) -> None:
        raise error

    return list_service_jobs


def client_error(code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "ListServiceJobs")


@pytest.mark.parametrize(
    ("error", "want", "words"),
    [
        (
            client_error("AccessDeniedException", "no"),
            AccessDeniedError,
            "permission batch:ListServiceJobs is missing: no",
        ),
        (client_error("ClientException", "User x is not authorized to perform: y"), AccessDeniedError, "is missing"),
        (client_error("TooManyRequestsException", "slow"), ThrottledError, "was throttled, also after retries"),
        (client_error("ThrottlingException", "slow"), ThrottledError, "was throttled"),
        (client_error("ClientException", "Quota share\nnot found"), NotFoundError, "Quota share not found"),
        (client_error("ServerException", "boom"), ServiceError, "batch ListServiceJobs failed: ServerException: boom"),
        (ConnectTimeoutError(endpoint_url="https://x"), UnreachableError, "batch ListServiceJobs got no answer"),
        (NoCredentialsError(), UnreachableError, "Unable to locate credentials"),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value)[:30],
)
def test_an_error_says_what_to_do(error: Exception, want: type[LiveError], words: str) -> None:
    with pytest.raises(LiveError) as caught:
        call(raising(error))
    assert type(caught.value) is want
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy)) == (want, str(caught.value))


def test_the_permission_is_the_one_that_the_service_names() -> None:
    message = "User: arn:x is not authorized to perform: batch:TagResource on resource: arn:y because no policy"
    error = error_of("CreateQuotaShare", "batch", {"Error": {"Code": "AccessDeniedException", "Message": message}})
    assert error.permission == "batch:TagResource"


def test_the_permission_of_the_bulk_call_has_another_name() -> None:
    assert error_of("TerminateServiceJobs", "batch", {}).permission == "batch:TerminateServiceJob"
