"""The training jobs behind the service jobs, as an unmodified SageMaker client sees them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from local_support import G5, LEND, REGION, InProcess, OverHttp, Queue, borrow, payload

from quota_constructs.local.sessions import local_client

if TYPE_CHECKING:
    from quota_constructs.local import LocalCloud


class Sagemaker:
    """A queue over HTTP with a SageMaker client of the same account."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.face = OverHttp(cloud.endpoint_url)
        self.client = local_client("sagemaker", cloud.endpoint_url, region=REGION, account=self.face.account)
        self.queue = Queue(self.face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})

    def name(self, job: str) -> str:
        resource = self.queue.describe(job)["latestAttempt"]["serviceResourceId"]
        return str(resource["value"].rpartition("/")[2])

    def status(self, name: str) -> tuple[str, str]:
        found = self.client.describe_training_job(TrainingJobName=name)
        return found["TrainingJobStatus"], found["SecondaryStatus"]


@pytest.fixture
def sagemaker(batch_server: LocalCloud) -> Sagemaker:
    return Sagemaker(batch_server)


def test_statuses_follow_the_service_job(sagemaker: Sagemaker) -> None:
    job = sagemaker.queue.submit("A", run_seconds=60)
    seen = []
    for seconds in (2, 5, 10, 60):
        sagemaker.face.advance(seconds)
        seen.append(sagemaker.status(sagemaker.name(job)))
    assert seen == [
        ("InProgress", "Pending"),
        ("InProgress", "Downloading"),
        ("InProgress", "Training"),
        ("Completed", "Completed"),
    ]


def test_describe_gives_the_payload_and_the_times(sagemaker: Sagemaker) -> None:
    job = sagemaker.queue.submit(
        "A", serviceRequestPayload=payload({G5: 1}, run_seconds=30, HyperParameters={"a": "1"}, RoleArn="r" * 20)
    )
    sagemaker.face.advance(100)
    found = sagemaker.client.describe_training_job(TrainingJobName=sagemaker.name(job))
    assert (found["HyperParameters"], found["RoleArn"]) == ({"a": "1"}, "r" * 20)
    assert found["ResourceConfig"]["InstanceType"] == G5
    assert (found["TrainingEndTime"] - found["TrainingStartTime"]).total_seconds() == 30


def test_preempted_failed_and_terminated_attempts(sagemaker: Sagemaker) -> None:
    queue, face = sagemaker.queue, sagemaker.face
    queue.submit("A", priority=9)
    borrower = queue.submit("A")
    face.advance(30)
    owner = queue.submit("B", serviceRequestPayload=payload({G5: 1}, Environment={"QUOTA_LOCAL_FAILURE": "boom"}))
    face.advance(3)
    name = sagemaker.name(borrower)
    assert sagemaker.status(name) == ("Stopping", "Stopping")
    face.advance(60)
    assert sagemaker.status(name) == ("Stopped", "Stopped")
    face.advance(3600)
    failed = sagemaker.client.describe_training_job(TrainingJobName=sagemaker.name(owner))
    assert (failed["TrainingJobStatus"], failed["FailureReason"]) == ("Failed", "boom")


def test_stopping_the_training_job_fails_the_service_job(sagemaker: Sagemaker) -> None:
    job = sagemaker.queue.submit("A")
    sagemaker.face.advance(30)
    sagemaker.client.stop_training_job(TrainingJobName=sagemaker.name(job))
    sagemaker.face.advance(30)
    described = sagemaker.queue.describe(job)
    assert (described["status"], described["statusReason"]) == ("FAILED", "Received status from SageMaker: Stopped")
    assert sagemaker.status(sagemaker.name(job)) == ("Stopped", "Stopped")


@pytest.mark.parametrize(
    ("target", "body", "want"),
    [
        ("DescribeTrainingJob", b'{"TrainingJobName": "none"}', "Requested resource not found: training job none"),
        ("DescribeTrainingJob", b"nonsense", "TrainingJobName is missing"),
        ("DescribeTrainingJob", b"[]", "TrainingJobName is missing"),
        ("CreateTrainingJob", b"{}", "CreateTrainingJob is not part of the local Batch"),
    ],
)
def test_everything_else_is_an_error(target: str, body: bytes, want: str) -> None:
    headers: dict[str, Any] = {"x-amz-target": f"SageMaker.{target}"}
    status, _, content = InProcess().batch.handle("POST", "/", headers, body, {})
    assert status == 400
    assert want in json.loads(content)["message"]
