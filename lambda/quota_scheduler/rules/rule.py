"""A rule: what it says, where that is written, how to find a breach and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUEUE = "queue"
SEVERAL_QUEUES = "queues"
UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of configuration, as data.

    Args:
        id: `QS001` and so on; never used for another rule.
        title: what holds, in one short sentence.
        severity: `error`, `warning` or `info`.
        source: where the service says so, or `assumed` with the decision record.
        check: gives place and message of each breach, all of them.
        fix: what to do about it.
        bad: an example that breaks it, as a JSON document that `queue_configuration` reads.
        good: the same example, mended.
        looks_at: `queue`, one queue at a time; `queues`, several at once; `update`, a queue before and after.

    The examples of a rule for several queues, or for an update, are JSON lists.
    """

    id: str
    title: str
    severity: str
    source: str
    check: Callable[..., Iterator[tuple[str, str]]]
    fix: str
    bad: str
    good: str
    looks_at: str = QUEUE
