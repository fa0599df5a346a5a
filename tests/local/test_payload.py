from __future__ import annotations

import json
from typing import Any

import pytest
from local_support import G5, P4

from quota_constructs.local.payload import Payload, read_payload
from quota_constructs.local.retry import retries

ONE = {"InstanceType": G5, "InstanceCount": 2}


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"ResourceConfig": ONE}, {G5: 2}),
        ({"ResourceConfig": {"InstanceType": G5}}, {G5: 1}),
        ({"ResourceConfig": {"InstanceGroups": [ONE, {"InstanceType": P4, "InstanceCount": 1}]}}, {G5: 2, P4: 1}),
        ({"ResourceConfig": {"InstanceGroups": [ONE, ONE]}}, {G5: 4}),
        ({"ResourceConfig": {"InstanceGroups": [], **ONE}}, {G5: 2}),
    ],
)
def test_instances(members: dict[str, Any], want: dict[str, int]) -> None:
    assert read_payload(json.dumps(members), None, 300) == Payload(want, "", 300, None)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"ResourceConfig": None},
        {"ResourceConfig": {"InstanceType": 1, "InstanceCount": 1}},
        {"ResourceConfig": {"InstanceType": G5, "InstanceCount": "1"}},
        {"ResourceConfig": {"InstanceType": G5, "InstanceCount": True}},
        {"ResourceConfig": {"InstanceGroups": ["x"]}},
        {"ResourceConfig": {"InstanceGroups": [ONE, {}]}},
    ],
)
def test_what_cannot_be_read_is_refused_by_sagemaker(members: dict[str, Any]) -> None:
    found = read_payload(json.dumps(members), None, 300)
    assert (found.uses, found.is_refused) == ({}, True)


@pytest.mark.parametrize(
    ("members", "timeout", "want"),
    [
        ({}, None, (300, None)),
        ({"Environment": {"QUOTA_LOCAL_RUN_SECONDS": "12.5"}}, None, (12.5, None)),
        ({"Environment": {"QUOTA_LOCAL_RUN_SECONDS": "nonsense"}}, None, (300, None)),
        ({"Environment": {"QUOTA_LOCAL_RUN_SECONDS": "-1"}}, None, (300, None)),
        ({"StoppingCondition": {"MaxRuntimeInSeconds": 50}}, 40, (40, None)),
        ({"StoppingCondition": {"MaxRuntimeInSeconds": 50}}, 60, (50, None)),
        ({"Environment": {"QUOTA_LOCAL_FAILURE": "boom"}}, None, (300, "boom")),
    ],
)
def test_run_time_and_failure(members: dict[str, Any], timeout: int | None, want: tuple[float, str | None]) -> None:
    found = read_payload(json.dumps({"ResourceConfig": ONE} | members), timeout, 300)
    assert (found.run_seconds, found.failure) == want


@pytest.mark.parametrize(
    ("pattern", "reason", "matches"),
    [
        ("Received status from SageMaker: X*", "Received status from SageMaker: X: y", True),
        ("*CapacityError*", "Received status from SageMaker: CapacityError: none", True),
        ("exact", "exact", True),
        ("exact", "exactly", False),
        ("*end", "the end", True),
        ("start*", "a start", False),
        ("*", "anything", True),
    ],
)  # fmt: skip
def test_patterns_of_evaluate_on_exit(pattern: str, reason: str, *, matches: bool) -> None:
    rules = [{"action": "EXIT", "onStatusReason": pattern}]
    assert retries(reason, 1, 2, rules) is not matches


@pytest.mark.parametrize(
    ("times", "allowed", "rules", "want"),
    [
        (1, 1, [], False),
        (1, 2, [], True),
        (2, 2, [{"action": "RETRY", "onStatusReason": "*"}], False),
        (1, 2, [{"action": "RETRY", "onStatusReason": "r*"}, {"action": "EXIT", "onStatusReason": "*"}], True),
        (1, 2, [{"action": "EXIT", "onStatusReason": "r*"}, {"action": "RETRY", "onStatusReason": "*"}], False),
    ],
    ids=["no attempts left", "no rules", "rules give no attempts", "first match retries", "first match exits"],
)
def test_another_attempt(times: int, allowed: int, rules: list[dict[str, str]], *, want: bool) -> None:
    assert retries("reason", times, allowed, rules) is want
