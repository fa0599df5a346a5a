"""Thousands of descriptions with less work a call, and the SDK's own call for whatever is no success."""

from __future__ import annotations

import http.server
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from quota_live.clients import Clients, clients

if TYPE_CHECKING:
    from collections.abc import Iterator


class Endpoint:
    """Answers on loopback with the statuses it is given, the last one for ever."""

    def __init__(self) -> None:
        self.statuses = [200]
        self.received: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                members = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.received.append((self.path, dict(self.headers), members))
                status = endpoint.statuses.pop(0) if len(endpoint.statuses) > 1 else endpoint.statuses[0]
                body = json.dumps({"jobId": members["jobId"], "schedulingPriority": 7, "createdAt": 5}).encode()
                body = b"no json" if status == 299 else body
                self.send_response(200 if status == 299 else status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the base class
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    made = Endpoint()
    yield made
    made.close()


def account(endpoint: Endpoint) -> Clients:
    return clients("eu-west-1", endpoint_url=endpoint.url)


def test_it_asks_and_understands_what_the_client_does(endpoint: Endpoint) -> None:
    made = account(endpoint)
    quick = made.describe_quickly(jobId="j")
    slow = made.batch.describe_service_job(jobId="j")
    assert quick == {key: value for key, value in slow.items() if key != "ResponseMetadata"}
    (path, headers, members), (slow_path, slow_headers, slow_members) = endpoint.received
    assert (path, members) == (slow_path, slow_members) == ("/v1/describeservicejob", {"jobId": "j"})
    assert headers["X-Amz-Security-Token"] == slow_headers["X-Amz-Security-Token"] == "token"
    credential = "Credential=AKIDEXAMPLE/"
    for given in (headers, slow_headers):
        assert given["Authorization"].startswith(f"AWS4-HMAC-SHA256 {credential}")
        assert "/eu-west-1/batch/aws4_request" in given["Authorization"]
    assert made.describe_quickly is made.describe_quickly


@pytest.mark.parametrize("status", [429, 403, 500, 301, 299], ids=["throttled", "denied", "fault", "moved", "no JSON"])
def test_whatever_is_no_success_is_left_to_the_client_for_good(endpoint: Endpoint, status: int) -> None:
    endpoint.statuses = [200, status, 200]
    quick = account(endpoint).describe_quickly
    assert [bool(quick(jobId="j")) for _ in range(4)] == [True, False, False, False]
    assert len(endpoint.received) == 2


def test_no_answer_is_left_to_the_client(endpoint: Endpoint) -> None:
    quick = account(endpoint).describe_quickly
    endpoint.close()
    assert quick(jobId="j") is None
    endpoint.close = lambda: None  # type: ignore[method-assign]


def test_a_proxy_is_left_to_the_client(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert account(endpoint).describe_quickly(jobId="j") is None
    assert endpoint.received == []
