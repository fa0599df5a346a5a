"""CloudWatch's `AWS/Batch` metrics of service jobs, made from the event log. The dimension is the job queue's name.

Source: user guide, using CloudWatch metrics with AWS Batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.local.records import DISPATCHED, ENDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_constructs.local.event_log import Record

NAMESPACE = "AWS/Batch"
DIMENSION = "JobQueueName"
COUNT = "Count"
MILLISECONDS = "Milliseconds"


@dataclass(frozen=True, slots=True)
class MetricDatum:
    """One value of a metric.

    Args:
        name: of the metric.
        queue: name of the job queue.
        value: the value.
        unit: `Count` or `Milliseconds`.
        at: when, in milliseconds since 1970 UTC.
    """

    name: str
    queue: str
    value: int
    unit: str
    at: int


@dataclass(slots=True)
class _Times:
    submitted: int
    entered: dict[str, int]
    was_scheduled: bool = False


class CloudMetrics:
    """Turns records into metric values; remembers when each unfinished job entered its statuses."""

    def __init__(self) -> None:
        self._times: dict[str, _Times] = {}

    def values(self, record: Record) -> Iterator[MetricDatum]:
        """The values for a record, which must come in the order of the log."""
        queue = str(record.data.get("queue", "")).rpartition("/")[2]
        for name, value, unit in self._named(record):
            yield MetricDatum(name, queue, value, unit, record.at)

    def _named(self, record: Record) -> Iterator[tuple[str, int, str]]:
        if record.kind == "submitted":
            self._times[record.subject] = _Times(record.at, {})
            yield "JobsSubmitted", 1, COUNT
        elif record.kind == "preemption_completed":
            yield "JobsPreempted", 1, COUNT
        elif record.kind == "status" and record.subject in self._times:
            times = self._times[record.subject]
            yield from _moved(record, times)
            times.entered[record.data["status"]] = record.at
            if record.data["status"] in ENDED:
                del self._times[record.subject]


def _moved(record: Record, times: _Times) -> Iterator[tuple[str, int, str]]:
    """What a change of status adds: counts, and the time since the status before."""
    status, cause, before = record.data["status"], record.data.get("cause"), record.data["before"]
    yield f"JobsMovedTo{status.capitalize()}", 1, COUNT
    if cause in _COUNTS:
        yield _COUNTS[cause], 1, COUNT
    if cause == "first":
        yield "JobSubmittedToRunnableDuration", record.at - times.submitted, MILLISECONDS
    if status == "SCHEDULED" and not times.was_scheduled:
        times.was_scheduled = True
        yield "JobSubmittedToFirstScheduledDuration", record.at - times.submitted, MILLISECONDS
    if status in _SINCE:
        name, since = _SINCE[status]
        yield name, record.at - times.entered[since], MILLISECONDS
    elif before in DISPATCHED:
        yield "JobAttemptDuration", record.at - times.entered["SCHEDULED"], MILLISECONDS
        if before == "RUNNING":
            yield "JobAttemptExecutionDuration", record.at - times.entered["RUNNING"], MILLISECONDS


_COUNTS = {"retry": "JobsRetried", "terminated": "JobsTerminated"}
_SINCE = {
    "SCHEDULED": ("JobAttemptRunnableToScheduledDuration", "RUNNABLE"),
    "STARTING": ("JobAttemptScheduledToStartingDuration", "SCHEDULED"),
    "RUNNING": ("JobAttemptStartingToRunningDuration", "STARTING"),
}
