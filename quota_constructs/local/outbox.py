"""Events and metrics on their way out of a local Batch, to whoever fetches them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from quota_constructs.local.cloud_events import CloudEvent, cloud_event
from quota_constructs.local.cloud_metrics import CloudMetrics, MetricDatum

if TYPE_CHECKING:
    from quota_constructs.local.event_log import Record
    from quota_constructs.local.store import Store


class Outbox:
    """Collects what a local Batch publishes from now on.

    Args:
        store: where the jobs are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._metrics = CloudMetrics()
        self.events: deque[CloudEvent] = deque()
        self.metrics: deque[MetricDatum] = deque()

    def __call__(self, record: Record) -> None:
        """Take in a record of the event log."""
        event = cloud_event(record, self._store)
        if event is not None:
            self.events.append(event)
        self.metrics.extend(self._metrics.values(record))
