"""ARNs of queues and shares: refusing what is none, and taking them to pieces."""

from typing import TYPE_CHECKING

from aws_cdk import Fn

from quota_constructs import _arn_forms
from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import ARN, TYPE
from quota_constructs.errors import QuotaConstructError, QuotaTypeError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARE = "/quota-share/"
_PARTS = 6


def check(where: str, required: "Mapping[str, object]", **optional: object) -> None:
    """Refuse what is no ARN of what its parameter is for; a token passes, and what is visible beside one must fit.

    Args:
        where: Path of the construct.
        required: The ARNs that must be there, by parameter, such as `job_queue_arn`.
        optional: Further ones, in the same way; None for what is not known.

    Raises:
        QuotaConstructError: An ARN is of something else, or of more than one thing.
        QuotaTypeError: An ARN is no text.
    """
    arns = {**required, **{name: arn for name, arn in optional.items() if arn is not None}}
    wrong = [
        TYPE.problem(f"{name} has the wrong type, got {arn!r} ({type(arn).__name__}); give text", where)
        for name, arn in arns.items()
        if not isinstance(arn, str)
    ]
    if wrong:
        raise QuotaTypeError(wrong)
    problems = []
    for name, arn in arns.items():
        kind = name.removesuffix("_arn").replace("_", " ")
        faults = _arn_forms.faults(str(arn), kind)
        if faults:
            message = f"not the ARN of a {kind}, got {arn!r}: {', '.join(faults)}; give one of the form "
            problems.append(ARN.problem(message + _arn_forms.form(kind), where))
    if problems:
        raise QuotaConstructError(problems)


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
    """Give account and Region of an ARN, as far as its parts can be told apart; each may be a token."""
    parts = arn.split(":", _PARTS - 1)
    return (parts[4], parts[3]) if len(parts) == _PARTS else None


def partition_of(arn: str) -> str | None:
    """Give the partition of an ARN, if its parts can be told apart; may be a token."""
    parts = arn.split(":", _PARTS - 1)
    return parts[1] if len(parts) == _PARTS else None
