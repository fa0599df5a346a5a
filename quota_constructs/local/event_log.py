"""What happened in the local Batch, in the order in which it happened."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that happened.

    Args:
        number: its place in the order, from 1.
        at: when, in milliseconds since 1970 UTC.
        kind: what: `resource` (its status), `configured` (what holds for it from now on), `gone`, `submitted`,
            `status`, `priority`, `blocked`, `preemption_started`, `preemption_completed`, `released` (room was made
            for a job that does not come first any more) or `fault`.
        subject: ARN of the resource or id of the service job.
        data: the rest.
    """

    number: int
    at: int
    kind: str
    subject: str
    data: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The record as a JSON object."""
        return {"number": self.number, "at": self.at, "kind": self.kind, "subject": self.subject, **self.data}


class EventLog:
    """The records, oldest first.

    Args:
        now: gives the time.
        limit: how many are kept.
    """

    def __init__(self, now: Callable[[], int], limit: int) -> None:
        self._now = now
        self._numbers = count(1)
        self._records: deque[Record] = deque(maxlen=limit)
        self.listeners: list[Callable[[Record], None]] = []

    def add(self, kind: str, subject: str, **data: Any) -> None:  # noqa: ANN401 - any JSON value
        """Note that something happened, and tell the listeners."""
        record = Record(next(self._numbers), self._now(), kind, subject, data)
        self._records.append(record)
        for listener in self.listeners:
            listener(record)

    def __iter__(self) -> Iterator[Record]:
        return iter(tuple(self._records))

    def __len__(self) -> int:
        return len(self._records)

    def of(self, *kinds: str) -> list[Record]:
        """The records of some kinds."""
        return [record for record in self if record.kind in kinds]
