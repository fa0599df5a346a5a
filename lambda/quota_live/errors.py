"""What can go wrong when the account is read or changed, in words a user can act on.

LiveError(RuntimeError)
├── AccessDeniedError      a permission is missing; it is named
├── ThrottledError         the service asked to slow down until the retries were used up
├── UnreachableError       no answer: no network, no endpoint, a time-out
├── NotFoundError          what was asked for is not there
├── NoQuotaManagementError it is there, and it is no queue with quota management
├── SettingsError          no Region, no profile of that name, or the like: no client can be made
└── ServiceError           any other answer that is no success
UnsupportedSdkError(RuntimeError)   the SDK is older than the operations

The service declares only ClientException and ServerException for its quota operations, so that what is meant is read
from the message. Source: Batch API, errors of CreateQuotaShare and its siblings.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_ACTIONS = {"TerminateServiceJobs": "TerminateServiceJob"}
"""Operations whose IAM action has another name. Source: Service Authorization Reference, AWS Batch."""

_DENIED = ("AccessDenied", "UnauthorizedOperation", "NotAuthorized")
_THROTTLED = ("Throttl", "TooManyRequests", "RequestLimitExceeded", "SlowDown")
_NOT_FOUND = ("not found", "does not exist", "could not be found", "doesn't exist", "cannot find", "no such")


class LiveError(RuntimeError):
    """A call to the account did not succeed.

    Args:
        operation: the API operation, for example `ListServiceJobs`.
        service: its IAM prefix, for example `batch`.
        code: the service's error code, or the name of the local error.
        message: the service's own words.
    """

    def __init__(self, operation: str, service: str, code: str, message: str) -> None:
        self.operation = operation
        self.service = service
        self.code = code
        self.message = message
        super().__init__(self._sentence())

    def __reduce__(self) -> tuple[type[LiveError], tuple[str, str, str, str]]:
        return (type(self), (self.operation, self.service, self.code, self.message))

    @property
    def permission(self) -> str:
        """The IAM action that was asked for, for example `batch:ListServiceJobs`.

        It is the one in the service's message, where there is one: creating a share with tags also asks for
        `batch:TagResource`.
        """
        named = self.message.partition("is not authorized to perform: ")[2].partition(" ")[0]
        if ":" in named:
            return named.rstrip(".,;")
        return f"{self.service}:{_ACTIONS.get(self.operation, self.operation)}"

    def _sentence(self) -> str:
        return f"{self.service} {self.operation} failed: {self.code}: {_one_line(self.message)}"


class AccessDeniedError(LiveError):
    """A permission is missing."""

    def _sentence(self) -> str:
        return f"permission {self.permission} is missing: {_one_line(self.message)}"


class ThrottledError(LiveError):
    """The service asked to slow down, also after all retries."""

    def _sentence(self) -> str:
        return f"{self.service} {self.operation} was throttled, also after retries; try again later"


class UnreachableError(LiveError):
    """There was no answer."""

    def _sentence(self) -> str:
        return f"{self.service} {self.operation} got no answer: {_one_line(self.message)}"


class SettingsError(LiveError):
    """No client can be made with the settings at hand."""

    def _sentence(self) -> str:
        return f"no client for {self.service}: {_one_line(self.message)}"


class NotFoundError(LiveError):
    """What was asked for is not there."""


class NoQuotaManagementError(LiveError):
    """The queue is there, and has no quota management."""

    def _sentence(self) -> str:
        return _one_line(self.message)


class ServiceError(LiveError):
    """Any other answer that is no success."""


class UnsupportedSdkError(RuntimeError):
    """The SDK does not know the operations of quota management.

    Args:
        version: of the SDK.
        missing: names of operations that it lacks.
    """

    def __init__(self, version: str, missing: tuple[str, ...]) -> None:
        self.version = version
        self.missing = missing
        super().__init__(
            f"the AWS SDK here (botocore {version}) does not know the Batch operations {', '.join(missing)}; "
            f"they came in March 2026: use a newer runtime, or put a newer botocore beside the code"
        )

    def __reduce__(self) -> tuple[type[UnsupportedSdkError], tuple[str, tuple[str, ...]]]:
        return (type(self), (self.version, self.missing))


def error_of(operation: str, service: str, response: Mapping[str, object]) -> LiveError:
    """Give the error that an error response means.

    Args:
        operation: the API operation.
        service: its IAM prefix.
        response: the parsed response, with `Error` and `ResponseMetadata`.

    Returns:
        The error, ready to be raised.
    """
    error = response.get("Error")
    members = error if isinstance(error, dict) else {}
    code = str(members.get("Code") or "Unknown")
    message = str(members.get("Message") or members.get("message") or "no message")
    lowered = message.lower()
    if any(part in code for part in _DENIED) or "is not authorized to perform" in lowered:
        return AccessDeniedError(operation, service, code, message)
    if any(part in code for part in _THROTTLED):
        return ThrottledError(operation, service, code, message)
    if any(part in lowered for part in _NOT_FOUND):
        return NotFoundError(operation, service, code, message)
    return ServiceError(operation, service, code, message)


def _one_line(text: str) -> str:
    return " ".join(text.split())
