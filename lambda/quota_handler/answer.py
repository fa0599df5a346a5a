"""An answer to CloudFormation, and its body in at most 4,096 bytes.

Source: Template Reference, custom resource response objects (limit of the body in all).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_handler.request import Request

SUCCESS = "SUCCESS"
FAILED = "FAILED"

MOST_BYTES = 4096
_MOST_ID_BYTES = 1024
_CUT = "…"
_SHORTEST_VALUE = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """What CloudFormation is told.

    Args:
        status: `SUCCESS` or `FAILED`.
        physical_id: id of the resource; the same in every answer, unless the resource was replaced.
        reason: lines of text; the first says everything that matters. Shown by CloudFormation for a failure only.
        data: attributes of the resource, flat.
        log_stream: where the function's log is; its line is the last of the reason of a failure.
    """

    status: str
    physical_id: str
    reason: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    log_stream: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the resource counts as done."""
        return self.status == SUCCESS


def body_of(answer: Answer, request: Request) -> bytes:
    """Write the body of an answer, in UTF-8 and at most 4,096 bytes with all escapes.

    What is too long is cut in this order: lines of the reason from the last but one backwards (the last one is the
    line with the log stream, which the cdk command line reads), then the longest attributes. The first line is cut
    only where nothing else is left.

    Args:
        answer: what to tell.
        request: what it answers.

    Returns:
        The body.
    """
    first, *rest = answer.reason or (_default_reason(answer),)
    last = [] if answer.log_stream is None or answer.is_success else [f"CloudWatch Log Stream: {answer.log_stream}"]
    data = dict(answer.data)
    low, high = 0, len(rest)
    while low < high:
        middle = (low + high + 1) // 2
        if len(_encode(answer, request, [first, *_kept(rest, middle), *last], data)) <= MOST_BYTES:
            low = middle
        else:
            high = middle - 1
    body = _encode(answer, request, [first, *_kept(rest, low), *last], data)
    while data and len(body) > MOST_BYTES:
        longest = max(data, key=lambda name: len(_json(data[name])))
        if len(_json(data[longest])) <= _SHORTEST_VALUE:
            break
        data[longest] = _cut(data[longest], max(_SHORTEST_VALUE, len(_json(data[longest])) - (len(body) - MOST_BYTES)))
        body = _encode(answer, request, [first, *last], data)
    if len(body) > MOST_BYTES:
        first = _cut(first, max(_SHORTEST_VALUE, len(_json(first)) - (len(body) - MOST_BYTES)))
        body = _encode(answer, request, [first, *last], data)
    return body


def _default_reason(answer: Answer) -> str:
    return "done" if answer.is_success else "failed for a reason that is in the log"


def _kept(lines: list[str], most: int) -> list[str]:
    """Give the first lines, and say how many are left out."""
    left_out = len(lines) - most
    if not left_out:
        return lines
    from quota_scheduler.wording import count  # the model is not loaded before an event needs it

    return [*lines[:most], f"({count(left_out, 'more line')} in the log)"]


def _encode(answer: Answer, request: Request, reason: list[str], data: Mapping[str, str]) -> bytes:
    document = {
        "Status": answer.status,
        "Reason": "\n".join(reason),
        "PhysicalResourceId": _cut(answer.physical_id, _MOST_ID_BYTES),
        "StackId": request.stack_id,
        "RequestId": request.request_id,
        "LogicalResourceId": request.logical_id,
        "Data": data,
    }
    return _json(document)


def _json(value: object) -> bytes:
    """Encode without escaping what UTF-8 can write; half of a surrogate pair becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _cut(text: str, most_bytes: int) -> str:
    """Cut a text so that its JSON form has at most that many bytes, and say so with an ellipsis."""
    if len(_json(text)) <= most_bytes:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(_json(text[:middle] + _CUT)) <= most_bytes:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _CUT
