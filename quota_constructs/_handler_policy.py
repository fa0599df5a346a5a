"""The least the handler needs to be allowed to do, and why."""

from typing import TYPE_CHECKING

from aws_cdk import Aws
from aws_cdk.aws_iam import PolicyDocument, PolicyStatement

if TYPE_CHECKING:
    from aws_cdk.aws_iam import IRole
    from aws_cdk.aws_sns import ITopic

OWNER_TAG_KEY = "quota-constructs:owner"


def statements(log_group_arn: str) -> list[PolicyStatement]:
    """Give the statements of the handler's role.

    Queues are addressed by pattern, because the role must exist before the queue whose change it guards; a reference
    would be circular. Shares are deleted only with the owner tag of this stack.

    Source: Service Authorization Reference, AWS Batch: the describe calls and the job calls know no resource.
    """
    queues = f"arn:{Aws.PARTITION}:batch:{Aws.REGION}:{Aws.ACCOUNT_ID}:job-queue/*"
    shares = f"{queues}/quota-share/*"
    return [
        PolicyStatement(
            sid="WriteOwnLog",
            actions=["logs:CreateLogStream", "logs:PutLogEvents"],
            resources=[log_group_arn],
        ),
        PolicyStatement(
            sid="FindOwnResources",
            actions=[
                "cloudformation:DescribeStackResource",
                "cloudformation:DescribeStackResources",
                "cloudformation:DescribeStacks",
                "cloudformation:ListStackResources",
            ],
            resources=[Aws.STACK_ID],
        ),
        PolicyStatement(
            sid="ReadQueuesAndJobs",
            actions=[
                "batch:DescribeJobQueues",
                "batch:DescribeSchedulingPolicies",
                "batch:DescribeServiceEnvironments",
                "batch:DescribeServiceJob",
                "batch:ListServiceJobs",
            ],
            resources=["*"],
        ),
        PolicyStatement(
            sid="ReadShares",
            actions=["batch:DescribeQuotaShare", "batch:GetJobQueueSnapshot", "batch:ListQuotaShares"],
            resources=[queues],
        ),
        PolicyStatement(
            sid="ChangeShares",
            actions=[
                "batch:CreateQuotaShare",
                "batch:ListTagsForResource",
                "batch:TagResource",
                "batch:UntagResource",
                "batch:UpdateQuotaShare",
            ],
            resources=[queues],
        ),
        PolicyStatement(
            sid="DeleteOwnShares",
            actions=["batch:DeleteQuotaShare"],
            resources=[shares],
            conditions={"StringLike": {f"aws:ResourceTag/{OWNER_TAG_KEY}": f"{Aws.STACK_ID}/*"}},
        ),
    ]


def document(policy: list[PolicyStatement]) -> PolicyDocument:
    """Put the statements into one inline policy, so that no policy resource can go before the function on deletion."""
    return PolicyDocument(statements=policy)


def acknowledge(role: "IRole") -> None:
    """Acknowledge, with the reason, the wildcards that a security check will point at."""


def grant_publish(role: "IRole", topic: "ITopic") -> None:
    """Let the handler publish assessments."""
    topic.grant_publish(role)
