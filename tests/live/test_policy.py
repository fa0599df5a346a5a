"""The policy document, read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quota_live.judgement import is_unknown_acknowledged
from quota_live.policy import Policy, parse_policy
from quota_scheduler import DocumentError


def test_an_empty_policy_is_the_default_one() -> None:
    assert parse_policy("{}") == parse_policy('{"version":1}') == Policy()
    assert dict(Policy().verdicts) == {
        "invalid": "BLOCK",
        "destructive": "BLOCK",
        "disruptive": "BLOCK",
        "at_risk": "WARN",
        "notice": "WARN",
    }


def test_a_whole_policy_is_read() -> None:
    document = {
        "version": 1,
        "verdicts": {
            "invalid": "WARN",
            "destructive": "WARN",
            "disruptive": "IGNORE",
            "at_risk": "BLOCK",
            "notice": "IGNORE",
        },
        "onUnknown": "WARN",
        "maxGpuHours": "12.5",
        "maxJobs": 3,
        "maxAmplification": None,
        "protect": {"minimumRunTimeSeconds": 3600, "tags": {"keep": "yes"}},
        "notifyTopicArn": "arn:aws:sns:eu-west-1:000000000000:quota",
    }
    policy = parse_policy(json.dumps(document))
    assert dict(policy.verdicts) == document["verdicts"]
    assert dict(policy.protected_tags) == {"keep": "yes"}
    assert (policy.on_unknown, policy.max_gpu_hours, policy.max_jobs, policy.max_amplification) == (
        "WARN",
        12.5,
        3,
        None,
    )
    assert (policy.minimum_run_time_seconds, policy.notify_topic_arn) == (3600, document["notifyTopicArn"])


@pytest.mark.parametrize(
    ("document", "want"),
    [
        ({"version": 2}, "$.version: must be 1, got 2"),
        ({"version": 1.0}, "$.version: must be 1, got 1.0"),
        ({"version": True}, "$.version: must be 1, got true"),
        ({"version": None}, "$.version: must be 1, got null"),
        ({"verdicts": []}, "$.verdicts: must be an object, got a list"),
        ({"verdicts": False}, "$.verdicts: must be an object, got false"),
        ({"verdicts": {"at_risk": "STOP"}}, "$.verdicts.at_risk: must be one of BLOCK, WARN, IGNORE"),
        ({"verdicts": {"safe": "BLOCK"}}, "$.verdicts.safe: unknown member"),
        ({"onUnknown": 3}, "$.onUnknown: must be one of"),
        ({"maxJobs": -1}, "$.maxJobs: must be a number of 0 or more"),
        ({"maxJobs": "few"}, '$.maxJobs: must be a number, got "few"'),
        ({"maxGpuHours": True}, "$.maxGpuHours: must be a number of 0 or more, got true"),
        ({"maxJobs": False}, "$.maxJobs: must be a number of 0 or more, got false"),
        ({"maxAmplification": []}, "$.maxAmplification: must be a number of 0 or more, got a list"),
        ({"protect": []}, "$.protect: must be an object, got a list"),
        ({"protect": ""}, '$.protect: must be an object, got ""'),
        ({"protect": {"tags": [1]}}, "$.protect.tags: must be an object of tags and their values, got a list"),
        ({"protect": {"tags": ""}}, '$.protect.tags: must be an object of tags and their values, got ""'),
        ({"protect": {"tags": {"keep": 1}}}, "$.protect.tags.keep: must be a string, got 1"),
        ({"notifyTopicArn": ""}, '$.notifyTopicArn: must be the ARN of an SNS topic, or null for none, got ""'),
        ({"notifyTopicArn": "arn:aws:sqs:eu-west-1:1:q"}, "$.notifyTopicArn: must be the ARN of an SNS topic"),
        ({"notifyTopicArn": 0}, "$.notifyTopicArn: must be the ARN of an SNS topic"),
        ({"colour": 1}, "$.colour: unknown member"),
        ([], "$: must be an object"),
    ],
    ids=str,
)
def test_fails_with_the_path(document: Any, want: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_policy(json.dumps(document))
    assert want in str(caught.value)


def test_null_is_as_by_default() -> None:
    names = ("verdicts", "maxGpuHours", "maxJobs", "maxAmplification", "protect", "notifyTopicArn")
    assert parse_policy(dict.fromkeys(names)) == Policy()
    assert parse_policy({"protect": {"tags": None, "minimumRunTimeSeconds": None}}) == Policy()


def test_fails_with_all_problems_at_once() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_policy('{"protect":[],"maxJobs":false,"notifyTopicArn":"here","protect":{"tags":{"a":"b","a":"c"}}}')
    assert [problem.path for problem in caught.value.problems] == [
        "$.protect",
        "$.maxJobs",
        "$.protect.tags.a",
        "$.notifyTopicArn",
    ]


@pytest.mark.parametrize(
    ("given", "want"), [("unknown", True), (" a-1-2 , Unknown ", True), ("", False), ("unknowns", False)]
)
def test_unknown_is_acknowledged_by_its_word_alone(given: str, want: bool) -> None:
    assert is_unknown_acknowledged(given) is want
