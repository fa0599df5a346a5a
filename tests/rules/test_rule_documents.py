"""Documents in the Batch API's words and in CloudFormation's: whole, in parts, and before and after an update."""

from types import MappingProxyType
from typing import Any

import pytest
from rules_support import G5

from quota_scheduler.rules import UNKNOWN, QueueConfiguration, check_queue, check_queues, check_update
from quota_scheduler.rules.documents import queue_configuration


def test_finds_all_that_a_linter_passes_at_once() -> None:
    """The template that cfn-lint 1.58 has no finding for."""
    found = check_queue(
        queue_configuration(
            {
                "Environment": {
                    "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
                    "State": "WHATEVER",
                    "CapacityLimits": [{"CapacityUnit": "NUM_INSTANCES", "MaxCapacity": -5}],
                },
                "SchedulingPolicy": {"QuotaSharePolicy": {}, "FairsharePolicy": {"ShareDecaySeconds": 1}},
                "Queue": {
                    "JobQueueType": "SAGEMAKER_TRAINING",
                    "Priority": 1,
                    "SchedulingPolicyArn": {"Fn::GetAtt": ["Policy", "Arn"]},
                    "ServiceEnvironmentOrder": [{"Order": 1, "ServiceEnvironment": {"Ref": "Environment"}}],
                    "JobStateTimeLimitActions": [
                        {"Action": "CANCEL", "Reason": "BOGUS", "State": "RUNNABLE", "MaxTimeSeconds": 600}
                    ],
                },
                "Shares": [
                    {
                        "QuotaShareName": "my share",
                        "JobQueue": {"Ref": "Queue"},
                        "CapacityLimits": [],
                        "PreemptionConfiguration": {"InSharePreemption": "ENABLED"},
                        "ResourceSharingConfiguration": {"Strategy": "RESERVE", "BorrowLimit": 50},
                    },
                    {
                        "QuotaShareName": "b",
                        "JobQueue": {"Ref": "Queue"},
                        "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 1}] * 2,
                        "PreemptionConfiguration": {"InSharePreemption": "DISABLED"},
                        "ResourceSharingConfiguration": {"Strategy": "LEND"},
                    },
                ],
            },
            whole=True,
        )
    )
    assert [(finding.id, finding.where) for finding in found if finding.severity == "error"] == [
        ("QS001", "shares.my share.limits"),
        ("QS002", "environment.NUM_INSTANCES"),
        ("QS003", f"shares.b.limits.{G5}"),
        ("QS004", "shares.my share.borrow_limit_percent"),
        ("QS005", "environment.NUM_INSTANCES"),
        ("QS008", f"shares.b.limits.{G5}"),
        ("QS012", "shares.my share.name"),
        ("QS023", "environment.state"),
        ("QS025", "time_limit_actions.0.reason"),
        ("QS027", "time_limit_actions.0.action"),
        ("QS034", "policy"),
        ("QS035", "policy.idle_resource_assignment"),
    ]


def test_whole_properties_miss_what_is_required() -> None:
    document: dict[str, Any] = {"queue": {}, "environment": {}, "schedulingPolicy": {}, "shares": [{}]}
    assert [(finding.id, finding.where) for finding in check_queue(queue_configuration(document, whole=True))] == [
        ("QS001", "environment"),
        ("QS001", "shares.0.limits"),
        ("QS012", "shares.0.name"),
        ("QS014", "shares.0.strategy"),
        ("QS022", "shares.0.in_share_preemption"),
        ("QS029", "queue.priority"),
        ("QS030", "queue.type"),
        ("QS031", "queue.service_environments"),
        ("QS033", "environment.type"),
        ("QS034", "policy"),
    ]


def test_a_whole_queue_without_a_policy_has_neither_kind() -> None:
    def kinds_of(queue: dict[str, Any], *, whole: bool) -> object:
        return queue_configuration({"queue": queue}, whole=whole).policy.kinds

    assert kinds_of({}, whole=True) == ()
    assert kinds_of({}, whole=False) is UNKNOWN
    assert kinds_of({"schedulingPolicyArn": {"Ref": "Arn"}}, whole=True) is UNKNOWN
    assert kinds_of({"schedulingPolicyArn": "arn:aws:batch:eu-west-1:111122223333:x/y"}, whole=True) is UNKNOWN


@pytest.mark.parametrize("whole", [False, True])
def test_a_part_that_is_missing_or_worked_out_later_is_unknown(whole: bool) -> None:
    later = {"Fn::If": ["Big", {}, {}]}
    document: dict[str, Any] = {"queue": None, "environment": later, "schedulingPolicy": later, "shares": []}
    assert check_queue(queue_configuration(document, whole=whole)) == ()
    assert check_queue(queue_configuration({}, whole=whole)) == ()


@pytest.mark.parametrize("amount", ["9" * 5000, "٣", "-", "", "1e3"])
def test_text_that_is_no_amount_is_a_finding(amount: str) -> None:
    document = {"environment": {"capacityLimits": [{"capacityUnit": G5, "maxCapacity": amount}]}}
    assert [finding.id for finding in check_queue(queue_configuration(document))] == ["QS002"]


def test_tags_may_be_any_mapping() -> None:
    tagged = QueueConfiguration(tags=MappingProxyType({"team": "research"}))
    assert check_queue(tagged) == ()


def test_one_environment_for_two_queues_is_found_by_logical_id() -> None:
    queues = [
        queue_configuration({"queue": {"name": name}, "environment": {"logicalId": "Environment"}}) for name in "ba"
    ]
    assert [finding.message for finding in check_queues(queues)] == [
        (
            "service environment Environment is used by 2 job queues (a, b), with quota management it serves one; give "
            "each queue its own"
        )
    ]


UPDATES = [
    ("a name where there was a generated one", {"name": None}, {"name": "q"}, ["queue.name"]),
    ("a type", {"jobQueueType": "ECS"}, {"jobQueueType": "SAGEMAKER_TRAINING"}, ["queue.type"]),
    ("a name that is not known", {"name": "q"}, {"name": {"Ref": "Name"}}, []),
    ("priority and state", {"name": "q", "priority": 1}, {"name": "q", "priority": 2, "state": "DISABLED"}, []),
]


@pytest.mark.parametrize(("about", "before", "after", "want"), UPDATES)
def test_update(about: str, before: dict[str, Any], after: dict[str, Any], want: list[str]) -> None:
    found = check_update(queue_configuration({"queue": before}), queue_configuration({"queue": after}))
    assert [finding.where for finding in found] == want, about


def test_update_of_the_environment() -> None:
    found = check_update(
        queue_configuration({"environment": {"name": "e"}}), queue_configuration({"environment": {"name": "f"}})
    )
    assert [(finding.id, finding.where) for finding in found] == [("QS039", "environment.name")]
