"""What a report is about: a queue, a change and what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quota_scheduler import Assessment, Change, QueueState
    from quota_scheduler.rules import Finding

Document = Mapping[str, Any]
"""An assessment document."""


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
        on_the_way: States in between: label, verdict of the risk alone, and what reaching it does.
        declared: Errors in what is declared that the queue's state cannot show.
        verdict: The worst of all of these; the assessment's own, unless given.
        guard: What the stack's guard will do, as a sentence; empty where there is nothing to say.
        acknowledge: What lets a blocked deployment pass; empty where nothing blocks.
    """

    assessment: Assessment
    state: QueueState
    change: Change
    stack: str = ""
    label: str = ""
    notes: tuple[str, ...] = ()
    on_the_way: tuple[tuple[str, str, Assessment], ...] = ()
    declared: tuple[Finding, ...] = ()
    verdict: str = ""
    guard: str = ""
    acknowledge: str = ""
