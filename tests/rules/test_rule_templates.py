"""The rules on raw Batch resources of a CloudFormation template."""

from typing import Any

import pytest

from quota_scheduler.rules.templates import check_template

G5 = "ml.g5.xlarge"


def template(**changes: dict[str, Any] | None) -> dict[str, Any]:
    """A template without findings. A keyword changes properties of a resource: None takes one away."""
    properties: dict[str, dict[str, Any]] = {
        "Policy": {"QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}},
        "Environment": {
            "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
            "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 2}],
        },
        "Queue": {
            "JobQueueType": "SAGEMAKER_TRAINING",
            "Priority": 1,
            "SchedulingPolicyArn": {"Fn::GetAtt": ["Policy", "Arn"]},
            "ServiceEnvironmentOrder": [{"Order": 1, "ServiceEnvironment": {"Ref": "Environment"}}],
        },
        "A": _share("a", "LEND"),
        "B": _share("b", "LEND_AND_BORROW", 100),
    }
    kinds = {"Policy": "SchedulingPolicy", "Environment": "ServiceEnvironment", "Queue": "JobQueue"}
    for logical_id, changed in changes.items():
        for name, value in (changed or {}).items():
            properties[logical_id][name] = value
            if value is None:
                del properties[logical_id][name]
    return {
        "Resources": {
            logical_id: {"Type": f"AWS::Batch::{kinds.get(logical_id, 'QuotaShare')}", "Properties": given}
            for logical_id, given in properties.items()
        }
    }


def _share(name: str, strategy: str, borrow_limit: int | None = None) -> dict[str, Any]:
    return {
        "QuotaShareName": name,
        "JobQueue": {"Fn::GetAtt": ["Queue", "JobQueueArn"]},
        "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 1}],
        "PreemptionConfiguration": {"InSharePreemption": "DISABLED"},
        "ResourceSharingConfiguration": {"Strategy": strategy}
        | ({} if borrow_limit is None else {"BorrowLimit": borrow_limit}),
    }


def found(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding.id, finding.where) for finding in check_template(document)]


def test_a_sound_template_has_no_finding() -> None:
    assert found(template()) == []


@pytest.mark.parametrize(
    ("document", "want"),
    [
        pytest.param(template(Queue={"JobQueueType": None}), [("QS030", "Resources.Queue.type")], id="no queue type"),
        pytest.param(
            template(Queue={"SchedulingPolicyArn": None}),
            [("QS034", "Resources.Queue.policy")],
            id="shares on a queue without a policy",
        ),
        pytest.param(template(Queue={"SchedulingPolicyArn": {"Ref": "PolicyArn"}}), [], id="a policy from a parameter"),
        pytest.param(
            template(Policy={"QuotaSharePolicy": None, "FairsharePolicy": {"ShareDecaySeconds": 1}}),
            [("QS034", "Resources.Policy")],
            id="a policy of the other kind",
        ),
        pytest.param(
            template(Policy={"QuotaSharePolicy": {}}),
            [("QS035", "Resources.Policy.idle_resource_assignment")],
            id="an empty policy",
        ),
        pytest.param(
            template(Queue={"ServiceEnvironmentOrder": None}),
            [("QS031", "Resources.Queue.service_environments")],
            id="no environment",
        ),
        pytest.param(
            template(Environment={"CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 1}]}),
            [("QS009", f"Resources.Environment.{G5}")],
            id="more shared out than there is",
        ),
        pytest.param(
            template(A={"CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": {"Ref": "Limit"}}]}),
            [],
            id="a limit from a parameter",
        ),
        pytest.param(
            template(A={"JobQueue": "arn:aws:batch:eu-west-1:111122223333:job-queue/other", "State": "ON"}),
            [
                ("QS010", f"Resources.Environment.{G5}"),
                ("QS021", "Resources.B.strategy"),
                ("QS023", "Resources.A.state"),
            ],
            id="a share of a queue that is elsewhere",
        ),
    ],
)
def test_finds_in_a_template(document: dict[str, Any], want: list[tuple[str, str]]) -> None:
    assert found(document) == want


def test_one_environment_for_two_queues() -> None:
    document = template()
    document["Resources"]["Other"] = {
        **document["Resources"]["Queue"],
    }
    assert ("QS032", "Resources.Environment") in found(document)


def test_other_batch_resources_are_none_of_our_business() -> None:
    document = {
        "Resources": {
            "Queue": {"Type": "AWS::Batch::JobQueue", "Properties": {"JobQueueType": "ECS", "State": "ODD"}},
            "Environment": {
                "Type": "AWS::Batch::ServiceEnvironment",
                "Properties": {"CapacityLimits": [{"CapacityUnit": "NUM_INSTANCES", "MaxCapacity": 1}]},
            },
            "Bucket": {"Type": "AWS::S3::Bucket"},
            "Odd": None,
        }
    }
    assert found(document) == []
    assert found({}) == []
    assert found({"Resources": []}) == []
