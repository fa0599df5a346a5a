"""The wiring of the guard: who waits for it, what it is told, and that it waits for nobody."""

import json

import pytest
from aws_cdk import CfnParameter, CfnResource, Duration, NestedStack, Stack, Stage
from aws_cdk.aws_sns import Topic
from constructs_support import G5, new_app, new_queue, new_stack, only, proposal_of_stack, resources_of, template_of

from quota_constructs import ChangeGuard, GuardAction, QuotaGuard, QuotaShare, ShareLifecycle

GUARD = "Custom::QuotaGuard"
TOPIC_ARN = "arn:aws:sns:eu-west-1:111122223333:changes"
GATED = (
    "AWS::Batch::JobQueue",
    "AWS::Batch::ServiceEnvironment",
    "AWS::Batch::SchedulingPolicy",
    "AWS::Batch::QuotaShare",
    "Custom::QuotaShare",
)


def full_stack():
    stack = new_stack()
    for name in ("One", "Two"):
        queue = new_queue(stack, name)
        queue.add_share("Managed", capacity_limits={G5: 2})
        queue.add_share("Native", capacity_limits={G5: 2}, lifecycle=ShareLifecycle.NATIVE)
    return stack


def references(value):
    """Give every logical id a value refers to."""
    if isinstance(value, list):
        return {found for item in value for found in references(item)}
    if not isinstance(value, dict):
        return set()
    own = {value["Ref"]} if "Ref" in value else {value["Fn::GetAtt"][0]} if "Fn::GetAtt" in value else set()
    return own | {found for member in value.values() for found in references(member)}


def test_there_is_one_guard_and_one_function_for_each_stack():
    stack = full_stack()
    assert len(resources_of(stack, GUARD)) == len(resources_of(stack, "AWS::Lambda::Function")) == 1


def test_every_gated_resource_waits_for_the_guard_and_the_guard_for_none_of_them():
    template = template_of(full_stack())["Resources"]
    (guard,) = (name for name, resource in template.items() if resource["Type"] == GUARD)
    gated = {name: resource for name, resource in template.items() if resource["Type"] in GATED}
    assert len(gated) == 10
    assert {name for name, resource in gated.items() if guard not in resource["DependsOn"]} == set()
    reached, ahead = set(), {guard}
    while ahead:
        name = ahead.pop()
        reached.add(name)
        resource = template.get(name, {})
        ahead |= (references(resource.get("Properties", {})) | set(resource.get("DependsOn", ()))) - reached
    assert reached & set(gated) == set()


def test_what_the_guard_is_told_has_one_order_and_holds_what_was_declared():
    stack = new_stack()
    new_queue(stack).add_share("Vision", capacity_limits={G5: 4})
    (queue,) = resources_of(stack, "AWS::Batch::JobQueue")
    (environment,) = resources_of(stack, "AWS::Batch::ServiceEnvironment")
    (policy,) = resources_of(stack, "AWS::Batch::SchedulingPolicy")
    (share,) = resources_of(stack, "Custom::QuotaShare")
    assert only(resources_of(stack, GUARD))["Properties"]["Proposal"] == json.dumps(
        {
            "version": 1,
            "queues": [
                {
                    "path": "Stack/Training",
                    "queue": {
                        "logicalId": queue,
                        "name": None,
                        "arn": None,
                        "state": "ENABLED",
                        "removalPolicy": "RETAIN",
                    },
                    "environment": {
                        "logicalId": environment,
                        "name": None,
                        "state": "ENABLED",
                        "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 4}],
                        "removalPolicy": "RETAIN",
                    },
                    "schedulingPolicy": {"logicalId": policy, "name": None},
                    "jobStateTimeLimitActions": [],
                    "allowOversubscription": False,
                    "shares": [
                        {
                            "path": "Stack/Training/Vision",
                            "logicalId": share,
                            "name": "Vision",
                            "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 4}],
                            "resourceSharingConfiguration": {"strategy": "RESERVE"},
                            "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
                            "state": "ENABLED",
                            "lifecycle": "MANAGED",
                            "onRemoval": "REFUSE_IF_BUSY",
                        }
                    ],
                }
            ],
            "unguarded": [],
        },
        separators=(",", ":"),
    )


