"""CloudFormation's four Batch types in terms of the Batch API, without a cloud around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from local_support import G5, InProcess, limits, without_metadata

from quota_constructs.local.cloudformation import RESOURCE_TYPES, generated_name, to_members
from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from quota_constructs.local import LocalBatch

POLICY, ENVIRONMENT, QUEUE, SHARE = RESOURCE_TYPES
G5_LIMIT = [{"CapacityUnit": G5, "MaxCapacity": 3}]


@pytest.fixture
def face() -> InProcess:
    return InProcess()


@pytest.fixture
def batch(face: InProcess) -> LocalBatch:
    return face.batch


def environment(**more: Any) -> dict[str, Any]:
    return {"ServiceEnvironmentType": "SAGEMAKER_TRAINING", "CapacityLimits": G5_LIMIT, **more}


def queue_properties(batch: LocalBatch) -> dict[str, Any]:
    policy, _ = POLICY.create(batch, "s", "P", {"QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}})
    arn, _ = ENVIRONMENT.create(batch, "s", "E", environment())
    return {
        "JobQueueType": "SAGEMAKER_TRAINING",
        "Priority": "1",
        "SchedulingPolicyArn": policy,
        "ServiceEnvironmentOrder": [{"Order": "1", "ServiceEnvironment": arn}],
    }


def share_properties(queue: str, **more: Any) -> dict[str, Any]:
    return {
        "QuotaShareName": "A",
        "JobQueue": queue,
        "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 1}],
        "ResourceSharingConfiguration": {"Strategy": "LEND"},
        "PreemptionConfiguration": {"InSharePreemption": "DISABLED"},
        **more,
    }


def test_every_type_is_valid_when_create_returns(face: InProcess, batch: LocalBatch) -> None:
    client = face.client
    queue, queue_attributes = QUEUE.create(batch, "stack", "Q", queue_properties(batch))
    share, share_attributes = SHARE.create(batch, "stack", "S", share_properties(queue, Tags={"Team": "A"}))
    assert (queue_attributes, share_attributes) == ({"JobQueueArn": queue}, {"QuotaShareArn": share})
    [described] = client.describe_job_queues()["jobQueues"]
    assert (described["status"], described["priority"]) == ("VALID", 1)
    assert described["jobQueueName"].startswith("stack-Q-")
    assert without_metadata(client.describe_quota_share(quotaShareArn=share)) == {
        "quotaShareName": "A",
        "quotaShareArn": share,
        "jobQueueArn": queue,
        "capacityLimits": limits({G5: 1}),
        "resourceSharingConfiguration": {"strategy": "LEND"},
        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
        "state": "ENABLED",
        "status": "VALID",
        "tags": {"Team": "A"},
    }


def test_update_changes_what_differs_and_the_tags(face: InProcess, batch: LocalBatch) -> None:
    old = environment(State="DISABLED", Tags={"a": "1", "b": "2"})
    arn, _ = ENVIRONMENT.create(batch, "s", "E", old)
    new = environment(CapacityLimits=[{"CapacityUnit": G5, "MaxCapacity": 5}], Tags={"b": "3"})
    assert ENVIRONMENT.update(batch, arn, old, new) == (arn, {"ServiceEnvironmentArn": arn})
    [described] = face.client.describe_service_environments()["serviceEnvironments"]
    assert (described["state"], described["status"]) == ("ENABLED", "VALID")
    assert (described["capacityLimits"], described["tags"]) == (limits({G5: 5}), {"b": "3"})


def test_an_update_without_a_difference_calls_nothing(face: InProcess, batch: LocalBatch) -> None:
    arn, _ = ENVIRONMENT.create(batch, "s", "E", environment())
    before = len(batch.events)
    ENVIRONMENT.update(batch, arn, environment(), environment())
    assert len(batch.events) == before


def test_time_limits_taken_out_of_the_template_are_gone(face: InProcess, batch: LocalBatch) -> None:
    action = {
        "Reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
        "State": "RUNNABLE",
        "MaxTimeSeconds": 600,
        "Action": "TERMINATE",
    }
    plain = queue_properties(batch)
    arn, _ = QUEUE.create(batch, "s", "Q", plain | {"JobStateTimeLimitActions": [action]})
    assert len(face.client.describe_job_queues()["jobQueues"][0]["jobStateTimeLimitActions"]) == 1
    QUEUE.update(batch, arn, plain | {"JobStateTimeLimitActions": [action]}, plain)
    assert "jobStateTimeLimitActions" not in face.client.describe_job_queues()["jobQueues"][0]


def test_delete_disables_ends_the_jobs_and_is_done_when_it_returns(face: InProcess, batch: LocalBatch) -> None:
    properties = queue_properties(batch)
    queue, _ = QUEUE.create(batch, "s", "Q", properties)
    share, _ = SHARE.create(batch, "s", "S", share_properties(queue))
    job = face.client.submit_service_job(
        jobName="j",
        jobQueue=queue,
        serviceJobType="SAGEMAKER_TRAINING",
        quotaShareName="A",
        serviceRequestPayload=f'{{"ResourceConfig": {{"InstanceType": "{G5}", "InstanceCount": 1}}}}',
    )["jobId"]
    face.advance(30)
    for resource_type, arn in ((SHARE, share), (QUEUE, queue)):
        resource_type.delete(batch, arn)
    ENVIRONMENT.delete(batch, properties["ServiceEnvironmentOrder"][0]["ServiceEnvironment"])
    POLICY.delete(batch, properties["SchedulingPolicyArn"])
    assert face.client.describe_service_job(jobId=job)["status"] == "FAILED"
    assert face.client.describe_job_queues()["jobQueues"] == []
    assert face.client.describe_service_environments()["serviceEnvironments"] == []


@pytest.mark.parametrize("resource_type", RESOURCE_TYPES, ids=lambda known: known.suffix)
def test_deleting_what_is_not_there_is_no_error(batch: LocalBatch, resource_type: Any) -> None:
    resource_type.delete(batch, "arn:aws:batch:eu-west-1:000000000000:job-queue/none/quota-share/none")


def test_a_status_that_hangs_fails_the_resource(face: InProcess, batch: LocalBatch) -> None:
    arn, _ = ENVIRONMENT.create(batch, "s", "E", environment())
    face.set_faults({"fault": "hanging_status", "operation": "UpdateServiceEnvironment"})
    with pytest.raises(ClientException, match="did not stabilize"):
        ENVIRONMENT.update(batch, arn, environment(), environment(State="DISABLED"))


def test_the_service_s_own_message_fails_the_resource(batch: LocalBatch) -> None:
    with pytest.raises(ClientException, match=r"whole number of instances from 1, got -1.*\[QS002\]"):
        ENVIRONMENT.create(batch, "s", "E", environment(CapacityLimits=[{"CapacityUnit": G5, "MaxCapacity": -1}]))
    with pytest.raises(ClientException, match="colour is unknown"):
        ENVIRONMENT.create(batch, "s", "E", environment(Colour="red"))


def test_generated_names_are_names_and_never_the_same() -> None:
    names = {generated_name("stack" * 30, "Logical" * 30) for _ in range(10)}
    assert len(names) == 10
    assert max(len(name) for name in names) <= 128


def test_properties_become_members() -> None:
    assert to_members({"Tags": {"Key": "1"}, "Priority": "7", "X": None, "A": [{"MaxCapacity": "3", "B": "4"}]}) == {
        "tags": {"Key": "1"},
        "priority": 7,
        "a": [{"maxCapacity": 3, "b": "4"}],
    }
