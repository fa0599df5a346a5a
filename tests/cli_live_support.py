"""A stack on the local cloud, deployed by its CloudFormation, with jobs in its queue."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assembly_support import raw_queue, raw_share, template

from quota_constructs.local.cloud import LocalCloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BORROWS = {"Strategy": "LEND_AND_BORROW", "BorrowLimit": 200}


def resources(**changed: object) -> dict[str, Any]:
    """The walkthrough's queue with native resources; None takes a share away."""
    declared: dict[str, Any] = {
        **raw_queue(3),
        "QS1": raw_share("QS1", ResourceSharingConfiguration=BORROWS),
        "QS2": raw_share("QS2"),
        "QS3": raw_share("QS3", ResourceSharingConfiguration={"Strategy": "RESERVE"}),
        **changed,
    }
    return {name: resource for name, resource in declared.items() if resource is not None}


@dataclass(frozen=True)
class Live:
    """A deployed stack with jobs in its queue."""

    cloud: LocalCloud
    queue: str

    def deploy(self, name: str, body: object) -> None:
        cloudformation = self.cloud.client("cloudformation")
        cloudformation.create_stack(StackName=name, TemplateBody=json.dumps(body))
        settle(lambda: cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE")


def settle(done: Callable[[], bool], seconds: float = 30) -> None:
    """Ask until it is so."""
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


@contextmanager
def deployed() -> Iterator[Live]:
    """The walkthrough's queue with three jobs running and one waiting."""
    with LocalCloud() as cloud:
        stack = Live(cloud, "")
        stack.deploy("Demo", template(resources()))
        listed = cloud.client("cloudformation").list_stack_resources(StackName="Demo")["StackResourceSummaries"]
        arn = next(entry["PhysicalResourceId"] for entry in listed if entry["LogicalResourceId"] == "Queue")
        batch = cloud.client("batch")
        for name, share, priority in (("high", "QS1", 5), ("own", "QS3", 1), ("med", "QS1", 2), ("low", "QS1", 1)):
            batch.submit_service_job(
                jobName=name,
                jobQueue=arn,
                serviceJobType="SAGEMAKER_TRAINING",
                quotaShareName=share,
                schedulingPriority=priority,
                serviceRequestPayload=json.dumps(
                    {
                        "TrainingJobName": name,
                        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1, "VolumeSizeInGB": 1},
                        "StoppingCondition": {"MaxRuntimeInSeconds": 36_000},
                    }
                ),
                tags={"owner": f"{name}-owner"},
            )

        def running() -> set[str]:
            page = batch.list_service_jobs(jobQueue=arn, jobStatus="RUNNING")["jobSummaryList"]
            return {job["jobName"] for job in page}

        settle(lambda: running() == {"high", "own", "med"})
        yield Live(cloud, arn.rpartition("/")[2])