def test_the_handler_reads_what_the_constructs_write():
    from quota_live.policy import Policy, parse_policy
    from quota_scheduler.proposal import parse_proposal

    properties = only(resources_of(full_stack(), GUARD))["Properties"]
    assert [len(queue.shares) for queue in parse_proposal(properties["Proposal"]).queues] == [2, 2]
    assert parse_policy(properties["Policy"]) == Policy()


def test_the_policy_holds_what_the_guard_was_given():
    stack = new_stack()
    topic = Topic(stack, "Topic")
    new_queue(
        stack,
        guard=ChangeGuard(
            at_risk=GuardAction.BLOCK,
            notice=GuardAction.IGNORE,
            on_unknown=GuardAction.WARN,
            max_gpu_hours=12.5,
            max_jobs=0,
            max_amplification=2,
            protect_tags={"class": "production"},
            notify=topic,
        ),
    )
    (topic_id,) = resources_of(stack, "AWS::SNS::Topic")
    [head, reference, tail] = only(resources_of(stack, GUARD))["Properties"]["Policy"]["Fn::Join"][1]
    assert reference == {"Ref": topic_id}
    assert json.loads(head + "topic" + tail) == {
        "version": 1,
        "verdicts": {
            "invalid": "BLOCK",
            "destructive": "BLOCK",
            "disruptive": "BLOCK",
            "at_risk": "BLOCK",
            "notice": "IGNORE",
        },
        "onUnknown": "WARN",
        "maxGpuHours": 12.5,
        "maxJobs": 0,
        "maxAmplification": 2,
        "protect": {"tags": {"class": "production"}},
        "notifyTopicArn": "topic",
    }


def test_the_handler_may_publish_to_the_topic_and_to_no_other():
    stack = new_stack()
    new_queue(stack, guard=ChangeGuard(notify=Topic(stack, "Topic")))
    (topic,) = resources_of(stack, "AWS::SNS::Topic")
    policies = resources_of(stack, "AWS::IAM::Policy")
    (statement,) = only(policies)["Properties"]["PolicyDocument"]["Statement"]
    assert (statement["Action"], statement["Resource"]) == ("sns:Publish", {"Ref": topic})
    assert set(policies) <= set(only(resources_of(stack, GUARD))["DependsOn"])


@pytest.mark.parametrize(
    ("context", "want"),
    [
        ({}, {"Ref": "QuotaAcknowledge"}),
        ({"quota-acknowledge": ""}, {"Ref": "QuotaAcknowledge"}),
        ({"quota-acknowledge": "a-1-2,b-3-4"}, {"Fn::Join": [",", ["a-1-2,b-3-4", {"Ref": "QuotaAcknowledge"}]]}),
    ],
)
def test_context_and_stack_parameter_acknowledge_together(context, want):
    stack = new_stack(**context)
    new_queue(stack)
    assert only(resources_of(stack, GUARD))["Properties"]["Acknowledge"] == want
    parameter = template_of(stack)["Parameters"]["QuotaAcknowledge"]
    assert (parameter["Type"], parameter["Default"]) == ("String", "")


def test_what_is_declared_beside_the_constructs_is_named_to_the_guard():
    """It would be taken for gone otherwise, and a deployment that leaves it alone be blocked."""
    stack = full_stack()
    CfnResource(stack, "Raw", type="AWS::Batch::JobQueue")
    CfnResource(stack, "Other", type="AWS::Batch::ComputeEnvironment")
    nested = NestedStack(stack, "Nested")
    CfnResource(nested, "RawToo", type="AWS::Batch::JobQueue")
    assert proposal_of_stack(stack)["unguarded"] == ["Raw"]


def test_a_nested_stack_has_a_guard_of_its_own_and_the_parameter_of_its_parent():
    parent = new_stack()
    nested = NestedStack(parent, "Nested")
    new_queue(nested).add_share("Vision", capacity_limits={G5: 4})
    assert "QuotaAcknowledge" in template_of(parent)["Parameters"]
    passed = only(resources_of(parent, "AWS::CloudFormation::Stack"))["Properties"]["Parameters"]
    assert list(passed.values()) == [{"Ref": "QuotaAcknowledge"}]
    assert only(resources_of(nested, GUARD))["Properties"]["Acknowledge"] == {"Ref": next(iter(passed))}
    assert len(proposal_of_stack(nested)["queues"]) == 1
    assert resources_of(parent, GUARD) == {}


