"""The two errors the Batch API declares, those that every AWS service has, and why a local cloud does not start.

ServiceError (Exception)            has a code, a status and a message
├── ClientException                 400: the request cannot be granted
│   └── NotThereError               what it names does not exist
├── ServerException                 500: the service is at fault
├── TooManyRequestsException        429: throttled; clients try again by themselves
└── AccessDeniedException           403: no policy of the caller allows it
StartError (Exception)              the local cloud cannot be started
"""

from __future__ import annotations

from typing import ClassVar


class ServiceError(Exception):
    """An answer that is an error.

    Args:
        message: what the client reads.
    """

    code: ClassVar[str]
    status: ClassVar[int]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ClientException(ServiceError):  # noqa: N818 - the service's name for it
    """The request cannot be granted."""

    code = "ClientException"
    status = 400


class NotThereError(ClientException):
    """What the request names does not exist; to a client a ClientException like any other."""


class ServerException(ServiceError):  # noqa: N818 - the service's name for it
    """The service is at fault."""

    code = "ServerException"
    status = 500


class TooManyRequestsException(ServiceError):  # noqa: N818 - the service's name for it
    """The client must slow down."""

    code = "TooManyRequestsException"
    status = 429


class AccessDeniedException(ServiceError):  # noqa: N818 - the service's name for it
    """The caller is not allowed to do this."""

    code = "AccessDeniedException"
    status = 403


class StartError(Exception):
    """It cannot be started: the port is taken, an option is wrong, or what is installed does not fit."""
