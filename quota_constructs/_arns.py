"""ARNs of queues and shares: telling them apart, and taking them to pieces."""

from typing import TYPE_CHECKING

from aws_cdk import Fn

from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import ARN, TYPE
from quota_constructs.errors import QuotaTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARE = "/quota-share/"
_FORMS = {
    "job queue": "arn:<partition>:batch:<region>:<account>:job-queue/<name>",
    "quota share": "arn:<partition>:batch:<region>:<account>:job-queue/<queue name>/quota-share/<name>",
}


def check_job_queue_arn(arn: object, where: str) -> None:
    """Refuse what is no ARN of a job queue; a token passes.

    Raises:
        QuotaConstructError: It is the ARN of something else.
        QuotaTypeError: It is no text.
    """
    _check(arn, where, "job queue", lambda resource: len(resource) == 2 and resource[0] == "job-queue")


def check_quota_share_arn(arn: object, where: str) -> None:
    """Refuse what is no ARN of a quota share; a token passes.

    Raises:
        QuotaConstructError: It is the ARN of something else.
        QuotaTypeError: It is no text.
    """
    _check(
        arn,
        where,
        "quota share",
        lambda resource: len(resource) == 4 and (resource[0], resource[2]) == ("job-queue", "quota-share"),
    )


def queue_arn_of_share(arn: str) -> str:
    """Give the ARN of the queue a share belongs to, from the share's."""
    return Fn.select(0, Fn.split(_SHARE, arn)) if is_token(arn) else arn.partition(_SHARE)[0]


def share_name(arn: str) -> str:
    """Give the name in the ARN of a share."""
    return Fn.select(1, Fn.split(_SHARE, arn)) if is_token(arn) else arn.partition(_SHARE)[2]


def queue_name(arn: str) -> str:
    """Give the name in the ARN of a job queue."""
    return Fn.select(1, Fn.split("/", arn)) if is_token(arn) else arn.partition("/")[2]


def place_of(arn: str) -> tuple[str, str] | None:
    """Give account and Region of an ARN, if they are known."""
    if is_token(arn):
        return None
    _, _, _, region, account, _ = arn.split(":", 5)
    return account, region


def _check(arn: object, where: str, kind: str, is_kind: "Callable[[list[str]], bool]") -> None:
    if not isinstance(arn, str):
        name = f"{kind.replace(' ', '_')}_arn"
        problem = TYPE.problem(f"{name} has the wrong type, got {arn!r} ({type(arn).__name__}); give text", where)
        raise QuotaTypeError([problem])
    if is_token(arn):
        return
    parts = arn.split(":", 5)
    if len(parts) == 6 and parts[0] == "arn" and parts[2] == "batch" and is_kind(parts[5].split("/")):
        return
    raise ARN.broken(f"not the ARN of a {kind}, got {arn!r}; give one of the form {_FORMS[kind]}", where)
