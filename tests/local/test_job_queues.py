from __future__ import annotations

from typing import Any

import pytest
from local_support import G5, LEND, Face, Queue, limits, refused, without_metadata

FIFO = {"idleResourceAssignmentStrategy": "FIFO"}


@pytest.fixture
def ingredients(face: Face) -> dict[str, Any]:
    """The members of a request that creates a queue, with a policy and an environment that are ready."""
    policy = face.client.create_scheduling_policy(name="policy", quotaSharePolicy=FIFO)["arn"]
    environment(face, "gpus", {G5: 3})
    return {
        "jobQueueName": "q",
        "jobQueueType": "SAGEMAKER_TRAINING",
        "priority": 1,
        "schedulingPolicyArn": policy,
        "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "gpus"}],
        "computeEnvironmentOrder": [],
    }


def environment(face: Face, name: str, of: dict[str, int]) -> str:
    arn = face.client.create_service_environment(
        serviceEnvironmentName=name, serviceEnvironmentType="SAGEMAKER_TRAINING", capacityLimits=limits(of)
    )["serviceEnvironmentArn"]
    face.advance(2)
    return arn


def describe(face: Face) -> dict[str, Any]:
    [queue] = face.client.describe_job_queues(jobQueues=["q"])["jobQueues"]
    return queue


def test_status_goes_from_creating_to_valid_to_gone(face: Face, ingredients: dict[str, Any]) -> None:
    actions = [
        {"reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "state": "RUNNABLE", "maxTimeSeconds": 600,
         "action": "TERMINATE"}
    ]  # fmt: skip
    made = face.client.create_job_queue(**ingredients, jobStateTimeLimitActions=actions, tags={"a": "b"})
    want = {
        "jobQueueName": "q",
        "jobQueueArn": made["jobQueueArn"],
        "state": "ENABLED",
        "status": "CREATING",
        "statusReason": "Creating",
        "priority": 1,
        "schedulingPolicyArn": ingredients["schedulingPolicyArn"],
        "computeEnvironmentOrder": [],
        "serviceEnvironmentOrder": [
            {"order": 1, "serviceEnvironment": made["jobQueueArn"].replace("job-queue/q", "service-environment/gpus")}
        ],
        "jobQueueType": "SAGEMAKER_TRAINING",
        "jobStateTimeLimitActions": actions,
        "tags": {"a": "b"},
    }
    assert describe(face) == want
    face.advance(2)
    assert describe(face) == want | {"status": "VALID", "statusReason": "JobQueue Healthy"}
    face.client.update_job_queue(jobQueue=made["jobQueueArn"], state="DISABLED", priority=7)
    assert (describe(face)["status"], describe(face)["priority"]) == ("UPDATING", 7)
    face.advance(2)
    face.client.delete_job_queue(jobQueue="q")
    assert describe(face)["status"] == "DELETING"
    face.advance(2)
    assert face.client.describe_job_queues(jobQueues=["q"])["jobQueues"] == []


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"priority": 1001}, "must be a whole number from 0 to 1000, got 1001 [QS029]"),
        ({"jobQueueType": "ECS"}, "jobQueueType must be SAGEMAKER_TRAINING, got ECS"),
        ({"serviceEnvironmentOrder": []}, "serviceEnvironmentOrder must have exactly 1 entry, got 0"),
        (
            {"serviceEnvironmentOrder": [{"order": n, "serviceEnvironment": "gpus"} for n in (1, 2)]},
            "serviceEnvironmentOrder must have exactly 1 entry, got 2",
        ),
        (
            {"serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "none"}]},
            "service environment none does not exist",
        ),
        (
            {"computeEnvironmentOrder": [{"order": 1, "computeEnvironment": "c"}]},
            "computeEnvironmentOrder cannot be given",
        ),
        (
            {"schedulingPolicyArn": "arn:aws:batch:eu-west-1:1:scheduling-policy/none"},
            "scheduling-policy/none does not exist",
        ),
        ({"jobQueueName": "a b"}, "got 'a b' [QS012]"),
        (
            {"jobStateTimeLimitActions": [
                {"reason": "r", "state": "RUNNABLE", "maxTimeSeconds": 599, "action": "CANCEL"}
            ]},
            (
                "a time limit must be 600 to 86400 seconds (10 minutes to 24 hours), got 599 [QS026]; "
                "the action of a time limit must be TERMINATE in a SAGEMAKER_TRAINING queue, got CANCEL [QS027]"
            ),
        ),
    ],
)  # fmt: skip
def test_fails_to_create(face: Face, ingredients: dict[str, Any], members: dict[str, Any], want: str) -> None:
    assert want in refused(face.client.create_job_queue, **(ingredients | members))


