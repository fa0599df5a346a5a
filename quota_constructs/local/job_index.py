"""Service jobs, found by queue, share, status, name and time without looking at the others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from quota_constructs.local.records import WAITING, ServiceJob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BucketKey = tuple[str, ...]
Item = TypeVar("Item", int, tuple[tuple[int, int, str], int])


class JobIndex:
    """All service jobs of an account and Region.

    Each bucket (`queue`, `queue, status`, `queue, share, status` …) is a sorted list of submission numbers.
    """

    def __init__(self) -> None:
        self.all: list[ServiceJob] = []
        self._by_id: dict[str, ServiceJob] = {}
        self._buckets: defaultdict[BucketKey, list[int]] = defaultdict(list)
        self._waiting: defaultdict[tuple[str, str], list[tuple[tuple[int, int, str], int]]] = defaultdict(list)

    def add(self, job: ServiceJob) -> None:
        """Take in a new job; its number must be `len(all)`."""
        self.all.append(job)
        self._by_id[job.id] = job
        queue, name = job.queue_arn, job.name.lower()
        for key in ((queue,), (queue, "share", job.share), (queue, "name", name)):
            self._buckets[key].append(job.number)
        self._add_status(job)

    def get(self, id_or_arn: str) -> ServiceJob | None:
        """The job with this id or ARN."""
        return self._by_id.get(id_or_arn.rpartition("/")[2] if id_or_arn.startswith("arn:") else id_or_arn)

    def set_status(self, job: ServiceJob, status: str) -> None:
        """Give a job another status."""
        self._remove_status(job)
        job.status = status
        self._add_status(job)

    def set_priority(self, job: ServiceJob, priority: int) -> None:
        """Give a job another scheduling priority."""
        self._remove_waiting(job)
        job.priority = priority
        self._add_waiting(job)

    def forget_queue(self, queue_arn: str) -> None:
        """A queue is gone: its jobs can be found by id only."""
        for key in [key for key in self._buckets if key[0] == queue_arn]:
            del self._buckets[key]
        for row in [row for row in self._waiting if row[0] == queue_arn]:
            del self._waiting[row]

    def numbers(self, *key: str) -> Sequence[int]:
        """Submission numbers of a bucket, ascending."""
        return self._buckets.get(key, ())

    def with_status(self, queue_arn: str, *statuses: str) -> Iterator[ServiceJob]:
        """The jobs of a queue that have one of these statuses, in the order of submission within each."""
        for status in statuses:
            for number in tuple(self.numbers(queue_arn, "status", status)):
                yield self.all[number]

    def waiting(self, queue_arn: str, share: str, at_most: int | None = None) -> list[ServiceJob]:
        """The RUNNABLE jobs of a share in the order in which it dispatches them."""
        keys = self._waiting.get((queue_arn, share), [])
        return [self.all[number] for _, number in keys[:at_most]]

    def count_waiting(self, queue_arn: str, share: str) -> int:
        """How many RUNNABLE jobs a share has."""
        return len(self._waiting.get((queue_arn, share), ()))

    def names(self, queue_arn: str, prefix: str) -> Iterator[int]:
        """Submission numbers of the jobs whose name begins with the prefix, whatever the case, newest first."""
        for number in reversed(self.numbers(queue_arn)):
            if self.all[number].name.lower().startswith(prefix):
                yield number

    def _add_status(self, job: ServiceJob) -> None:
        for key in self._status_keys(job):
            insort(self._buckets[key], job.number)
        self._add_waiting(job)

    def _remove_status(self, job: ServiceJob) -> None:
        for key in self._status_keys(job):
            _remove(self._buckets[key], job.number)
        self._remove_waiting(job)

    @staticmethod
    def _status_keys(job: ServiceJob) -> tuple[BucketKey, BucketKey]:
        return (job.queue_arn, "status", job.status), (job.queue_arn, "share", job.share, "status", job.status)

    def _add_waiting(self, job: ServiceJob) -> None:
        if job.status == WAITING:
            insort(self._waiting[job.queue_arn, job.share], (job.order, job.number))

    def _remove_waiting(self, job: ServiceJob) -> None:
        if job.status == WAITING:
            _remove(self._waiting[job.queue_arn, job.share], (job.order, job.number))


def _remove(items: list[Item], item: Item) -> None:
    del items[bisect_left(items, item)]
