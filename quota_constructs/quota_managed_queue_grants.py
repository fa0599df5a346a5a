"""Permissions on a queue with quota shares: to look at it, and to run it."""

from typing import TYPE_CHECKING

from aws_cdk.aws_iam import Grant

from quota_constructs import _arns
from quota_constructs.quota_share_grants import observe

if TYPE_CHECKING:
    from aws_cdk.aws_iam import IGrantable


class QuotaManagedQueueGrants:
    """Permissions on one queue and all of its shares, for those who run it.

    Args:
        job_queue_arn: ARN of the queue, of whatever construct.
        service_environment_arn: ARN of its environment. By default not known, and left out.
        scheduling_policy_arn: ARN of its policy. By default not known, and left out.

    Source: Service Authorization Reference, AWS Batch.
    """

    def __init__(
        self,
        job_queue_arn: str,
        service_environment_arn: str | None = None,
        scheduling_policy_arn: str | None = None,
    ) -> None:
        _arns.check(
            "",
            {"job_queue_arn": job_queue_arn},
            service_environment_arn=service_environment_arn,
            scheduling_policy_arn=scheduling_policy_arn,
        )
        self._queue_arn = job_queue_arn
        self._environment_arn = service_environment_arn
        self._policy_arn = scheduling_policy_arn

    def observe(self, grantee: "IGrantable") -> Grant:
        """Allow to look at the queue, its shares and the jobs.

        Args:
            grantee: Who may.

        Returns:
            The grant.

        Raises:
            QuotaTypeError: The grantee is none.
        """
        return observe(grantee, self._queue_arn, self._shares)

    def administer(self, grantee: "IGrantable") -> Grant:
        """Allow to look at the queue, and to change it, its environment and its shares; deleting a share ends its jobs.

        Queue, environment and policy can be changed and not deleted. Changes that go past the stack go past its
        guard as well.

        Args:
            grantee: Who may.

        Returns:
            The grant.

        Raises:
            QuotaTypeError: The grantee is none.
        """
        grant = self.observe(grantee).combine(
            Grant.add_to_principal(
                grantee=grantee,
                actions=["batch:CreateQuotaShare"],
                resource_arns=[self._queue_arn, self._shares],
            )
        )
        grant = grant.combine(
            Grant.add_to_principal(
                grantee=grantee,
                actions=[
                    "batch:DeleteQuotaShare",
                    "batch:TagResource",
                    "batch:UntagResource",
                    "batch:UpdateQuotaShare",
                ],
                resource_arns=[self._shares],
            )
        )
        policy = [] if self._policy_arn is None else [self._policy_arn]
        grant = grant.combine(
            Grant.add_to_principal(
                grantee=grantee, actions=["batch:UpdateJobQueue"], resource_arns=[self._queue_arn, *policy]
            )
        )
        if self._environment_arn is None:
            return grant
        return grant.combine(
            Grant.add_to_principal(
                grantee=grantee,
                actions=["batch:UpdateServiceEnvironment"],
                resource_arns=[self._environment_arn],
            )
        )

    @property
    def _shares(self) -> str:
        return f"{self._queue_arn}/quota-share/*"
