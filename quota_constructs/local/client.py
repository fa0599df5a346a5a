"""A boto3 client whose requests never leave the process."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from quota_constructs.local.clock import ManualClock
from quota_constructs.local.faults import LATENCY, LOST_RESPONSE
from quota_constructs.local.sessions import local_client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botocore.awsrequest import AWSPreparedRequest, AWSResponse
    from mypy_boto3_batch import BatchClient

    from quota_constructs.local.batch import LocalBatch


class _Body(io.BytesIO):
    """A response's body in the form botocore reads."""

    def stream(self, **_options: Any) -> Iterator[bytes]:  # noqa: ANN401 - urllib3's options
        """Give the body."""
        yield self.read()


class InProcessTransport:
    """Answers a client's requests before a connection is made.

    Args:
        batch: gives the answers.
        read_timeout: seconds after which the client gives up.
    """

    def __init__(self, batch: LocalBatch, read_timeout: float) -> None:
        self._batch = batch
        self._read_timeout = read_timeout

    def __call__(self, request: AWSPreparedRequest, **_event: Any) -> AWSResponse:  # noqa: ANN401 - botocore's event
        """Answer a request; a lost response looks like a closed connection, a late one like a time-out."""
        from botocore.awsrequest import AWSResponse
        from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

        url = urlsplit(str(request.url))
        status, headers, content = self._batch.handle(
            str(request.method),
            unquote(url.path),
            {name.lower(): _text(value) for name, value in request.headers.items()},
            _bytes(request.body),
            parse_qs(url.query, keep_blank_values=True),
        )
        late = float(headers.pop(LATENCY, 0))
        self._let_pass(min(late, self._read_timeout))
        if late > self._read_timeout:
            raise ReadTimeoutError(endpoint_url=request.url)
        if headers.pop(LOST_RESPONSE, None) is not None:
            raise ConnectionClosedError(endpoint_url=request.url)
        return AWSResponse(request.url, status, headers, _Body(content))  # type: ignore[arg-type]  # stands for urllib3's

    def _let_pass(self, seconds: float) -> None:
        if isinstance(self._batch.clock, ManualClock):
            self._batch.advance(seconds)
        elif seconds:
            time.sleep(seconds)


def connected_client(batch: LocalBatch, **config: Any) -> BatchClient:  # noqa: ANN401 - botocore's options
    """Make a boto3 client for the Batch API that is answered by a `LocalBatch`.

    Args:
        batch: answers the calls.
        config: options of `botocore.config.Config`; standard retries unless given.
    """
    from botocore.config import Config

    chosen: dict[str, Any] = {"retries": {"mode": "standard"}, "read_timeout": 60} | config
    options = Config(**chosen)
    client: BatchClient = local_client(
        "batch", "http://batch.invalid", region=batch.region, account=batch.account, config=options
    )
    transport = InProcessTransport(batch, options.read_timeout)  # type: ignore[attr-defined]  # made from the options
    client.meta.events.register("before-send.batch", transport)  # type: ignore[arg-type]  # one that answers
    return client


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _bytes(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, bytes | bytearray) else b""