def test_fails_for_an_environment_that_is_not_ready_or_serves_another_queue(
    face: Face, ingredients: dict[str, Any]
) -> None:
    create = face.client.create_job_queue
    face.client.create_service_environment(
        serviceEnvironmentName="new", serviceEnvironmentType="SAGEMAKER_TRAINING", capacityLimits=limits({G5: 1})
    )
    order = [{"order": 1, "serviceEnvironment": "new"}]
    assert "must be VALID, its status is CREATING" in refused(
        create, **ingredients | {"serviceEnvironmentOrder": order}
    )
    create(**ingredients)
    assert "gpus is already tied to job queue q" in refused(create, **ingredients | {"jobQueueName": "q2"})
    assert refused(create, **ingredients) == "Object already exists"


def test_fails_for_an_environment_of_any_instance(face: Face, ingredients: dict[str, Any]) -> None:
    environment(face, "any", {"NUM_INSTANCES": 3})
    order = [{"order": 1, "serviceEnvironment": "any"}]
    message = refused(face.client.create_job_queue, **ingredients | {"serviceEnvironmentOrder": order})
    assert "the service environment has a limit in NUM_INSTANCES" in message


def test_a_policy_can_be_replaced_but_neither_added_nor_changed_in_kind(
    face: Face, ingredients: dict[str, Any]
) -> None:
    client = face.client
    client.create_job_queue(**ingredients)
    environment(face, "other", {G5: 1})
    plain = {name: value for name, value in ingredients.items() if name != "schedulingPolicyArn"}
    plain |= {"jobQueueName": "plain", "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "other"}]}
    client.create_job_queue(**plain)
    face.advance(2)
    same = client.create_scheduling_policy(name="same", quotaSharePolicy=FIFO)["arn"]
    fair = client.create_scheduling_policy(name="fair", fairsharePolicy={"shareDecaySeconds": 1})["arn"]
    client.update_job_queue(jobQueue="q", schedulingPolicyArn=same)
    assert describe(face)["schedulingPolicyArn"] == same
    assert "of the same kind only" in refused(client.update_job_queue, jobQueue="q", schedulingPolicyArn=fair)
    assert "cannot get one" in refused(client.update_job_queue, jobQueue="plain", schedulingPolicyArn=same)


def test_an_environment_can_be_replaced_by_a_free_one(face: Face, ingredients: dict[str, Any]) -> None:
    face.client.create_job_queue(**ingredients)
    arn = environment(face, "other", {G5: 1})
    face.client.update_job_queue(jobQueue="q", serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": "other"}])
    assert describe(face)["serviceEnvironmentOrder"] == [{"order": 1, "serviceEnvironment": arn}]
    message = refused(face.client.update_job_queue, jobQueue="q", serviceEnvironmentOrder=[])
    assert message == "serviceEnvironmentOrder must have exactly 1 entry, got 0"


def test_deletion_needs_disabled_and_settled(face: Face, ingredients: dict[str, Any]) -> None:
    face.client.create_job_queue(**ingredients)
    face.advance(2)
    delete = face.client.delete_job_queue
    assert "state must be DISABLED first, got ENABLED" in refused(delete, jobQueue="q")
    face.client.update_job_queue(jobQueue="q", state="DISABLED")
    assert "resource is being modified (status UPDATING)" in refused(delete, jobQueue="q")
    assert "does not exist" in refused(delete, jobQueue="nobody")


def test_deleting_a_queue_ends_its_jobs_and_takes_its_shares(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    running, waiting = queue.submit("A"), queue.submit("A")
    face.advance(30)
    assert queue.status(running, waiting) == ["RUNNING", "RUNNABLE"]
    face.client.update_job_queue(jobQueue=queue.name, state="DISABLED")
    face.advance(2)
    face.client.delete_job_queue(jobQueue=queue.name)
    assert queue.status(running, waiting) == ["RUNNING", "FAILED"]
    face.advance(25)
    assert queue.status(running, waiting) == ["FAILED", "FAILED"]
    assert queue.describe(running)["isTerminated"] is True
    assert without_metadata(face.client.describe_job_queues(jobQueues=[queue.name])) == {"jobQueues": []}
    assert "does not exist" in refused(face.client.describe_quota_share, quotaShareArn=queue.share_arn("A"))
    # a queue of the same name knows nothing of the old one's jobs
    face.client.create_job_queue(
        jobQueueName=queue.name,
        jobQueueType="SAGEMAKER_TRAINING",
        priority=1,
        schedulingPolicyArn=queue.policy_arn,
        serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": f"{queue.name}-environment"}],
    )
    assert face.client.list_service_jobs(jobQueue=queue.name, jobStatus="FAILED")["jobSummaryList"] == []


def test_at_most_50(face: Face, ingredients: dict[str, Any]) -> None:
    plain = {name: value for name, value in ingredients.items() if name != "schedulingPolicyArn"}
    for number in range(50):
        face.client.create_job_queue(**plain | {"jobQueueName": f"q{number}"})
    assert "at most 50 job queues are allowed" in refused(face.client.create_job_queue, **plain)
