"""The local Batch of one account and Region: its parts, and how a request runs through them."""

from __future__ import annotations

import json
import logging
import random
import uuid
from typing import TYPE_CHECKING

from quota_constructs.local.authorization import Need, needs_of
from quota_constructs.local.errors import ClientException, ServerException, ServiceError
from quota_constructs.local.event_log import EventLog
from quota_constructs.local.faults import LATENCY, LOST_RESPONSE, FaultRule, Faults, refusal
from quota_constructs.local.heads import Heads
from quota_constructs.local.job_lifecycle import JobLifecycle
from quota_constructs.local.operations import OPERATIONS
from quota_constructs.local.removal import Removal
from quota_constructs.local.scarcity import Scarcity
from quota_constructs.local.scheduling import Scheduler
from quota_constructs.local.service_model import Route, check_request, parse_request, route
from quota_constructs.local.statuses import HasStatus, Statuses
from quota_constructs.local.store import Store
from quota_constructs.local.submission_rate import SubmissionRate
from quota_constructs.local.timing import Timing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.arns import Arns
    from quota_constructs.local.clock import Clock
    from quota_constructs.local.records import Members
    from quota_constructs.local.settings import Settings
    from quota_scheduler import Knobs

_logger = logging.getLogger(__name__)

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body of an HTTP response."""


class Ids:
    """Ids of jobs and attempts.

    Args:
        seed: makes them repeat from run to run; different every time unless given.
    """

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - ids, not secrets

    def job(self, number: int) -> str:
        """An id for a service job; those of later jobs sort behind it, as the scheduler breaks ties by id.

        Args:
            number: the job's place in the order of submission.
        """
        return str(uuid.UUID(int=(number << 96) | self._random.getrandbits(96), version=4))

    def attempt(self) -> str:
        """32 hexadecimal digits for the name of a training job."""
        return f"{self._random.getrandbits(128):032x}"


class Service:
    """All parts of the local Batch, wired together.

    Args:
        clock: where time comes from.
        settings: delays and limits.
        arns: account and Region.
        knobs: answers to what AWS does not publish about the scheduler.
        seed: makes ids repeat; different every time unless given.
    """

    def __init__(self, clock: Clock, settings: Settings, arns: Arns, knobs: Knobs, seed: int | None) -> None:
        self.timing = Timing(clock, settings)
        self.log = EventLog(self.timing.now, settings.event_log_limit)
        self.store = Store(arns)
        self.ids = Ids(seed)
        self.scarcity = Scarcity(settings.scarce)
        self.jobs = JobLifecycle(self.store, self.timing, self.log, self.scarcity, self.ids.attempt)
        self.scarcity.came = self.jobs.instances_came
        self.heads = Heads(self.store, self.timing, self.log, self.jobs)
        self.scheduler = Scheduler(self.store, self.timing, self.log, self.jobs, self.heads, knobs)
        self.jobs.watcher = self.scheduler
        self.statuses = Statuses(self.timing, self._status_changed)
        self.removal = Removal(self.store, self.timing, self.log, self.jobs, self.statuses)
        self.faults = Faults(self._fault_struck, self.statuses.release)
        self.submissions = SubmissionRate(settings.submit_rate)

    def _fault_struck(self, fault: str, operation: str) -> None:
        self.log.add("fault", operation, fault=fault)

    def _status_changed(self, resource: HasStatus) -> None:
        self.log.add("resource", resource.arn, status=resource.status)

    def handle(self, method: str, path: str, body: bytes, query: Mapping[str, list[str]]) -> Answer:
        """Answer an HTTP request.

        Args:
            method: HTTP method.
            path: path of the URL, decoded.
            body: the request's body.
            query: query parameters, each with its values.
        """
        try:
            self.timing.settle()
            found = route(method, path)
            if found.operation not in OPERATIONS:
                raise ClientException(f"{found.operation} is not part of the local Batch: it has quota management only")
            rule = self.faults.next(found.operation)
            status, headers, content = self._answer(found, body, query, rule)
        except ServiceError as error:
            return error_answer(error)
        except Exception:  # the edge of the service: a client must get an answer
            _logger.exception("%s %s failed", method, path)
            return error_answer(ServerException("the local Batch failed; its log says why"))
        if rule is not None and rule.fault == "latency":
            headers[LATENCY] = str(rule.seconds)
        elif rule is not None and rule.fault == "lost_response":
            headers[LOST_RESPONSE] = "1"
        return status, headers, content

    def needs(self, method: str, path: str, body: bytes, query: Mapping[str, list[str]]) -> tuple[Need, ...]:
        """Give what must be allowed for an HTTP request; nothing for one that is refused anyway."""
        try:
            found = route(method, path)
            members = parse_request(found.operation, found.path_members, query, body)
        except ServiceError:
            return ()
        return needs_of(self.store, found.operation, members)

    def _answer(self, found: Route, body: bytes, query: Mapping[str, list[str]], rule: FaultRule | None) -> Answer:
        if rule is not None and (error := refusal(rule)) is not None:
            raise error
        try:
            members = parse_request(found.operation, found.path_members, query, body)
            with self.statuses.hanging_if(rule is not None and rule.fault == "hanging_status"):
                answer = self.call(found.operation, members)
        except ServiceError as error:
            return error_answer(error)
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()

    def checked_call(self, operation: str, members: Members) -> Members:
        """Do an operation for somebody who does not come over HTTP; of the faults, only hanging statuses strike.

        Raises:
            ServiceError: the members do not fit the service model, or the operation cannot be done.
        """
        check_request(operation, members)
        rule = self.faults.next(operation)
        with self.statuses.hanging_if(rule is not None and rule.fault == "hanging_status"):
            return self.call(operation, members)

    def call(self, operation: str, members: Members) -> Members:
        """Do an operation with members that were checked before.

        Raises:
            ServiceError: the operation cannot be done.
        """
        answer = OPERATIONS[operation](self, members)
        self.timing.settle()
        return answer


def error_answer(error: ServiceError) -> Answer:
    """The HTTP response for an error, in the form the service model declares."""
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": error.code}
    return error.status, headers, json.dumps({"message": error.message}).encode()
