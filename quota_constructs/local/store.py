"""Everything the local Batch knows of one account and Region, and how a request finds it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from quota_constructs.local.errors import NotThereError
from quota_constructs.local.job_index import JobIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_constructs.local.arns import Arns
    from quota_constructs.local.records import (
        Attempt,
        JobQueue,
        QuotaShare,
        SchedulingPolicy,
        ServiceEnvironment,
        ServiceJob,
    )

Resource = TypeVar("Resource")


class Store:
    """Resources by ARN, service jobs by everything one asks for.

    Args:
        arns: the ARNs of the account and Region.
    """

    def __init__(self, arns: Arns) -> None:
        self.arns = arns
        self.policies: dict[str, SchedulingPolicy] = {}
        self.environments: dict[str, ServiceEnvironment] = {}
        self.queues: dict[str, JobQueue] = {}
        self.shares: dict[str, QuotaShare] = {}
        self.jobs = JobIndex()
        self.training_jobs: dict[str, tuple[ServiceJob, Attempt]] = {}
        self.client_tokens: dict[str, str] = {}
        self.usage: dict[tuple[str, str], Counter[str]] = {}

    def policy(self, arn: str) -> SchedulingPolicy:
        """The scheduling policy with this ARN, or NotThereError."""
        return _known(self.policies, arn, "scheduling policy", arn)

    def environment(self, name_or_arn: str) -> ServiceEnvironment:
        """The service environment with this name or ARN, or NotThereError."""
        arn = self.arns.resolve("service-environment", name_or_arn)
        return _known(self.environments, arn, "service environment", name_or_arn)

    def queue(self, name_or_arn: str) -> JobQueue:
        """The job queue with this name or ARN, or NotThereError."""
        return _known(self.queues, self.arns.resolve("job-queue", name_or_arn), "job queue", name_or_arn)

    def share(self, arn: str) -> QuotaShare:
        """The quota share with this ARN, or NotThereError."""
        return _known(self.shares, arn, "quota share", arn)

    def job(self, id_or_arn: str) -> ServiceJob:
        """The service job with this id or ARN, or NotThereError."""
        job = self.jobs.get(id_or_arn)
        if job is None:
            raise NotThereError(f"service job {id_or_arn} does not exist")
        return job

    def shares_of(self, queue: JobQueue) -> list[QuotaShare]:
        """The quota shares of a queue in the order of their creation."""
        return [share for share in self.shares.values() if share.queue_arn == queue.arn]

    def queue_of(self, environment: ServiceEnvironment) -> JobQueue | None:
        """The queue that is tied to a service environment."""
        return next((queue for queue in self.queues.values() if self.environment_of(queue) is environment), None)

    def has_quota_shares(self, queue: JobQueue) -> bool:
        """Whether a queue is one of quota management: its scheduling policy has a quota-share policy."""
        policy = self.policies.get(queue.scheduling_policy_arn or "")
        return policy is not None and policy.quota_share_policy is not None

    def environment_of(self, queue: JobQueue) -> ServiceEnvironment | None:
        """The service environment of a queue; None once it is gone."""
        return self.environments.get(self.arns.resolve("service-environment", queue.environment))

    def used(self, queue_arn: str, share: str) -> Mapping[str, int]:
        """Instances that a share's dispatched jobs hold, by type."""
        return self.usage.get((queue_arn, share), Counter())


def _known(resources: dict[str, Resource], arn: str, kind: str, asked: str) -> Resource:
    resource = resources.get(arn)
    if resource is None:
        raise NotThereError(f"{kind} {asked} does not exist")
    return resource
