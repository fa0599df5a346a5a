"""One read operation, called thousands of times, with half the work a call.

The SDK does about a millisecond of work for every call, most of it to find out anew what was found out for the call
before. Here the address and the form of the request are found once; signing is the SDK's own. Only a success is taken:
anything else is left to the SDK's call, with its retries and its errors, and so are all calls after it.

docs/decisions/0045-thousands-of-descriptions.md has the reasons and the numbers.
"""

from __future__ import annotations

import json
from http import HTTPStatus

import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.utils import get_environ_proxies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from botocore.client import BaseClient
    from botocore.credentials import Credentials


class QuickCalls:
    """Calls one operation of a REST-JSON service.

    Args:
        client: of the service; it is asked for nothing but its endpoint, its Region and its model.
        credentials: to sign with.
        operation: name of the operation, for example `DescribeServiceJob`.
        user_agent: what the request says about who asks.
    """

    def __init__(self, client: BaseClient, credentials: Credentials | None, operation: str, user_agent: str) -> None:
        model = client.meta.service_model
        config: Any = client.meta.config
        self._url = client.meta.endpoint_url.rstrip("/") + model.operation_model(operation).http["requestUri"]
        self._headers = {"Content-Type": "application/json", "User-Agent": user_agent}
        self._signing_name = model.signing_name
        self._region = client.meta.region_name
        self._credentials = credentials
        self._works = credentials is not None and not config.proxies and not get_environ_proxies(self._url)
        self._pool = urllib3.PoolManager(
            maxsize=config.max_pool_connections,
            timeout=urllib3.Timeout(connect=config.connect_timeout, read=config.read_timeout),
            retries=False,
        )

    def __call__(self, **members: object) -> Mapping[str, Any] | None:
        """Call the operation.

        Args:
            members: of the request.

        Returns:
            The response; None if it was no success, or if an earlier one was none: then the SDK is to call.
        """
        if not self._works or self._credentials is None:
            return None
        body = json.dumps(members).encode()
        request = AWSRequest("POST", self._url, data=body, headers=self._headers)
        SigV4Auth(self._credentials.get_frozen_credentials(), self._signing_name, self._region).add_auth(request)
        try:
            response = self._pool.request("POST", self._url, body=body, headers=dict(request.headers.items()))
            if response.status == HTTPStatus.OK:
                found: Mapping[str, Any] = json.loads(response.data)
                return found
        except (urllib3.exceptions.HTTPError, ValueError):
            pass
        self._works = False
        return None
