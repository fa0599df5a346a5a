"""Permissions on a quota share: to submit to it, to operate its jobs, to look at it."""

from typing import TYPE_CHECKING

from aws_cdk.aws_iam import Grant

from quota_constructs import _arns, _grant_values
from quota_constructs._job_arns import service_jobs
from quota_constructs.construct_rules import GRANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk.aws_iam import IGrantable, IRole

_PRIORITY = "batch:SchedulingPriority"


class QuotaShareGrants:
    """Permissions on one share, for roles and users of its account.

    Every policy names the share and its queue by their exact ARNs: a share's ARN lies below its queue's, so that
    `job-queue/*` would take in every share of every queue. Jobs have no share in their ARN; they are told apart by
    tags, which `submit` asks for and `operate` goes by.

    Args:
        quota_share_arn: ARN of the share, of whatever construct.
        job_queue_arn: ARN of its queue. By default taken from the share's.

    Example:
        share.grants.submit(role, max_priority=5, tags={"team": "vision"})
        share.grants.operate(role, tags={"team": "vision"}, max_priority=5)

    Source: Service Authorization Reference, AWS Batch.
    """

    def __init__(self, quota_share_arn: str, job_queue_arn: str | None = None) -> None:
        _arns.check("", {"quota_share_arn": quota_share_arn}, job_queue_arn=job_queue_arn)
        self._share_arn = quota_share_arn
        self._queue_arn = job_queue_arn or _arns.queue_arn_of_share(quota_share_arn)

    def submit(
        self,
        grantee: "IGrantable",
        *,
        max_priority: int | None = None,
        tags: "Mapping[str, str] | None" = None,
        execution_role: "IRole | None" = None,
    ) -> Grant:
        """Allow to submit jobs to this share, and to no other of the queue.

        Args:
            grantee: Who may.
            max_priority: Highest scheduling priority of a job, 0 to 9,999. A job without one passes: it has the
                service's default. By default any.
            tags: Tags that every job must carry, with these values. By default none are asked for.
            execution_role: Role that the training jobs run with; it may be passed to SageMaker, and to nothing else.
                By default the permission to pass one is given elsewhere.

        Returns:
            The grant.

        Raises:
            QuotaConstructError: The priority is out of range, or a tag is not text of the length that AWS takes.
            QuotaTypeError: A value has the wrong type.
        """
        _grant_values.check(grantee=grantee, tags=tags, max_priority=max_priority, execution_role=execution_role)
        jobs = service_jobs(grantee, self._queue_arn, self._share_arn)
        cap = _cap(max_priority)
        asked = _equal("aws:RequestTag", tags)
        grant = Grant.add_to_principal(
            grantee=grantee,
            actions=["batch:SubmitServiceJob"],
            resource_arns=[self._queue_arn, self._share_arn, jobs],
            conditions=_both(cap, asked) or None,
        )
        if tags:
            # Tagging at submission is an action of its own. Without the look at the tags a job has already, it would
            # let a team put its tag on another team's job, and operate that.
            own = _equal("aws:ResourceTag", tags, operator="StringEqualsIfExists")
            grant = grant.combine(
                Grant.add_to_principal(
                    grantee=grantee,
                    actions=["batch:TagResource"],
                    resource_arns=[jobs],
                    conditions=_both(asked, own),
                )
            )
        if execution_role is not None:
            grant = grant.combine(
                Grant.add_to_principal(
                    grantee=grantee,
                    actions=["iam:PassRole"],
                    resource_arns=[execution_role.role_arn],
                    conditions={"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}},
                )
            )
        return grant

    def operate(self, grantee: "IGrantable", *, tags: "Mapping[str, str]", max_priority: int | None = None) -> Grant:
        """Allow to change the priority of jobs and to terminate them, told apart by their tags.

        Args:
            grantee: Who may.
            tags: Tags of the jobs, at least one; what `submit` asks for.
            max_priority: Highest priority a job may be given, 0 to 9,999. By default any.

        Returns:
            The grant.

        Raises:
            QuotaConstructError: There are no tags, or one is not text of the length that AWS takes, or the priority is
                out of range.
            QuotaTypeError: A value has the wrong type.
        """
        _grant_values.check(grantee=grantee, tags=tags, max_priority=max_priority)
        if not tags:
            raise GRANT.broken(
                f"permission to operate jobs without tags, got tags={tags!r}; a job's ARN does not name its share: "
                "give at least one tag that submit() asks for"
            )
        jobs = [service_jobs(grantee, self._queue_arn, self._share_arn)]
        own = _equal("aws:ResourceTag", tags)
        return Grant.add_to_principal(
            grantee=grantee,
            actions=["batch:UpdateServiceJob"],
            resource_arns=jobs,
            conditions=_both(own, _cap(max_priority)),
        ).combine(
            Grant.add_to_principal(
                grantee=grantee, actions=["batch:TerminateServiceJob"], resource_arns=jobs, conditions=own
            )
        )

    def observe(self, grantee: "IGrantable") -> Grant:
        """Allow to look at the share, its queue and the jobs.

        The service cannot restrict the reading of jobs: whoever may read one may read all of the account and Region,
        their payloads included.

        Args:
            grantee: Who may.

        Returns:
            The grant.

        Raises:
            QuotaTypeError: The grantee is none.
        """
        return observe(grantee, self._queue_arn, self._share_arn)


def observe(grantee: "IGrantable", queue_arn: str, share_arn: str) -> Grant:
    """Allow to look at a queue, at shares of it and at jobs.

    Args:
        grantee: Who may.
        queue_arn: The queue.
        share_arn: The share, or a pattern of shares of that queue.

    Raises:
        QuotaTypeError: The grantee is none.
    """
    _grant_values.check(grantee=grantee)
    return (
        Grant.add_to_principal(
            grantee=grantee,
            actions=["batch:GetJobQueueSnapshot", "batch:ListQuotaShares"],
            resource_arns=[queue_arn],
        )
        .combine(
            Grant.add_to_principal(
                grantee=grantee,
                actions=["batch:DescribeQuotaShare", "batch:ListTagsForResource"],
                resource_arns=[share_arn],
            )
        )
        .combine(
            Grant.add_to_principal(
                grantee=grantee,
                actions=[
                    "batch:DescribeJobQueues",
                    "batch:DescribeSchedulingPolicies",
                    "batch:DescribeServiceEnvironments",
                    "batch:DescribeServiceJob",
                    "batch:ListServiceJobs",
                ],
                resource_arns=["*"],
            )
        )
    )


def _cap(max_priority: int | None) -> dict[str, dict[str, object]]:
    """Cap the priority; IfExists on purpose, because a job without a priority is no promotion."""
    return {} if max_priority is None else {"NumericLessThanEqualsIfExists": {_PRIORITY: max_priority}}


def _equal(key: str, tags: "Mapping[str, str] | None", operator: str = "StringEquals") -> dict[str, dict[str, object]]:
    return {operator: {f"{key}/{tag}": value for tag, value in tags.items()}} if tags else {}


def _both(first: dict[str, dict[str, object]], second: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Ask for two sets of conditions together."""
    return {
        operator: {**first.get(operator, {}), **second.get(operator, {})}
        for operator in dict.fromkeys([*first, *second])
    }
