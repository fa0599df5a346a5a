from __future__ import annotations

import json
from typing import Any

import pytest
from local_support import G5, LEND, P4, RESERVE, Face, InProcess, Queue, payload, refused, without_metadata

from quota_constructs.local import LocalBatch, Settings

SHARES = {"A": ({G5: 2}, LEND), "B": ({G5: 1}, RESERVE)}


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face, shares=SHARES)


def request(**members: Any) -> dict[str, Any]:
    return {
        "jobName": "job",
        "jobQueue": "training",
        "serviceJobType": "SAGEMAKER_TRAINING",
        "quotaShareName": "A",
        "serviceRequestPayload": payload({G5: 1}),
    } | members


def test_describe_gives_back_what_was_submitted(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    retry = {"attempts": 3, "evaluateOnExit": [{"action": "RETRY", "onStatusReason": "*CapacityError*"}]}
    made = client.submit_service_job(
        **request(
            jobName="my_job-1",
            schedulingPriority=7,
            retryStrategy=retry,
            timeoutConfig={"attemptDurationSeconds": 9000},
            preemptionConfiguration={"preemptionRetriesBeforeTermination": 2},
            serviceRequestPayload=payload({G5: 2}, name="a-training-job-name-that-is-long"),
            tags={"team": "a"},
        )
    )
    by_id = queue.describe(made["jobId"])
    want = {
        "jobArn": made["jobArn"],
        "jobId": made["jobId"],
        "jobName": "my_job-1",
        "jobQueue": queue.arn,
        "serviceJobType": "SAGEMAKER_TRAINING",
        "quotaShareName": "A",
        "status": "SUBMITTED",
        "createdAt": by_id["createdAt"],
        "capacityUsage": [{"capacityUnit": G5, "quantity": 2.0}],
        "schedulingPriority": 7,
        "retryStrategy": retry,
        "timeoutConfig": {"attemptDurationSeconds": 9000},
        "preemptionConfiguration": {"preemptionRetriesBeforeTermination": 2},
        "serviceRequestPayload": payload({G5: 2}, name="a-training-job-name-that-is-long"),
        "tags": {"team": "a"},
    }
    assert by_id == want
    assert queue.describe(made["jobArn"]) == want
    face.advance(2)
    scheduled = queue.describe(made["jobId"])
    resource = scheduled["latestAttempt"]["serviceResourceId"]
    assert scheduled == want | {
        "status": "SCHEDULED",
        "scheduledAt": want["createdAt"] + 2000,
        "latestAttempt": {"serviceResourceId": {"name": "TrainingJobArn", "value": resource["value"]}},
    }
    name = resource["value"].rpartition("training-job/")[2]
    assert name.startswith("AWSBatcha-training-job-name-tha")
    assert len(name) == 63
    face.advance(15)
    assert queue.describe(made["jobId"])["startedAt"] == want["createdAt"] + 17_000


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"schedulingPriority": 10_000}, "must be a whole number from 0 to 9999, got 10000 [QS036]"),
        ({"schedulingPriority": -1}, "must be a whole number from 0 to 9999, got -1 [QS036]"),
        ({"retryStrategy": {"attempts": 0}}, "must be a whole number from 1 to 10, got 0 [QS038]"),
        ({"retryStrategy": {"attempts": 11}}, "must be a whole number from 1 to 10, got 11 [QS038]"),
        (
            {"retryStrategy": {"attempts": 2, "evaluateOnExit": [{"action": "EXIT"}] * 6}},
            "retryStrategy.evaluateOnExit may have at most 5 entries, got 6",
        ),
        (
            {"retryStrategy": {"attempts": 2, "evaluateOnExit": [{"onStatusReason": "x" * 513}]}},
            "retryStrategy.evaluateOnExit[0].onStatusReason may have at most 512 printable characters, got 513",
        ),
        (
            {"timeoutConfig": {"attemptDurationSeconds": 0}},
            "timeoutConfig.attemptDurationSeconds must be at least 1, got 0",
        ),
        (
            {"preemptionConfiguration": {"preemptionRetriesBeforeTermination": -1}},
            "the preemption retries of a job must be a whole number from 0",
        ),
        ({"serviceRequestPayload": "x" * 10_241}, "is 10241 bytes long, at most 10240 are allowed"),
        ({"jobName": "a b"}, "got 'a b' [QS012]"),
        ({"jobQueue": "nobody"}, "job queue nobody does not exist"),
        ({"quotaShareName": "C"}, "quota share C does not exist in job queue training"),
        ({"shareIdentifier": "A"}, "shareIdentifier is for fair-share queues"),
    ],
)
def test_fails_to_submit(queue: Queue, members: dict[str, Any], want: str) -> None:
    assert want in refused(queue.face.client.submit_service_job, **request(**members))


