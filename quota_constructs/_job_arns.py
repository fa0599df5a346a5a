"""ARNs of the jobs of a queue: in its account and Region, wherever the role is that gets permission on them."""

from typing import TYPE_CHECKING, cast

from aws_cdk import Aws, CfnResource, Reference, Stack, Tokenization
from constructs import Construct

from quota_constructs import _arns

if TYPE_CHECKING:
    from aws_cdk.aws_iam import IGrantable
    from constructs import IConstruct


def service_jobs(grantee: "IGrantable", queue_arn: str, share_arn: str) -> str:
    """Give the pattern of the jobs in the account and Region of a queue; a job's ARN names neither queue nor share.

    The pseudo parameters of a template stand for the place of its own stack. Where the role's stack is in another
    place than the queue's, the queue's is written out.

    Args:
        grantee: Who gets a permission on the jobs.
        queue_arn: The queue.
        share_arn: A share of it.
    """
    arns = (queue_arn, share_arn)
    place = next((place for arn in arns if (place := _arns.place_of(arn)) is not None), None)
    account, region = _place_of_stack(grantee, *arns) if place is None else place
    partition = next((known for arn in arns if (known := _arns.partition_of(arn)) is not None), Aws.PARTITION)
    return f"arn:{partition}:batch:{region}:{account}:service-job/*"


def _place_of_stack(grantee: "IGrantable", *arns: str) -> tuple[str, str]:
    principal = grantee.grant_principal
    declared_in = next((stack for arn in arns if (stack := _stack_behind(arn)) is not None), None)
    if declared_in is None or not Construct.is_construct(principal):
        return Aws.ACCOUNT_ID, Aws.REGION
    own = Stack.of(cast("IConstruct", principal))
    return (
        Aws.ACCOUNT_ID if own.account == declared_in.account else declared_in.account,
        Aws.REGION if own.region == declared_in.region else declared_in.region,
    )


def _stack_behind(arn: str) -> Stack | None:
    """Give the stack of the resource whose ARN it is; None for an ARN that comes from elsewhere."""
    for token in Tokenization.reverse_string(arn).tokens:
        if Reference.is_reference(token):
            target = cast("Reference", token).target
            if CfnResource.is_cfn_resource(target):
                return Stack.of(target)
    return None
