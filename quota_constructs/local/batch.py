"""`LocalBatch`: the Batch API with quota management, inside a Python process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from quota_constructs.local.arns import DEFAULT_ACCOUNT, DEFAULT_REGION, Arns
from quota_constructs.local.clock import Clock, ManualClock
from quota_constructs.local.outbox import Outbox
from quota_constructs.local.service import Answer, Service
from quota_constructs.local.settings import Settings
from quota_constructs.local.training_jobs import TARGET, sagemaker_answer
from quota_scheduler import Knobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_batch import BatchClient

    from quota_constructs.local.authorization import Need
    from quota_constructs.local.event_log import EventLog
    from quota_constructs.local.faults import Faults
    from quota_scheduler import QueueState


class LocalBatch:
    """The Batch API with quota management for one account and Region.

    It can be used from several threads. Nothing listens on a network; `client` talks to it directly.

    Args:
        clock: where time comes from; a `ManualClock`, so that nothing happens until `advance`, unless given.
        region: the Region of its ARNs.
        account: the account of its ARNs.
        settings: delays and limits.
        knobs: answers to what AWS does not publish about its scheduler.
        seed: makes the ids of jobs repeat from run to run; different every time unless given.

    >>> batch = LocalBatch()
    >>> client = batch.client()
    >>> made = client.create_service_environment(
    ...     serviceEnvironmentName="gpus", serviceEnvironmentType="SAGEMAKER_TRAINING",
    ...     capacityLimits=[{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 3}])
    >>> batch.advance(5)
    >>> client.describe_service_environments()["serviceEnvironments"][0]["status"]
    'VALID'
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        region: str = DEFAULT_REGION,
        account: str = DEFAULT_ACCOUNT,
        settings: Settings | None = None,
        knobs: Knobs | None = None,
        seed: int | None = None,
    ) -> None:
        self._clock: Clock = clock or ManualClock()
        self._lock = threading.RLock()
        self._service = Service(self._clock, settings or Settings(), Arns(region, account), knobs or Knobs(), seed)
        self.faults: Faults = self._service.faults
        self.region = region
        self.account = account

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._clock

    @property
    def events(self) -> EventLog:
        """What has happened so far, oldest first."""
        return self._service.log

    def client(self, **config: Any) -> BatchClient:  # noqa: ANN401 - botocore's options
        """A boto3 client whose calls are answered here, without a network.

        Needs boto3, which comes with the extra `cli` or `local`.

        Args:
            config: options of `botocore.config.Config`.
        """
        from quota_constructs.local.client import connected_client

        return connected_client(self, **config)

    def advance(self, seconds: float) -> None:
        """Let time pass: everything that is due by then happens, each at its own time.

        Args:
            seconds: at least 0.
        """
        with self._lock:
            self._clock.advance(seconds)
            self._service.timing.settle()

    def settle(self) -> float | None:
        """Do what is due by the clock.

        Returns:
            Seconds of the clock until something else is due; None if nothing is planned.
        """
        with self._lock:
            self._service.timing.settle()
            return self._service.timing.seconds_to_next()

    def now(self) -> int:
        """The clock's time in milliseconds since 1970 UTC."""
        return self._clock.now()

    def outbox(self) -> Outbox:
        """A new outbox, which collects the EventBridge events and CloudWatch metrics from now on."""
        with self._lock:
            outbox = Outbox(self._service.store)
            self._service.log.listeners.append(outbox)
        return outbox

    def make_scarce(self, instance_type: str, available: int | None) -> None:
        """Change how many instances of a type can be had at all.

        Jobs that are SCHEDULED and do not get theirs wait, give up and are tried again, as with SageMaker.

        Args:
            instance_type: for example `ml.p5.48xlarge`.
            available: instances that can be had; None: as many as one likes.
        """
        with self._lock:
            self._service.timing.settle()
            self._service.scarcity.set(instance_type, available)
            self._service.timing.settle()

    def queue_state(self, queue: str) -> QueueState:
        """A job queue as the scheduling model sees it.

        Args:
            queue: name or ARN of a job queue.

        Raises:
            ClientException: there is no such queue.
        """
        with self._lock:
            self._service.timing.settle()
            return self._service.scheduler.state(self._service.store.queue(queue))

    def reach_lasting_status(self, arn: str) -> None:
        """Let a resource be VALID, or gone, without waiting; jobs that stand in the way end at once."""
        with self._lock:
            self._service.removal.end_at_once(arn)
            self._service.statuses.finish_now(arn)
            self._service.timing.settle()

    def checked_call(self, operation: str, members: dict[str, Any]) -> dict[str, Any]:
        """Do an operation without HTTP.

        Args:
            operation: its name, for example `CreateJobQueue`.
            members: of the request, as in the service model.

        Raises:
            ServiceError: the operation cannot be done, or the members do not fit the service model.
        """
        with self._lock:
            self._service.timing.settle()
            return self._service.checked_call(operation, members)

    def handle(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        query: Mapping[str, list[str]],
    ) -> Answer:
        """Answer an HTTP request to Batch, or to SageMaker about a service job's training job.

        Args:
            method: HTTP method.
            path: path of the URL, decoded.
            headers: the request's headers, names in lower case.
            body: the request's body.
            query: query parameters, each with its values.

        Returns:
            Status, headers and body.
        """
        target = headers.get("x-amz-target", "")
        with self._lock:
            if target.startswith(TARGET):
                self._service.timing.settle()
                return sagemaker_answer(self._service, target, body)
            return self._service.handle(method, path, body, query)

    def needs(self, method: str, path: str, body: bytes, query: Mapping[str, list[str]]) -> tuple[Need, ...]:
        """Give what must be allowed for an HTTP request, by the Service Authorization Reference.

        Args:
            method: HTTP method.
            path: path of the URL, decoded.
            body: the request's body.
            query: query parameters, each with its values.

        Returns:
            Actions with their resources; nothing for a request that is refused anyway.
        """
        with self._lock:
            return self._service.needs(method, path, body, query)
