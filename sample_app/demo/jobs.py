"""The example's training jobs, submitted with boto3 as any SageMaker user would."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_batch import BatchClient

DISPATCHED = ("SCHEDULED", "STARTING", "RUNNING")


class JobsError(RuntimeError):
    """Raised when the jobs do not reach the expected statuses in time."""


class Jobs:
    """Service jobs of one queue, by name."""

    def __init__(self, batch: BatchClient, queue_arn: str) -> None:
        self._batch = batch
        self._queue = queue_arn
        self._ids: dict[str, str] = {}

    def submit(self, share: str, name: str, *, priority: int) -> None:
        """Submit one training job that asks for one ml.g5.xlarge for an hour at most."""
        answer = self._batch.submit_service_job(
            jobName=name,
            jobQueue=self._queue,
            serviceJobType="SAGEMAKER_TRAINING",
            quotaShareName=share,
            schedulingPriority=priority,
            serviceRequestPayload=json.dumps(training_job(name)),
            tags={"owner": f"{share.lower()}-team"},
        )
        self._ids[name] = answer["jobId"]

    def set_priority(self, name: str, priority: int) -> None:
        """Change a job's priority within its share (UpdateServiceJob)."""
        self._batch.update_service_job(jobId=self._ids[name], schedulingPriority=priority)

    def end(self, *names: str) -> None:
        """Let the named jobs end, all when none is named."""
        for name in names or tuple(self._ids):
            self._batch.terminate_service_job(jobId=self._ids[name], reason="the walkthrough is over")

    def statuses(self) -> dict[str, str]:
        """Return the present status of every job submitted here, by name."""
        return {name: self._batch.describe_service_job(jobId=job)["status"] for name, job in self._ids.items()}

    def wait_until(self, reached: Callable[[Mapping[str, str]], bool], what: str, timeout_seconds: float = 30) -> None:
        """Wait until the statuses are as asked.

        Raises:
            JobsError: they are not within the time; says what they are.
        """
        deadline = time.monotonic() + timeout_seconds
        while not reached(statuses := self.statuses()):
            if time.monotonic() > deadline:
                raise JobsError(f"expected {what} within {timeout_seconds:.0f} s, got {statuses}")
            time.sleep(0.2)

    def wait_for(self, *, running: tuple[str, ...] = (), waiting: tuple[str, ...] = ()) -> None:
        """Wait until the named jobs are RUNNING and RUNNABLE."""
        self.wait_until(
            lambda statuses: (
                all(statuses[name] == "RUNNING" for name in running)
                and all(statuses[name] == "RUNNABLE" for name in waiting)
            ),
            f"{', '.join(running)} running and {', '.join(waiting) or 'nothing'} waiting",
        )


def training_job(name: str) -> dict[str, object]:
    """Return a CreateTrainingJob request: one ml.g5.xlarge, an hour at most."""
    return {
        "TrainingJobName": name.replace("_", "-"),
        "RoleArn": "arn:aws:iam::000000000000:role/training",
        "AlgorithmSpecification": {
            "TrainingImage": "000000000000.dkr.ecr.eu-west-1.amazonaws.com/trainer:latest",
            "TrainingInputMode": "File",
        },
        "OutputDataConfig": {"S3OutputPath": "s3://training-output/"},
        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1, "VolumeSizeInGB": 50},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
    }
