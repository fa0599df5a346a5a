"""The queue, its environment and its policy in the template."""

import jsii
import pytest
from aws_cdk import Aspects, CfnParameter, CfnResource, Duration, IAspect, RemovalPolicies, RemovalPolicy, Tags, Token
from constructs_support import (
    G5,
    G6,
    QUEUE_ARN,
    new_queue,
    new_stack,
    only,
    proposal_of_stack,
    resources_of,
    template_of,
)

from quota_constructs import ChangeGuard, JobStateTimeLimit, QuotaManagedQueue, State

QUEUE = "AWS::Batch::JobQueue"
ENVIRONMENT = "AWS::Batch::ServiceEnvironment"
POLICY = "AWS::Batch::SchedulingPolicy"


def logical_id(stack, kind):
    (name,) = resources_of(stack, kind)
    return name


def test_a_queue_is_three_native_resources_that_refer_to_each_other():
    stack = new_stack()
    QuotaManagedQueue(stack, "Training", capacity_limits={G5: 3, G6: 1})
    environment, policy = logical_id(stack, ENVIRONMENT), logical_id(stack, POLICY)
    assert only(resources_of(stack, QUEUE))["Properties"] == {
        "JobQueueType": "SAGEMAKER_TRAINING",
        "Priority": 1,
        "SchedulingPolicyArn": {"Ref": policy},
        "ServiceEnvironmentOrder": [{"Order": 1, "ServiceEnvironment": {"Ref": environment}}],
        "State": "ENABLED",
    }
    assert only(resources_of(stack, ENVIRONMENT))["Properties"] == {
        "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 3}, {"CapacityUnit": G6, "MaxCapacity": 1}],
        "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
        "State": "ENABLED",
    }
    assert only(resources_of(stack, POLICY))["Properties"] == {
        "QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}
    }


def test_everything_that_can_be_set_is_in_the_template():
    stack = new_stack()
    new_queue(
        stack,
        job_queue_name="ml-training",
        service_environment_name="ml-environment",
        scheduling_policy_name="ml-policy",
        priority=0,
        state=State.DISABLED,
        service_environment_state=State.DISABLED,
        job_state_time_limits=[
            JobStateTimeLimit.quota_management_limit_exceeded(Duration.minutes(10)),
            JobStateTimeLimit.service_environment_max_resource(Duration.hours(1)),
            JobStateTimeLimit.insufficient_instance_capacity(Duration.hours(24)),
        ],
    )
    queue = only(resources_of(stack, QUEUE))["Properties"]
    environment = only(resources_of(stack, ENVIRONMENT))["Properties"]
    assert (queue["JobQueueName"], queue["Priority"], queue["State"]) == ("ml-training", 0, "DISABLED")
    assert queue["JobStateTimeLimitActions"] == [
        {"Action": "TERMINATE", "MaxTimeSeconds": seconds, "Reason": reason, "State": "RUNNABLE"}
        for reason, seconds in (
            ("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", 600),
            ("MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE", 3600),
            ("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", 86400),
        )
    ]
    assert (environment["ServiceEnvironmentName"], environment["State"]) == ("ml-environment", "DISABLED")
    assert only(resources_of(stack, POLICY))["Properties"]["Name"] == "ml-policy"


@pytest.mark.parametrize(
    ("settings", "want_policy", "want_told"),
    [
        ({}, "Retain", "RETAIN"),
        ({"removal_policy": RemovalPolicy.DESTROY}, "Delete", "DESTROY"),
        ({"removal_policy": RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE}, "RetainExceptOnCreate", "RETAIN"),
    ],
)
def test_queue_environment_and_policy_are_kept_unless_told_otherwise(settings, want_policy, want_told):
    """On deletion and on replacement; losing the queue ends every job in it."""
    stack = new_stack()
    new_queue(stack, **settings)
    for kind in (QUEUE, ENVIRONMENT, POLICY):
        assert only(resources_of(stack, kind))["DeletionPolicy"] == want_policy
        assert only(resources_of(stack, kind))["UpdateReplacePolicy"] == want_policy.replace("ExceptOnCreate", "")
    told = proposal_of_stack(stack)["queues"][0]
    assert (told["queue"]["removalPolicy"], told["environment"]["removalPolicy"]) == (want_told, want_told)


