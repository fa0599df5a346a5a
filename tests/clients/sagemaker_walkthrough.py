"""Runs AWS's published quota-management walkthrough with the unmodified SageMaker Python SDK.

Run by test_sagemaker_sdk.py in the SDK's own environment; prints what it saw as one JSON object. The clock of the
local Batch stands still; `pass_time` moves it. Source: SageMaker Python SDK, example notebook "Getting started with
quota management".
"""

from __future__ import annotations

import json
import logging
import os
import sys
import urllib.request
from typing import Any

import boto3
from sagemaker.core.helper.session_helper import Session
from sagemaker.core.shapes import OutputDataConfig, StoppingCondition
from sagemaker.core.training.configs import Compute
from sagemaker.train import ModelTrainer
from sagemaker.train.aws_batch.exception import NoTrainingJob
from sagemaker.train.aws_batch.training_queue import TrainingQueue

logging.disable(logging.CRITICAL)
ENDPOINT = os.environ["AWS_ENDPOINT_URL"]
QUEUE = "qm-queue"
G5 = "ml.g5.xlarge"
batch = boto3.client("batch")


def pass_time(seconds: float) -> None:
    request = urllib.request.Request(
        f"{ENDPOINT}/_quota/advance", data=json.dumps({"seconds": seconds}).encode(), method="POST"
    )
    urllib.request.urlopen(request, timeout=30).close()


def create_resources() -> None:
    policy = batch.create_scheduling_policy(
        name="qm-policy", quotaSharePolicy={"idleResourceAssignmentStrategy": "FIFO"}
    )
    batch.create_service_environment(
        serviceEnvironmentName="qm-environment",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        state="ENABLED",
        capacityLimits=[{"maxCapacity": 3, "capacityUnit": G5}],
    )
    pass_time(2)
    batch.create_job_queue(
        jobQueueName=QUEUE,
        state="ENABLED",
        schedulingPolicyArn=policy["arn"],
        priority=1,
        serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": "qm-environment"}],
        computeEnvironmentOrder=[],
        jobQueueType="SAGEMAKER_TRAINING",
    )
    pass_time(2)
    for name, sharing, in_share in [
        ("QS1", {"strategy": "LEND_AND_BORROW", "borrowLimit": 200}, "ENABLED"),
        ("QS2", {"strategy": "LEND"}, "DISABLED"),
        ("QS3", {"strategy": "RESERVE"}, "DISABLED"),
    ]:
        batch.create_quota_share(
            quotaShareName=name,
            jobQueue=QUEUE,
            capacityLimits=[{"maxCapacity": 1, "capacityUnit": G5}],
            resourceSharingConfiguration=sharing,
            preemptionConfiguration={"inSharePreemption": in_share},
            state="ENABLED",
        )
    pass_time(2)


def trainer(name: str) -> ModelTrainer:
    return ModelTrainer(
        sagemaker_session=Session(boto_session=boto3.Session()),
        training_image="000000000000.dkr.ecr.eu-west-1.amazonaws.com/train:1",
        role="arn:aws:iam::000000000000:role/training",
        base_job_name=name,
        compute=Compute(instance_type=G5, instance_count=1, volume_size_in_gb=30),
        output_data_config=OutputDataConfig(s3_output_path="s3://training/output"),
        stopping_condition=StoppingCondition(max_runtime_in_seconds=300),
    )


def walk() -> dict[str, Any]:
    seen: dict[str, Any] = {}
    queue = TrainingQueue(QUEUE)

    def submit(name: str, share: str, priority: int, **more: Any) -> Any:
        return queue.submit(
            training_job=trainer(name.replace("_", "-")), inputs=None, job_name=name, priority=priority,
            quota_share_name=share, **more,
        )  # fmt: skip

    jobs = {name: submit(name, "QS1", priority) for name, priority in
            (("qs1_job_high", 3), ("qs1_job_med", 2), ("qs1_job_low", 1))}  # fmt: skip

    def statuses() -> dict[str, str]:
        return {name: job.describe()["status"] for name, job in jobs.items()}

    pass_time(30)
    seen["borrowed"] = statuses()
    jobs["qs2_job_1"] = submit("qs2_job_1", "QS2", 1, preemption_config={"preemptionRetriesBeforeTermination": 3})
    pass_time(60)
    seen["cross-share"] = statuses()
    summary = jobs["qs1_job_med"].describe()["preemptionSummary"]
    seen["reason"] = summary["recentPreemptedAttempts"][0]["statusReason"]
    seen["updated"] = jobs["qs1_job_low"].update(scheduling_priority=4)["jobName"]
    pass_time(60)
    seen["in-share"] = statuses()
    seen["priority"] = jobs["qs1_job_low"].describe()["schedulingPriority"]

    seen["by name"] = [job.job_name for job in queue.list_jobs("qs1_job_*")]
    seen["one"] = queue.get_job("qs1_job_high").quota_share_name
    seen["running"] = sorted(job.job_name for job in queue.list_jobs())
    seen["of a share"] = [job.job_name for job in queue.list_jobs_by_share("RUNNABLE", quota_share_name="QS1")]
    try:
        jobs["qs1_job_high"].get_model_trainer()
    except NoTrainingJob as error:
        seen["no training job"] = str(error)
    name = jobs["qs1_job_low"].get_model_trainer()._latest_training_job.training_job_name
    seen["training job"] = name

    jobs["qs2_job_1"].terminate("enough")
    pass_time(60)
    ended = jobs["qs2_job_1"].wait(timeout=10)
    seen["terminated"] = [ended["status"], ended["statusReason"]]
    pass_time(3600)
    seen["at last"] = statuses()
    seen["result"] = jobs["qs1_job_med"].result(timeout=10)["status"]
    mapped = queue.map(trainer("mapped"), [None, None], ["m1", "m2"], quota_share_name="QS3")
    seen["mapped"] = [job.job_name for job in mapped]
    return seen


def clean_up() -> None:
    for share in batch.list_quota_shares(jobQueue=QUEUE)["quotaShares"]:
        batch.update_quota_share(quotaShareArn=share["quotaShareArn"], state="DISABLED")
        pass_time(2)
        batch.delete_quota_share(quotaShareArn=share["quotaShareArn"])
        pass_time(60)
    batch.update_job_queue(jobQueue=QUEUE, state="DISABLED")
    pass_time(2)
    batch.delete_job_queue(jobQueue=QUEUE)
    pass_time(60)
    [policy] = batch.list_scheduling_policies()["schedulingPolicies"]
    batch.delete_scheduling_policy(arn=policy["arn"])
    batch.update_service_environment(serviceEnvironment="qm-environment", state="DISABLED")
    pass_time(2)
    batch.delete_service_environment(serviceEnvironment="qm-environment")
    pass_time(2)


if __name__ == "__main__":
    create_resources()
    found = walk()
    clean_up()
    found["left"] = [
        *batch.describe_job_queues()["jobQueues"],
        *batch.describe_service_environments()["serviceEnvironments"],
    ]
    json.dump(found, sys.stdout)
