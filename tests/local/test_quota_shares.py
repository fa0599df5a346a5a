from __future__ import annotations

from typing import Any

import pytest
from local_support import G5, LEND, P4, RESERVE, Face, Queue, borrow, limits, refused, without_metadata


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face)


def describe(queue: Queue, share: str = "A") -> dict[str, Any]:
    return without_metadata(queue.face.client.describe_quota_share(quotaShareArn=queue.share_arn(share)))


def test_status_goes_from_creating_to_valid_to_gone(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    arn = queue.add_share("A", resourceSharingConfiguration={"strategy": "LEND_AND_BORROW"}, tags={"team": "a"})
    assert arn == f"{queue.arn}/quota-share/A"
    want = {
        "quotaShareName": "A",
        "quotaShareArn": arn,
        "jobQueueArn": queue.arn,
        "capacityLimits": limits({G5: 1}),
        "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": -1},
        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
        "state": "ENABLED",
        "status": "CREATING",
    }
    assert describe(queue) == want | {"tags": {"team": "a"}}
    face.advance(2)
    valid = want | {"status": "VALID"}
    assert client.list_quota_shares(jobQueue=queue.arn)["quotaShares"] == [valid]
    client.update_quota_share(
        quotaShareArn=arn,
        capacityLimits=limits({G5: 2, P4: 1}),
        resourceSharingConfiguration=RESERVE,
        preemptionConfiguration={"inSharePreemption": "ENABLED"},
        state="DISABLED",
    )
    changed = want | {
        "capacityLimits": limits({G5: 2, P4: 1}),
        "resourceSharingConfiguration": RESERVE,
        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
        "state": "DISABLED",
        "status": "UPDATING",
        "tags": {"team": "a"},
    }
    assert describe(queue) == changed
    face.advance(2)
    assert without_metadata(client.delete_quota_share(quotaShareArn=arn)) == {}
    assert describe(queue) == changed | {"status": "DELETING"}
    face.advance(2)
    assert refused(client.describe_quota_share, quotaShareArn=arn) == f"quota share {arn} does not exist"


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"capacityLimits": []}, "share A has no capacity limit, allowed are 1 to 5; give it at least one [QS001]"),
        (
            {"capacityLimits": limits({f"ml.t{n}.large": 1 for n in range(6)})},
            "share A has 6 capacity limits, allowed are 1 to 5",
        ),
        ({"capacityLimits": limits({G5: 0})}, "must be a whole number of instances from 1, got 0"),
        ({"capacityLimits": limits({"NUM_INSTANCES": 1})}, "share A has a limit in NUM_INSTANCES"),
        ({"capacityLimits": limits({G5: 1}) * 2}, f"share A has 2 limits for {G5} (1, 1), allowed is one"),
        (
            {"resourceSharingConfiguration": {"strategy": "RESERVE", "borrowLimit": 0}},
            "the borrow limit of share A needs LEND_AND_BORROW, got RESERVE; drop it or change the strategy [QS004]",
        ),
        (
            {"resourceSharingConfiguration": borrow(-2)},
            "must be a whole percentage from 0, or -1 for no limit, got -2 [QS015]",
        ),
        ({"quotaShareName": "a/b"}, "got 'a/b' [QS012]"),
        ({"jobQueue": "nobody"}, "job queue nobody does not exist"),
    ],
)
def test_fails_to_create(queue: Queue, members: dict[str, Any], want: str) -> None:
    request = {
        "quotaShareName": "A",
        "jobQueue": queue.name,
        "capacityLimits": limits({G5: 1}),
        "resourceSharingConfiguration": LEND,
        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
    }
    assert want in refused(queue.face.client.create_quota_share, **(request | members))


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"capacityLimits": limits({G5: 0})}, "must be a whole number of instances from 1, got 0"),
        ({"resourceSharingConfiguration": {"strategy": "LEND", "borrowLimit": 5}}, "needs LEND_AND_BORROW, got LEND"),
    ],
)
def test_fails_to_update(queue: Queue, members: dict[str, Any], want: str) -> None:
    arn = queue.add_share("A")
    queue.face.advance(2)
    assert want in refused(queue.face.client.update_quota_share, quotaShareArn=arn, **members)


