"""A boto3 client whose requests never leave the process."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

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


def connected_client(batch: LocalBatch) -> BatchClient:
    """Make a boto3 client for the Batch API that is answered by a `LocalBatch`.

    Args:
        batch: answers the calls.
    """
    import boto3
    from botocore.config import Config

    session = boto3.session.Session(
        aws_access_key_id=batch.account,
        aws_secret_access_key="local",  # noqa: S106 - nothing is signed for anybody
        region_name=batch.region,
    )
    # The endpoint is never opened: `before-send` answers before a connection is made.
    client: BatchClient = session.client(
        "batch", endpoint_url="http://batch.invalid", config=Config(retries={"mode": "standard"})
    )

    def answer(request: AWSPreparedRequest, **_event: Any) -> AWSResponse:  # noqa: ANN401 - botocore's event
        from botocore.awsrequest import AWSResponse

        url = urlsplit(request.url)
        body = request.body or b""
        status, headers, content = batch.handle(
            request.method,
            unquote(url.path),
            {name: str(value) for name, value in request.headers.items()},
            body.encode() if isinstance(body, str) else bytes(body),
            parse_qs(url.query, keep_blank_values=True),
        )
        return AWSResponse(request.url, status, headers, _Body(content))

    client.meta.events.register("before-send.batch", answer)
    return client