def test_a_removal_policy_that_an_aspect_sets_is_told_to_the_guard():
    stack = new_stack()
    new_queue(stack)
    RemovalPolicies.of(stack).destroy()
    assert only(resources_of(stack, QUEUE))["DeletionPolicy"] == "Delete"
    assert proposal_of_stack(stack)["queues"][0]["queue"]["removalPolicy"] == "DESTROY"


def test_tags_are_on_every_resource_of_the_queue_and_on_shares_added_to_it():
    """The service passes none on."""
    stack = new_stack()
    queue = new_queue(stack, tags={"team": "platform"})
    queue.add_share("Vision", capacity_limits={G5: 4}, tags={"team": "vision", "project": "x"})
    Tags.of(stack).add("stage", "test")
    for kind in (QUEUE, ENVIRONMENT, POLICY):
        assert only(resources_of(stack, kind))["Properties"]["Tags"] == {"stage": "test", "team": "platform"}
    share = only(resources_of(stack, "Custom::QuotaShare"))["Properties"]["Share"]
    assert share.endswith('"tags":{"project":"x","stage":"test","team":"vision"}}')


def test_attributes_are_references_to_the_resources():
    stack = new_stack()
    queue = new_queue(stack)
    name = logical_id(stack, QUEUE)
    assert stack.resolve(queue.job_queue_arn) == {"Ref": name}
    assert stack.resolve(queue.job_queue_name) == {"Fn::Select": [1, {"Fn::Split": ["/", {"Ref": name}]}]}
    assert stack.resolve(queue.service_environment_arn) == {"Ref": logical_id(stack, ENVIRONMENT)}
    assert stack.resolve(queue.scheduling_policy_arn) == {"Ref": logical_id(stack, POLICY)}


def test_the_main_child_is_the_job_queue_for_escape_hatches():
    queue = new_queue(new_stack())
    assert type(queue.node.default_child).__name__ == "CfnJobQueue"


def test_an_imported_queue_knows_what_its_arn_says():
    stack = new_stack()
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN)
    assert (queue.job_queue_arn, queue.job_queue_name) == (QUEUE_ARN, "training")
    assert (queue.env.account, queue.env.region) == ("111122223333", "eu-west-1")
    assert template_of(stack).get("Resources") is None


def test_an_imported_queue_of_which_more_is_known_is_checked_more():
    stack = new_stack()
    queue = QuotaManagedQueue.from_job_queue_attributes(
        stack, "Queue", job_queue_arn=QUEUE_ARN, capacity_limits={G5: 2}
    )
    with pytest.raises(ValueError, match=r"Stack/Queue/Vision: .*limit of 3 .*environment has 2.* \[QS007\]"):
        queue.add_share("Vision", capacity_limits={G5: 3})


def test_fails_on_two_guards_in_one_stack_that_disagree():
    stack = new_stack()
    new_queue(stack, "One", guard=ChangeGuard(max_jobs=1))
    with pytest.raises(ValueError, match=r"^Stack: stack has a guard with other settings, .* \[QC005\]$"):
        new_queue(stack, "Two", guard=ChangeGuard(max_jobs=2))


def test_amounts_that_are_known_at_deployment_only_are_left_to_the_guard():
    stack = new_stack()
    parameter = CfnParameter(stack, "Capacity", type="Number")
    queue = QuotaManagedQueue(stack, "Training", capacity_limits={G5: parameter.value_as_number})
    queue.add_share("Vision", capacity_limits={G5: Token.as_number(parameter.value)})
    environment = only(resources_of(stack, ENVIRONMENT))["Properties"]
    assert environment["CapacityLimits"] == [{"CapacityUnit": G5, "MaxCapacity": {"Ref": "Capacity"}}]
    guard = only(resources_of(stack, "Custom::QuotaGuard"))["Properties"]["Proposal"]
    (_, [head, first, middle, second, tail]) = guard["Fn::Join"]
    assert (first, second) == ({"Ref": "Capacity"}, {"Ref": "Capacity"})
    assert head.endswith('"maxCapacity":')
    assert middle.startswith("}]")
    assert tail.startswith("}]")


def test_aspects_may_change_what_the_guard_does_not_look_at():
    @jsii.implements(IAspect)
    class Describe:
        def visit(self, node):
            if isinstance(node, CfnResource) and node.cfn_resource_type == "AWS::Lambda::Function":
                node.add_property_override("Description", "ours")

    stack = new_stack()
    new_queue(stack)
    Aspects.of(stack).add(Describe())
    assert only(resources_of(stack, "AWS::Lambda::Function"))["Properties"]["Description"] == "ours"
