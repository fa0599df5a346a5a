"""boto3 sessions that know nothing of the machine's profiles and credentials."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import boto3
    from botocore.config import Config

_lock = threading.Lock()
"""Clients may be used by several threads; a session may not make them in several at once."""


def local_client(service: str, endpoint_url: str, *, region: str, account: str, config: Config | None = None) -> Any:  # noqa: ANN401 - a boto3 client
    """Make a boto3 client that can reach nothing but a local endpoint.

    Args:
        service: for example `batch`.
        endpoint_url: where it sends its requests.
        region: its Region.
        account: its access key; 12 digits are an account of the local cloud.
        config: its options.
    """
    with _lock:
        return _session().client(
            service,
            endpoint_url=endpoint_url,
            region_name=region,
            aws_access_key_id=account,
            aws_secret_access_key="local",  # noqa: S106 - nothing is signed for anybody
            config=config,
        )


@cache
def _session() -> boto3.session.Session:
    """One session for all clients: it keeps the service models, which take long to read."""
    import boto3
    import botocore.session

    nothing = {
        "profile": (None, None, None, None),
        "config_file": (None, None, os.devnull, None),
        "credentials_file": (None, None, os.devnull, None),
    }
    return boto3.session.Session(botocore_session=botocore.session.Session(session_vars=nothing))
