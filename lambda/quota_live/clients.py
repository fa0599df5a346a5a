"""The AWS clients: where the SDK is imported (`quick_calls.py` takes its signer beside).

It takes botocore alone, which is what boto3 is made of: the function starts sooner without the part that builds
resources. Clients are made when they are first asked for; each has time-outs and adaptive retries, so that no call can
hang and a throttled account is read more slowly.
"""

from __future__ import annotations

import os

import botocore
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, DataNotFoundError
from botocore.session import Session

from quota_live.errors import SettingsError, UnreachableError, UnsupportedSdkError, error_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mypy_boto3_batch import BatchClient
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sns import SNSClient

    from quota_live.quick_calls import QuickCalls

CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 20
ATTEMPTS = 5
CONNECTIONS = 32
"""Calls at a time; the collector reads with as many threads."""

USER_AGENT = "quota-constructs"
"""One fixed text: the SDK would put its own together anew for every call, which is a tenth of a call's work."""

NEEDED_OPERATIONS = (
    "CreateQuotaShare",
    "DeleteQuotaShare",
    "DescribeQuotaShare",
    "DescribeServiceEnvironments",
    "DescribeServiceJob",
    "ListQuotaShares",
    "ListServiceJobs",
    "UpdateQuotaShare",
)


class Clients:
    """The clients of one account and Region, each made when it is first used.

    Args:
        session: where clients come from.
        endpoint_url: for all of them; None is the service's own.
        read_timeout_seconds: how long one try may take once connected.
        attempts: tries a call, the first included.
    """

    def __init__(
        self,
        session: Session,
        endpoint_url: str | None = None,
        read_timeout_seconds: int = READ_TIMEOUT_SECONDS,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._session = session
        self._endpoint_url = endpoint_url
        self._config = Config(
            connect_timeout=CONNECT_TIMEOUT_SECONDS,
            read_timeout=read_timeout_seconds,
            retries={"mode": "adaptive", "total_max_attempts": attempts},
            max_pool_connections=CONNECTIONS,
            user_agent=USER_AGENT,
        )
        self._made: dict[str, Any] = {}
        self._quick: QuickCalls | None = None

    @property
    def batch(self) -> BatchClient:
        """The Batch client.

        Raises:
            SettingsError: it cannot be made.
            UnsupportedSdkError: the SDK does not know quota management.
        """
        if "batch" not in self._made:
            try:
                client = self._client("batch")
            except DataNotFoundError:
                raise UnsupportedSdkError(str(botocore.__version__), NEEDED_OPERATIONS) from None
            check_operations(client)
            self._made["batch"] = client
        return self._made["batch"]  # type: ignore[no-any-return]  # the SDK gives no types

    @property
    def describe_quickly(self) -> QuickCalls:
        """DescribeServiceJob with less work a call, for thousands of them."""
        if self._quick is None:
            from quota_live.quick_calls import QuickCalls  # not needed for a cold start

            batch: Any = self.batch
            self._quick = QuickCalls(batch, self._session.get_credentials(), "DescribeServiceJob", USER_AGENT)
        return self._quick

    @property
    def cloudformation(self) -> CloudFormationClient:
        """The CloudFormation client."""
        return self._client("cloudformation")  # type: ignore[no-any-return]  # the SDK gives no types

    @property
    def sns(self) -> SNSClient:
        """The SNS client."""
        return self._client("sns")  # type: ignore[no-any-return]  # the SDK gives no types

    @property
    def s3(self) -> S3Client:
        """The S3 client."""
        return self._client("s3")  # type: ignore[no-any-return]  # the SDK gives no types

    @property
    def account(self) -> str:
        """The account that the credentials are of.

        Raises:
            LiveError: they are of none.
        """
        identity = call(self._client("sts").get_caller_identity)
        return str(identity["Account"])

    @property
    def region(self) -> str | None:
        """The Region that the session is configured for."""
        region: str | None = self._session.get_config_variable("region")
        return region

    def _client(self, name: str) -> Any:  # noqa: ANN401  # which client it is depends on the name
        if name not in self._made:
            try:
                made = self._session.create_client(name, endpoint_url=self._endpoint_url, config=self._config)
            except DataNotFoundError:
                raise
            except (BotoCoreError, ValueError) as error:
                raise SettingsError("CreateClient", name, type(error).__name__, str(error)) from error
            if name == "batch":
                return made
            self._made[name] = made
        return self._made[name]


def clients(region: str | None = None, profile: str | None = None, endpoint_url: str | None = None) -> Clients:
    """Make the clients of one account and Region.

    Args:
        region: None is the one of the environment: `AWS_REGION`, which `cdk` and the AWS CLI read, then what boto3
            reads.
        profile: name of a profile of the shared configuration; None is the one of the environment.
        endpoint_url: where all services are reached; None is their own endpoint, or the one of the environment.

    Returns:
        The clients; nothing is connected yet.
    """
    session = Session(profile=profile)
    region = region or os.environ.get("AWS_REGION")
    if region:
        session.set_config_variable("region", region)
    return Clients(session, endpoint_url)


def check_operations(batch: object) -> None:
    """Check that a Batch client knows quota management.

    Args:
        batch: a client made by any version of the SDK.

    Raises:
        UnsupportedSdkError: it lacks operations; the error names them.
    """
    known = getattr(getattr(batch, "meta", None), "method_to_api_mapping", None)
    if known is not None:
        missing = tuple(name for name in NEEDED_OPERATIONS if name not in known.values())
        if missing:
            raise UnsupportedSdkError(str(botocore.__version__), missing)


def call(method: Callable[..., Any], **members: object) -> Mapping[str, Any]:
    """Call one operation.

    Args:
        method: of a client, for example `batch.list_quota_shares`.
        members: of the request.

    Returns:
        The response.

    Raises:
        LiveError: it did not succeed; which kind says why.
    """
    try:
        return method(**members)  # type: ignore[no-any-return]  # the SDK gives no types
    except ClientError as error:
        raise error_of(error.operation_name, _service_of(method), error.response) from error
    except BotoCoreError as error:
        operation = "".join(part.capitalize() for part in getattr(method, "__name__", "call").split("_"))
        raise UnreachableError(operation, _service_of(method), type(error).__name__, str(error)) from error


def _service_of(method: object) -> str:
    meta = getattr(getattr(method, "__self__", None), "meta", None)
    model = getattr(meta, "service_model", None)
    return str(getattr(model, "service_name", "batch"))