def test_names_are_unique_in_their_queue_only(face: Face, queue: Queue) -> None:
    other = Queue(face, name="other")
    queue.add_share("A")
    other.add_share("A")
    with pytest.raises(face.client.exceptions.ClientException, match="quota share A already exists"):
        queue.add_share("A")


def test_a_queue_must_be_valid_and_have_a_quota_share_policy(face: Face) -> None:
    client = face.client
    client.create_service_environment(
        serviceEnvironmentName="e", serviceEnvironmentType="SAGEMAKER_TRAINING", capacityLimits=limits({G5: 1})
    )
    face.advance(2)
    order = [{"order": 1, "serviceEnvironment": "e"}]
    client.create_job_queue(
        jobQueueName="plain", jobQueueType="SAGEMAKER_TRAINING", priority=1, serviceEnvironmentOrder=order
    )
    request: dict[str, Any] = {
        "quotaShareName": "A",
        "capacityLimits": limits({G5: 1}),
        "resourceSharingConfiguration": LEND,
        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
    }
    assert "no scheduling policy with a quotaSharePolicy" in refused(
        client.create_quota_share, jobQueue="plain", **request
    )
    queue = Queue(face)
    client.update_job_queue(jobQueue=queue.name, priority=2)
    assert "must be VALID, its status is UPDATING" in refused(client.create_quota_share, jobQueue=queue.name, **request)


def test_deletion_needs_disabled_and_settled(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    arn = queue.add_share("A")
    face.advance(2)
    assert "state must be DISABLED first, got ENABLED" in refused(client.delete_quota_share, quotaShareArn=arn)
    client.update_quota_share(quotaShareArn=arn, state="DISABLED")
    assert "being modified (status UPDATING)" in refused(client.delete_quota_share, quotaShareArn=arn)
    face.advance(2)
    client.delete_quota_share(quotaShareArn=arn)
    assert "being modified (status DELETING)" in refused(client.delete_quota_share, quotaShareArn=arn)
    assert "being modified (status DELETING)" in refused(client.update_quota_share, quotaShareArn=arn, state="ENABLED")


def test_deleting_a_share_ends_its_jobs_and_waits_for_them(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    arn = queue.add_share("A")
    face.advance(2)
    running, waiting = queue.submit("A"), queue.submit("A")
    face.advance(30)
    client.update_quota_share(quotaShareArn=arn, state="DISABLED")
    face.advance(2)
    assert queue.status(running, waiting) == ["RUNNING", "RUNNABLE"]
    client.delete_quota_share(quotaShareArn=arn)
    face.advance(10)
    assert queue.status(running, waiting) == ["RUNNING", "FAILED"]
    assert describe(queue)["status"] == "DELETING"
    face.advance(15)
    assert queue.status(running, waiting) == ["FAILED", "FAILED"]
    assert "deleted" in queue.describe(running)["statusReason"]
    assert "does not exist" in refused(client.describe_quota_share, quotaShareArn=arn)


def test_at_most_20_in_a_queue(queue: Queue) -> None:
    for number in range(20):
        queue.add_share(f"S{number}")
    with pytest.raises(queue.face.client.exceptions.ClientException, match="at most 20 quota shares"):
        queue.add_share("S20")


def test_pages_hold_every_share_once(queue: Queue) -> None:
    for number in range(12):
        queue.add_share(f"S{number}")
    pages = queue.face.client.get_paginator("list_quota_shares").paginate(
        jobQueue=queue.name, PaginationConfig={"PageSize": 5}
    )
    found = [[share["quotaShareName"] for share in page["quotaShares"]] for page in pages]
    assert [len(page) for page in found] == [5, 5, 2]
    assert sorted(name for page in found for name in page) == sorted(f"S{number}" for number in range(12))


def test_a_token_belongs_to_its_operation(queue: Queue) -> None:
    client = queue.face.client
    queue.add_share("A")
    queue.add_share("B")
    token = client.list_quota_shares(jobQueue=queue.name, maxResults=1)["nextToken"]
    assert "not one that this operation gave out" in refused(client.describe_job_queues, nextToken=token)