def test_a_share_in_a_nested_stack_knows_the_queue_of_its_parent_by_parameter():
    parent = new_stack()
    queue = new_queue(parent)
    nested = NestedStack(parent, "Nested")
    QuotaShare(nested, "Vision", queue=queue, capacity_limits={G5: 4})
    share = only(resources_of(nested, "Custom::QuotaShare"))["Properties"]
    assert set(share["JobQueue"]) == {"Ref"}
    assert share["JobQueue"] in only(resources_of(nested, GUARD))["Properties"]["Proposal"]["Fn::Join"][1]


def test_stacks_of_a_stage_are_guarded_like_others():
    app = new_app()
    stack = Stack(Stage(app, "Prod"), "Training")
    new_queue(stack)
    app.synth()
    assert proposal_of_stack(stack)["queues"][0]["path"] == "Prod/Training/Training"


def test_two_syntheses_of_one_app_give_the_same_template():
    def template():
        stack = full_stack()
        CfnParameter(stack, "Unrelated")
        return template_of(stack)

    assert json.dumps(template()) == json.dumps(template())


def test_logical_ids_of_guard_and_function_do_not_depend_on_the_queues():
    """Another ServiceToken is refused by CloudFormation; another guard would be a new resource."""
    for stack in (new_stack(), new_stack("Other")):
        new_queue(stack, "Anything")
        assert list(resources_of(stack, GUARD)) == ["QuotaGuardA08BF9C6"]
        assert list(resources_of(stack, "AWS::Lambda::Function")) == ["QuotaHandler5AD888AE"]


def test_the_guard_of_a_stack_is_found_by_any_construct_in_it():
    stack = new_stack()
    queue = new_queue(stack)
    guard = QuotaGuard.of(queue)
    assert guard is QuotaGuard.of(stack)
    assert stack.resolve(guard.resource.get_att("Verdict")) == {"Fn::GetAtt": ["QuotaGuardA08BF9C6", "Verdict"]}


def test_resources_of_a_users_own_can_wait_for_the_guard():
    stack = new_stack()
    new_queue(stack)
    other = CfnResource(stack, "Other", type="AWS::SQS::Queue")
    QuotaGuard.of(stack).protect(other)
    assert only(resources_of(stack, "AWS::SQS::Queue"))["DependsOn"] == ["QuotaGuardA08BF9C6"]


@pytest.mark.parametrize(
    "settings",
    [
        lambda _: {"protect_minimum_run_time": Duration.hours(1)},
        lambda number: {"notify": Topic.from_topic_arn(new_stack(), f"Topic{number}", TOPIC_ARN)},
        lambda _: {"protect_tags": {"class": "production"}, "max_jobs": 1},
    ],
    ids=("durations", "one topic, imported twice", "plain values"),
)
def test_guards_that_come_to_the_same_policy_are_one(settings):
    stack = new_stack()
    for number in range(2):
        new_queue(stack, f"Queue{number}", guard=ChangeGuard(**settings(number)))
    assert len(resources_of(stack, GUARD)) == 1


def test_guards_that_differ_name_just_the_settings_in_which_they_do():
    stack = new_stack()
    new_queue(stack, "One", guard=ChangeGuard(max_jobs=1, protect_minimum_run_time=Duration.hours(1)))
    with pytest.raises(ValueError, match="QC005") as raised:
        new_queue(stack, "Two", guard=ChangeGuard(max_jobs=1, protect_minimum_run_time=Duration.hours(2)))
    assert str(raised.value) == (
        "Stack: stack has a guard with other settings, got protect_minimum_run_time=7200, has "
        "protect_minimum_run_time=3600; one guard serves a stack: give its queues the same ChangeGuard, or put them "
        "into two stacks [QC005]"
    )


@pytest.mark.parametrize("given", ["a-1,b-2", ["a-1", "b-2"]])
def test_acknowledgements_of_the_context_are_a_text_or_a_list(given):
    stack = new_stack(**{"quota-acknowledge": given})
    new_queue(stack)
    acknowledge = only(resources_of(stack, GUARD))["Properties"]["Acknowledge"]
    assert acknowledge == {"Fn::Join": [",", ["a-1,b-2", {"Ref": "QuotaAcknowledge"}]]}
