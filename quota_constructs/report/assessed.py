"""What a report is about: a queue, a change and what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from quota_scheduler import Change, QueueState

Document = Mapping[str, Any]
"""An assessment document."""


class AssessmentLike(Protocol):
    """Whatever gives an assessment document: `quota_scheduler.Assessment`, or one read from a file."""

    def to_dict(self) -> dict[str, Any]:
        """Give the assessment document."""
        ...


@dataclass(frozen=True, slots=True)
class Assessed:
    """One queue, a change, and what the change would do.

    Args:
        assessment: The outcome.
        state: The queue before the change.
        change: What would change.
        stack: The stack that makes the change; empty for an assessment of a change file.
        label: Path of the queue's construct; its name is used where there is none.
        notes: What the reader should know about how the picture was taken, a sentence each.
    """

    assessment: AssessmentLike
    state: QueueState
    change: Change
    stack: str = ""
    label: str = ""
    notes: tuple[str, ...] = ()
