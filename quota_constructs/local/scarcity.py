"""Which instances can be had at all: capacity that SageMaker itself lacks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quota_constructs.local.records import ServiceJob


class Scarcity:
    """The instances of scarce types, and the scheduled jobs that wait for them, first come first served.

    Args:
        available: instances by type; types that are not named are plenty.
    """

    def __init__(self, available: Mapping[str, int]) -> None:
        self._available = dict(available)
        self._held: Counter[str] = Counter()
        self._holders: set[str] = set()
        self._queue: list[ServiceJob] = []
        self.came: Callable[[ServiceJob], None]

    def set(self, instance_type: str, available: int | None) -> None:
        """Make a type scarce, or plenty again.

        Args:
            instance_type: for example `ml.p5.48xlarge`.
            available: how many instances can be had; None: as many as one likes.
        """
        if available is None:
            self._available.pop(instance_type, None)
        else:
            self._available[instance_type] = available
        self._serve()

    def take(self, job: ServiceJob) -> bool:
        """Give a job its instances, if they can be had."""
        for instance_type, count in job.uses.items():
            if self._held[instance_type] + count > self._available.get(instance_type, float("inf")):
                return False
        self._held.update(job.uses)
        self._holders.add(job.id)
        return True

    def queue(self, job: ServiceJob) -> None:
        """Let a job wait for instances."""
        self._queue.append(job)

    def forget(self, job: ServiceJob) -> None:
        """Let a job wait no more."""
        if job in self._queue:
            self._queue.remove(job)

    def give_back(self, job: ServiceJob) -> None:
        """Take back what a job holds."""
        self.forget(job)
        if job.id in self._holders:
            self._holders.remove(job.id)
            self._held.subtract(job.uses)
            self._serve()

    def _serve(self) -> None:
        for job in tuple(self._queue):
            if self.take(job):
                self._queue.remove(job)
                self.came(job)
