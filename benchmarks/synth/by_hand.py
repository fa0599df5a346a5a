"""The same resources with the L1 constructs alone, as one would write them down for this one stack."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

from aws_cdk import App, Aws, CfnParameter, CfnResource, IgnoreMode, Stack
from aws_cdk.aws_batch import CfnJobQueue, CfnQuotaShare, CfnSchedulingPolicy, CfnServiceEnvironment
from aws_cdk.aws_iam import CfnRole
from aws_cdk.aws_lambda import CfnEventInvokeConfig, CfnFunction
from aws_cdk.aws_logs import CfnLogGroup
from aws_cdk.aws_s3_assets import Asset

TYPES = ["ml.g5.xlarge", "ml.g5.2xlarge", "ml.g5.4xlarge", "ml.g5.8xlarge", "ml.g5.12xlarge"]
QUEUES = f"arn:{Aws.PARTITION}:batch:{Aws.REGION}:{Aws.ACCOUNT_ID}:job-queue/*"


def statement(actions: list[str], resource: str) -> dict[str, object]:
    return {"Effect": "Allow", "Action": actions, "Resource": resource}


def handler(stack: Stack) -> tuple[CfnFunction, CfnEventInvokeConfig]:
    spec = find_spec("quota_handler")
    code = Asset(
        stack,
        "Code",
        path=str(Path(spec.submodule_search_locations[0]).parent),
        exclude=["/*", "!/quota_handler", "!/quota_live", "!/quota_scheduler", "__pycache__", "*.pyc", ".*"],
        ignore_mode=IgnoreMode.GIT,
    )
    log_group = CfnLogGroup(stack, "Log", retention_in_days=180)
    role = CfnRole(
        stack,
        "Role",
        assume_role_policy_document={
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
            ],
        },
        policies=[
            CfnRole.PolicyProperty(
                policy_name="Handler",
                policy_document={
                    "Version": "2012-10-17",
                    "Statement": [
                        statement(["logs:CreateLogStream", "logs:PutLogEvents"], log_group.attr_arn),
                        statement(
                            [
                                "cloudformation:DescribeStackResource",
                                "cloudformation:DescribeStackResources",
                                "cloudformation:DescribeStacks",
                                "cloudformation:ListStackResources",
                            ],
                            Aws.STACK_ID,
                        ),
                        statement(
                            [
                                "batch:DescribeJobQueues",
                                "batch:DescribeSchedulingPolicies",
                                "batch:DescribeServiceEnvironments",
                                "batch:DescribeServiceJob",
                                "batch:ListServiceJobs",
                            ],
                            "*",
                        ),
                        statement(
                            ["batch:DescribeQuotaShare", "batch:GetJobQueueSnapshot", "batch:ListQuotaShares"], QUEUES
                        ),
                        statement(
                            [
                                "batch:CreateQuotaShare",
                                "batch:DeleteQuotaShare",
                                "batch:ListTagsForResource",
                                "batch:TagResource",
                                "batch:UntagResource",
                                "batch:UpdateQuotaShare",
                            ],
                            QUEUES,
                        ),
                    ],
                },
            )
        ],
    )
    function = CfnFunction(
        stack,
        "Function",
        code=CfnFunction.CodeProperty(s3_bucket=code.s3_bucket_name, s3_key=code.s3_object_key),
        handler="quota_handler.handler.on_event",
        runtime="python3.14",
        role=role.attr_arn,
        timeout=600,
        memory_size=512,
        logging_config=CfnFunction.LoggingConfigProperty(log_group=log_group.ref),
    )
    retries = CfnEventInvokeConfig(
        stack, "NoRetries", function_name=function.ref, qualifier="$LATEST", maximum_retry_attempts=0
    )
    return function, retries


def build(outdir: str, lifecycle: str) -> None:
    """Synthesize into a folder."""
    app = App(outdir=outdir, builtin_cloud_formation_validation=False)
    stack = Stack(app, "Bench")
    function, retries = handler(stack)
    limits = [{"capacityUnit": unit, "maxCapacity": 2} for unit in TYPES]
    shares = [
        {
            "path": f"Bench/Training/Share{n}",
            "logicalId": f"Share{n}",
            "name": f"Share{n}",
            "capacityLimits": limits,
            "resourceSharingConfiguration": {"strategy": "RESERVE"},
            "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
            "state": "ENABLED",
            "lifecycle": lifecycle.upper(),
            "onRemoval": "REFUSE_IF_BUSY",
        }
        for n in range(20)
    ]
    queue_entry = {
        "path": "Bench/Training",
        "queue": {"logicalId": "Queue", "name": None, "arn": None, "state": "ENABLED"},
        "environment": {
            "logicalId": "Environment",
            "name": None,
            "state": "ENABLED",
            "capacityLimits": [{"capacityUnit": unit, "maxCapacity": 40} for unit in TYPES],
        },
        "schedulingPolicy": {"logicalId": "Policy", "name": None},
        "jobStateTimeLimitActions": [],
        "allowOversubscription": False,
        "shares": shares,
    }
    acknowledge = CfnParameter(stack, "QuotaAcknowledge", type="String", default="")
    guard = CfnResource(
        stack,
        "Guard",
        type="Custom::QuotaGuard",
        properties={
            "ServiceToken": function.attr_arn,
            "ServiceTimeout": 660,
            "Proposal": json.dumps({"version": 1, "queues": [queue_entry]}),
            "Policy": json.dumps({"version": 1}),
            "Acknowledge": acknowledge.value_as_string,
        },
    )
    guard.add_resource_dependency(retries)
    policy = CfnSchedulingPolicy(
        stack,
        "Policy",
        quota_share_policy=CfnSchedulingPolicy.QuotaSharePolicyProperty(idle_resource_assignment_strategy="FIFO"),
    )
    environment = CfnServiceEnvironment(
        stack,
        "Environment",
        service_environment_type="SAGEMAKER_TRAINING",
        state="ENABLED",
        capacity_limits=[
            CfnServiceEnvironment.CapacityLimitProperty(capacity_unit=unit, max_capacity=40) for unit in TYPES
        ],
    )
    queue = CfnJobQueue(
        stack,
        "Queue",
        job_queue_type="SAGEMAKER_TRAINING",
        priority=1,
        state="ENABLED",
        scheduling_policy_arn=policy.attr_arn,
        service_environment_order=[
            CfnJobQueue.ServiceEnvironmentOrderProperty(
                order=1, service_environment=environment.attr_service_environment_arn
            )
        ],
    )
    for resource in (policy, environment, queue):
        resource.add_resource_dependency(guard)
    for share in shares:
        make = native if lifecycle == "native" else managed
        make(stack, share, queue.attr_job_queue_arn, function).add_resource_dependency(guard)
    app.synth()


def managed(stack: Stack, share: dict, queue_arn: str, function: CfnFunction) -> CfnResource:
    return CfnResource(
        stack,
        share["logicalId"],
        type="Custom::QuotaShare",
        properties={
            "ServiceToken": function.attr_arn,
            "ServiceTimeout": 660,
            "Share": json.dumps(
                {"version": 1, "quotaShareName": share["name"], "capacityLimits": share["capacityLimits"]}
            ),
            "JobQueue": queue_arn,
            "OnRemoval": "REFUSE_IF_BUSY",
            "AdoptExisting": "false",
        },
    )


def native(stack: Stack, share: dict, queue_arn: str, function: CfnFunction) -> CfnResource:
    return CfnQuotaShare(
        stack,
        share["logicalId"],
        job_queue=queue_arn,
        quota_share_name=share["name"],
        capacity_limits=[
            CfnQuotaShare.QuotaShareCapacityLimitProperty(
                capacity_unit=limit["capacityUnit"], max_capacity=limit["maxCapacity"]
            )
            for limit in share["capacityLimits"]
        ],
        resource_sharing_configuration=CfnQuotaShare.QuotaShareResourceSharingConfigurationProperty(strategy="RESERVE"),
        preemption_configuration=CfnQuotaShare.QuotaSharePreemptionConfigurationProperty(
            in_share_preemption="DISABLED"
        ),
        state="ENABLED",
    )


if __name__ == "__main__":
    build(*sys.argv[1:])
