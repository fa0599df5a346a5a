"""What ends a command with exit code 2 and one line on standard error."""

from __future__ import annotations

import sys

from click import ClickException


class Failure(ClickException):
    """Raised when a command cannot do what was asked; the message is the one line a user sees."""

    exit_code = 2


def one_line(error: BaseException) -> str | None:
    """Give the line a user sees for an error of a library, or None for an error that is a defect of ours.

    AWS errors are only looked at when the SDK was loaded, so that asking never loads it.
    """
    from quota_constructs.assembly.errors import AssemblyError
    from quota_constructs.planning.errors import PlanError
    from quota_scheduler import DocumentError

    if isinstance(error, DocumentError):
        return "; ".join(f"{problem.path}: {problem.message}" for problem in error.problems)
    if isinstance(error, AssemblyError | PlanError | UnicodeDecodeError):
        return str(error)
    if isinstance(error, OSError):
        name = error.filename if isinstance(error.filename, str) else ""
        reason = error.strerror or str(error)
        return f"{name}: {reason.lower()}" if name else reason
    if "quota_live.errors" in sys.modules:
        from quota_live.errors import LiveError, UnsupportedSdkError

        if isinstance(error, LiveError | UnsupportedSdkError):
            return (_of_aws(error.__cause__) if error.__cause__ is not None else None) or str(error)
    return _of_aws(error) if "botocore.exceptions" in sys.modules else None


def _of_aws(error: BaseException) -> str | None:
    from botocore import exceptions as aws
    from botocore.parsers import ResponseParserError

    if isinstance(error, aws.NoCredentialsError | aws.PartialCredentialsError | aws.CredentialRetrievalError):
        return "no AWS credentials found; set AWS_PROFILE or pass --profile"
    if isinstance(error, aws.ProfileNotFound):
        return f"{_plain(error)}; see `aws configure list-profiles`"
    if isinstance(error, aws.NoRegionError):
        return "no AWS Region is set; pass --region or set AWS_REGION"
    if isinstance(error, aws.EndpointConnectionError | aws.ConnectTimeoutError | aws.ReadTimeoutError):
        return f"{_plain(error)}; check --region and --endpoint-url"
    if isinstance(error, ResponseParserError):
        hint = "`batch-quota local --batch-only` is Batch alone"
        return f"the endpoint answered what is no answer of AWS; check --endpoint-url ({hint})"
    return _plain(error) if isinstance(error, aws.BotoCoreError | aws.ClientError) else None


def _plain(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
