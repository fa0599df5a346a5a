"""Raw queues whose template leaves open what the deployment decides."""

from quota_constructs._raw_rules import findings
from quota_constructs.assembly import StackTemplate


def test_an_environment_that_a_condition_chooses_is_not_known():
    chosen = {"Fn::If": ["IsTest", *({"Order": 1, "ServiceEnvironment": name} for name in ("test", "production"))]}
    template = {
        "Parameters": {"Stage": {"Type": "String"}},
        "Conditions": {"IsTest": {"Fn::Equals": [{"Ref": "Stage"}, "test"]}},
        "Resources": {
            "Policy": {
                "Type": "AWS::Batch::SchedulingPolicy",
                "Properties": {"QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}},
            },
            "Queue": {
                "Type": "AWS::Batch::JobQueue",
                "Properties": {
                    "JobQueueType": "SAGEMAKER_TRAINING",
                    "Priority": 1,
                    "SchedulingPolicyArn": {"Ref": "Policy"},
                    "ServiceEnvironmentOrder": [chosen],
                },
            },
        },
    }
    assert list(findings(StackTemplate("Training", template))) == []
