"""The least the handler needs to be allowed to do, and why."""

from functools import cache
from typing import TYPE_CHECKING, Any

from aws_cdk import Aws, Fn

from quota_constructs._cdk_releases import acknowledge

if TYPE_CHECKING:
    from constructs import IConstruct

OWNER_TAG_KEY = "quota-constructs:owner"
"""Tag of a managed share: the id of its stack, a slash, its logical id."""

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}],
}

_QUEUES = "arn:${AWS::Partition}:batch:${AWS::Region}:${AWS::AccountId}:job-queue/*"


def statements(log_group_arn: str) -> list[dict[str, Any]]:
    """Give the statements of the handler's role, in the policy language.

    Queues are addressed by pattern, because the role must exist before the queue whose change it guards; a reference
    would be circular. Shares are deleted only with the owner tag of this stack.

    Args:
        log_group_arn: Where the handler writes its lines.

    Source: Service Authorization Reference, AWS Batch: the describe calls and the job calls know no resource.
    """
    queues = _sub(_QUEUES)
    return [
        _allow("WriteOwnLog", ["logs:CreateLogStream", "logs:PutLogEvents"], log_group_arn),
        _allow(
            "FindOwnResources",
            [
                "cloudformation:DescribeStacks",
                "cloudformation:ListStackResources",
            ],
            _stack_id(),
        ),
        _allow(
            "ReadQueuesAndJobs",
            [
                "batch:DescribeJobQueues",
                "batch:DescribeServiceEnvironments",
                "batch:DescribeServiceJob",
                "batch:ListServiceJobs",
            ],
            "*",
        ),
        _allow(
            "ReadShares", ["batch:DescribeQuotaShare", "batch:GetJobQueueSnapshot", "batch:ListQuotaShares"], queues
        ),
        _allow(
            "ChangeShares",
            [
                "batch:CreateQuotaShare",
                "batch:TagResource",
                "batch:UntagResource",
                "batch:UpdateQuotaShare",
            ],
            queues,
        ),
        _allow("DeleteOwnShares", ["batch:DeleteQuotaShare"], queues)
        | {"Condition": {"StringLike": {f"aws:ResourceTag/{OWNER_TAG_KEY}": _sub("${AWS::StackId}/*")}}},
    ]


def acknowledge_wildcards(role: "IConstruct") -> None:
    """Acknowledge the wildcards that cdk-nag points at, with the reason for each.

    Args:
        role: The role with the statements.
    """
    acknowledge(
        role,
        {
            "AwsSolutions-IAM5[Resource::*]": (
                "AWS Batch knows no resource for describing queues and environments and for reading jobs"
            ),
            "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:batch:<AWS::Region>:<AWS::AccountId>:job-queue/*]": (
                "the role exists before the queue whose change it guards, so that it cannot name it; shares are "
                "deleted only with the owner tag of the stack"
            ),
        },
    )


@cache
def _sub(text: str) -> str:
    """Give a token that stands for the same in every stack, asked of the CDK once."""
    return Fn.sub(text)


@cache
def _stack_id() -> str:
    return Aws.STACK_ID


def _allow(sid: str, actions: list[str], resource: object) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}