def test_fails_to_submit_without_a_share(queue: Queue) -> None:
    members = request()
    del members["quotaShareName"]
    message = refused(queue.face.client.submit_service_job, **members)
    assert message == "quotaShareName is missing; job queue training has quota shares"


def test_a_payload_of_10_kib_is_taken_and_a_request_of_more_than_30_kib_is_not(queue: Queue) -> None:
    client = queue.face.client
    filler = 10_240 - len(payload({G5: 1}, Note=""))
    client.submit_service_job(**request(serviceRequestPayload=payload({G5: 1}, Note="x" * filler)))
    too_much = request(
        serviceRequestPayload=payload({G5: 1}, Note="x" * filler),
        tags={f"{number:02d}{'k' * 126}": "v" * 256 for number in range(50)},
        retryStrategy={"attempts": 1, "evaluateOnExit": [{"onStatusReason": "x" * 512}] * 5},
    )
    message = refused(client.submit_service_job, **too_much)
    assert "at most 30720 are allowed" in message


def test_disabled_or_unfinished_resources_take_no_jobs(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    environment = f"{queue.name}-environment"
    submit = client.submit_service_job
    queue.add_share("New")
    message = refused(submit, **request(quotaShareName="New"))
    assert message == "quota share New must be VALID, its status is CREATING"
    client.update_quota_share(quotaShareArn=queue.share_arn("A"), state="DISABLED")
    assert refused(submit, **request()) == "quota share A is DISABLED and takes no new jobs"
    client.update_service_environment(serviceEnvironment=environment, state="DISABLED")
    assert "service environment of job queue training is not ENABLED" in refused(submit, **request(quotaShareName="B"))
    client.update_service_environment(serviceEnvironment=environment, state="ENABLED")
    client.update_job_queue(jobQueue=queue.name, state="DISABLED")
    assert refused(submit, **request(quotaShareName="B")) == "job queue training is DISABLED and takes no new jobs"
    face.advance(2)


def test_what_was_submitted_before_a_disable_finishes(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    jobs = [queue.submit("A", run_seconds=60) for _ in range(3)]
    client.update_quota_share(quotaShareArn=queue.share_arn("A"), state="DISABLED")
    client.update_job_queue(jobQueue=queue.name, state="DISABLED")
    face.advance(300)
    assert queue.status(*jobs) == ["SUCCEEDED"] * 3


def test_a_disabled_environment_dispatches_nothing_until_it_is_enabled(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    environment = f"{queue.name}-environment"
    running = queue.submit("A")
    face.advance(30)
    waiting = queue.submit("A")
    client.update_service_environment(serviceEnvironment=environment, state="DISABLED")
    face.advance(30)
    assert queue.status(running, waiting) == ["RUNNING", "RUNNABLE"]
    client.update_service_environment(serviceEnvironment=environment, state="ENABLED")
    face.advance(30)
    assert queue.status(running, waiting) == ["RUNNING", "RUNNING"]


def test_a_client_token_is_taken_once(queue: Queue) -> None:
    client = queue.face.client
    job = client.submit_service_job(**request(clientToken="once"))["jobId"]
    message = refused(client.submit_service_job, **request(clientToken="once"))
    assert message == f"clientToken once was already used for service job {job}"


def test_equal_names_are_different_jobs(queue: Queue) -> None:
    first, second = queue.submit("A"), queue.submit("A")
    assert first != second
    assert len(queue.face.client.list_service_jobs(jobQueue="training", jobStatus="SUBMITTED")["jobSummaryList"]) == 2


def test_fails_for_a_queue_without_shares(face: Face) -> None:
    client = face.client
    client.create_service_environment(
        serviceEnvironmentName="e",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=[{"capacityUnit": "NUM_INSTANCES", "maxCapacity": 4}],
    )
    face.advance(2)
    client.create_job_queue(
        jobQueueName="training",
        jobQueueType="SAGEMAKER_TRAINING",
        priority=1,
        serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": "e"}],
    )
    face.advance(2)
    message = refused(client.submit_service_job, **request())
    assert message.endswith("the local Batch runs jobs of quota management queues only")


def test_update_takes_id_or_arn_and_refuses_the_rest(queue: Queue) -> None:
    client = queue.face.client
    job = queue.describe(queue.submit("A"))
    want = {name: job[name] for name in ("jobArn", "jobName", "jobId")}
    for name in ("jobId", "jobArn"):
        answer = client.update_service_job(jobId=job[name], schedulingPriority=9999)
        assert without_metadata(answer) == want
    assert queue.describe(job["jobId"])["schedulingPriority"] == 9999
    assert "from 0 to 9999, got 10000" in refused(
        client.update_service_job, jobId=job["jobId"], schedulingPriority=10_000
    )
    assert refused(client.update_service_job, jobId="none", schedulingPriority=1) == "service job none does not exist"


def test_terminate_ends_waiting_jobs_at_once_and_running_ones_after_the_stop(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    running, waiting = queue.submit("A", 2), queue.submit("A", 2)
    face.advance(30)
    for job in (running, waiting):
        assert without_metadata(client.terminate_service_job(jobId=job, reason="not needed")) == {}
    stopping, ended = queue.describe(running), queue.describe(waiting)
    assert (stopping["status"], stopping["isTerminated"], stopping["statusReason"]) == ("RUNNING", True, "not needed")
    assert (ended["status"], ended["isTerminated"], ended["statusReason"]) == ("FAILED", True, "not needed")
    face.advance(20)
    stopped = queue.describe(running)
    assert (stopped["status"], stopped["stoppedAt"] - stopped["startedAt"]) == ("FAILED", 33_000)
    [attempt] = stopped["attempts"]
    assert (attempt["statusReason"], attempt["stoppedAt"]) == ("not needed", stopped["stoppedAt"])
    client.terminate_service_job(jobId=running, reason="again")
    assert queue.describe(running) == stopped


def test_terminate_many_counts_unknown_ids_as_successful(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    jobs = [queue.submit("A"), "unknown", queue.describe(queue.submit("A"))["jobArn"]]
    answer = client.terminate_service_jobs(jobs=jobs, reason="r")
    assert without_metadata(answer) == {"successful": jobs, "errors": []}
    face.advance(1)
    assert queue.status(jobs[0], jobs[2]) == ["FAILED", "FAILED"]
    assert "at most 50 entries, got 51" in refused(client.terminate_service_jobs, jobs=["x"] * 51, reason="r")


def test_several_instance_types_are_counted_per_group() -> None:
    face = InProcess()
    queue = Queue(face, {G5: 4, P4: 2}, {"A": ({G5: 4, P4: 2}, LEND)})
    job = queue.submit("A", {G5: 3, P4: 1})
    face.advance(30)
    assert queue.describe(job)["capacityUsage"] == [
        {"capacityUnit": G5, "quantity": 3.0},
        {"capacityUnit": P4, "quantity": 1.0},
    ]
    assert queue.status(job) == ["RUNNING"]


@pytest.mark.parametrize(
    "bad", ["not json", "[]", "{}", json.dumps({"ResourceConfig": {"InstanceType": G5, "InstanceCount": 0}})]
)
def test_an_unusable_payload_is_taken_and_fails_in_sagemaker(queue: Queue, bad: str) -> None:
    job = queue.submit("A", serviceRequestPayload=bad)
    queue.face.advance(30)
    described = queue.describe(job)
    assert described["status"] == "FAILED"
    assert described["statusReason"].startswith("Received status from SageMaker: ValidationException: ")


def test_submissions_are_limited_when_asked_for() -> None:
    batch = LocalBatch(settings=Settings(submit_rate=5))
    face = InProcess()
    face.batch, face.client = batch, batch.client(retries={"total_max_attempts": 1, "mode": "standard"})
    queue = Queue(face, shares=SHARES)
    for _ in range(5):
        queue.submit("A")
    with pytest.raises(face.client.exceptions.ClientError, match="at most 5 SubmitServiceJob calls a second") as caught:
        queue.submit("A")
    assert caught.value.response["Error"]["Code"] == "TooManyRequestsException"
    face.advance(1)
    queue.submit("A")
