"""Calls that fail on purpose, met by an unmodified boto3 client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from local_support import G5, LEND, Face, InProcess, OverHttp, Queue, http_client, refused

from quota_constructs.local.faults import FaultRule, read_rules, rules_from

if TYPE_CHECKING:
    from pathlib import Path

ONE_TRY = {"retries": {"total_max_attempts": 1, "mode": "standard"}}


def impatient(face: Face, **config: Any) -> Any:
    """A client that does not try again by itself."""
    if isinstance(face, InProcess):
        return face.batch.client(**ONE_TRY, **config)
    assert isinstance(face, OverHttp)
    return http_client(face.endpoint_url, face.account, **ONE_TRY, **config)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [("throttling", 429, "TooManyRequestsException"), ("server_error", 500, "ServerException")],
)
def test_a_refused_call_changes_nothing_and_is_tried_again_by_the_client(
    face: Face, fault: str, status: int, code: str
) -> None:
    face.set_faults({"fault": fault, "operation": "CreateSchedulingPolicy", "times": 1})
    with pytest.raises(ClientError) as caught:
        impatient(face).create_scheduling_policy(name="p")
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert face.client.list_scheduling_policies()["schedulingPolicies"] == []
    face.set_faults({"fault": fault, "operation": "CreateSchedulingPolicy", "times": 1})
    answer = face.client.create_scheduling_policy(name="p")
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    assert [event["fault"] for event in face.events("fault")] == [fault, fault]


def test_after_a_lost_response_the_change_is_made(face: Face) -> None:
    """The client tries again and hears that the object exists."""
    face.set_faults({"fault": "lost_response", "operation": "CreateSchedulingPolicy", "times": 1})
    assert refused(face.client.create_scheduling_policy, name="p") == "Object already exists"
    assert len(face.client.list_scheduling_policies()["schedulingPolicies"]) == 1


def test_a_lost_submission_is_not_made_twice(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    face.set_faults({"fault": "lost_response", "operation": "SubmitServiceJob", "times": 1})
    with pytest.raises(face.client.exceptions.ClientException, match=r"clientToken .* was already used"):
        queue.submit("A")
    assert len(face.events("submitted")) == 1


def test_latency_lets_the_clock_run() -> None:
    face = InProcess()
    face.set_faults({"fault": "latency", "seconds": 30, "times": 1})
    before = face.batch.now()
    face.client.list_scheduling_policies()
    assert face.batch.now() - before == 30_000


def test_latency_beyond_the_patience_of_the_client_is_a_time_out(face: Face) -> None:
    face.set_faults({"fault": "latency", "seconds": 1.2, "times": 1})
    with pytest.raises(ReadTimeoutError):
        impatient(face, read_timeout=1).list_scheduling_policies()


def test_a_status_hangs_until_the_rules_are_cleared(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    face.set_faults({"fault": "hanging_status", "operation": "UpdateQuotaShare"})
    arn = queue.share_arn("A")
    face.client.update_quota_share(quotaShareArn=arn, state="DISABLED")
    face.advance(100_000)
    assert face.client.describe_quota_share(quotaShareArn=arn)["status"] == "UPDATING"
    face.set_faults()
    face.advance(2)
    assert face.client.describe_quota_share(quotaShareArn=arn)["status"] == "VALID"


def test_the_same_seed_gives_the_same_faults() -> None:
    def refusals(seed: int) -> list[bool]:
        face = InProcess()
        face.set_faults({"fault": "server_error", "probability": 0.5}, seed=seed)
        client = impatient(face)
        found = []
        for _ in range(20):
            try:
                client.list_scheduling_policies()
                found.append(False)
            except ClientError:
                found.append(True)
        return found

    assert refusals(1) == refusals(1)
    assert 0 < sum(refusals(1)) < 20
    assert refusals(1) != refusals(2)


def test_after_and_times_count_the_calls() -> None:
    face = InProcess()
    face.set_faults({"fault": "server_error", "operation": "ListSchedulingPolicies", "after": 1, "times": 2})
    client = impatient(face)
    found = []
    for _ in range(5):
        try:
            client.list_scheduling_policies()
            found.append("answered")
        except ClientError:
            found.append("refused")
        client.describe_job_queues()
    assert found == ["answered", "refused", "refused", "answered", "answered"]


def test_a_rule_file_says_everything_that_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    path.write_text(
        json.dumps(
            {
                "version": 2,
                "seed": "x",
                "rule": [],
                "rules": [{"fault": "fire"}, {"operation": "*"}, {"fault": "latency", "probability": 2, "when": 1}],
            }
        )
    )
    with pytest.raises(ValueError, match=r"faults\.json") as caught:
        read_rules(path)
    assert str(caught.value).partition(": ")[2].split("; ") == [
        "rule is unknown, allowed are version, seed, rules",
        "version must be 1, got 2",
        "seed must be a whole number, got 'x'",
        "rules[0]: fault must be throttling or server_error or latency or lost_response or hanging_status, got 'fire'",
        "rules[1] must be an object with a fault, got {'operation': '*'}",
        "rules[2].when is unknown, allowed are fault, operation, probability, after, times, seconds",
        "rules[2]: probability must be from 0 to 1, got 2",
    ]


@pytest.mark.parametrize("text", ["", "[]", "nonsense"])
def test_fails_for_a_file_that_is_no_object(tmp_path: Path, text: str) -> None:
    path = tmp_path / "faults.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"faults\.json"):
        read_rules(path)


def test_rules_from_a_document() -> None:
    document = {"version": 1, "seed": 7, "rules": [{"fault": "latency", "seconds": 2, "operation": "TagResource"}]}
    assert rules_from(document) == ([FaultRule(fault="latency", seconds=2, operation="TagResource")], 7)
