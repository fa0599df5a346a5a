"""What escape hatches, aspects and mutations do behind the guard's back fails the synthesis, with the path."""

import jsii
import pytest
from aws_cdk import (
    Aspects,
    Aws,
    CfnCondition,
    CfnParameter,
    CfnResource,
    Fn,
    IAspect,
    NestedStack,
    RemovalPolicies,
    RemovalPolicy,
    Stack,
    Stage,
)
from constructs_support import G5, G6, new_app, new_queue, new_stack, proposal_of_stack, report_of, template_of

from quota_constructs import (
    QuotaGuard,
    QuotaManagedQueue,
    QuotaShare,
    ResourceSharing,
    ShareLifecycle,
    ShareRemoval,
)


class Declared:
    """A stack with a queue, a managed and a native share."""

    def __init__(self):
        self.stack = new_stack()
        parameter = CfnParameter(self.stack, "Capacity", type="Number", default=2).value_as_number
        self.queue = new_queue(self.stack, guard=None)
        self.managed = self.queue.add_share("Managed", capacity_limits={G5: 2})
        self.native = self.queue.add_share(
            "Native",
            capacity_limits={G5: parameter},
            lifecycle=ShareLifecycle.NATIVE,
            resource_sharing=ResourceSharing.lend(),
        )
        self.guard = QuotaGuard.of(self.stack)

    def child(self, name):
        return self.queue.node.find_child(name)


def override(name, value):
    return lambda resource: resource.add_property_override(name, value)


def condition(of):
    """Put a condition on a resource of what was declared."""

    def change(declared):
        expression = Fn.condition_equals(Aws.REGION, "eu-west-1")
        of(declared).cfn_options.condition = CfnCondition(declared.stack, "Somewhere", expression=expression)

    return change


CASES = {
    "a limit of a native share": (
        lambda d: d.native.node.default_child.add_property_override("CapacityLimits.0.MaxCapacity", 3),
        "Stack/Training/Native",
        "capacityLimits of",
    ),
    "a limit that is a parameter, by another parameter": (
        lambda d: d.native.node.default_child.add_property_override(
            "CapacityLimits.0.MaxCapacity", {"Ref": "QuotaAcknowledge"}
        ),
        "Stack/Training/Native",
        'the guard is told [{capacityUnit: ml.g5.xlarge, maxCapacity: {"Ref": "Capacity"}}]',
    ),
    "the document of a managed share": (
        lambda d: d.managed.node.default_child.add_property_override("Share", '{"quotaShareName":"Other"}'),
        "Stack/Training/Managed",
        "quotaShareName of",
    ),
    "what happens on removal": (
        lambda d: d.managed.node.default_child.add_property_override("OnRemoval", "TERMINATE"),
        "Stack/Training/Managed",
        "onRemoval of",
    ),
    "the queue of a share": (
        lambda d: d.managed.node.default_child.add_property_override("JobQueue", "arn:aws:batch:::job-queue/other"),
        "Stack/Training/Managed",
        "jobQueue of",
    ),
    "the limits of the environment": (
        lambda d: d.child("ServiceEnvironment").add_property_override("CapacityLimits.0.CapacityUnit", G6),
        "Stack/Training/ServiceEnvironment",
        "capacityLimits of",
    ),
    "the state of the queue, by its L1": (
        lambda d: setattr(d.queue.node.default_child, "state", "DISABLED"),
        "Stack/Training",
        "state of",
    ),
    "the environment of the queue": (
        lambda d: d.queue.node.default_child.add_property_override(
            "ServiceEnvironmentOrder.0.ServiceEnvironment", "another"
        ),
        "Stack/Training",
        "serviceEnvironmentOrder of",
    ),
    "the deletion policy, past the CDK": (
        lambda d: d.queue.node.default_child.add_override("DeletionPolicy", "Delete"),
        "Stack/Training",
        "removal policy of",
    ),
    "the name of the policy": (
        lambda d: d.child("SchedulingPolicy").add_property_override("Name", "fair"),
        "Stack/Training/SchedulingPolicy",
        "name of",
    ),
    "the type of a share": (
        lambda d: d.managed.node.default_child.add_override("Type", "AWS::Batch::QuotaShare"),
        "Stack/Training/Managed",
        "Type of",
    ),
    "the dependency on the guard": (
        lambda d: d.native.node.default_child.add_override("DependsOn", ["QuotaHandler5AD888AE"]),
        "Stack/Training/Native",
        "does not depend on QuotaGuardA08BF9C6",
    ),
    "the dependency, deleted": (
        lambda d: d.queue.node.default_child.add_deletion_override("DependsOn"),
        "Stack/Training",
        "does not depend on QuotaGuardA08BF9C6",
    ),
    "what the guard is told": (
        lambda d: d.guard.resource.add_property_override("Proposal", '{"version":1,"queues":[]}'),
        "Stack/Training/Managed",
        "the guard is not told of",
    ),
    "the policy of the guard": (
        lambda d: d.guard.resource.add_property_override("Policy", '{"version":1}'),
        "Stack/QuotaGuard",
        "give the queue another ChangeGuard, not with an override",
    ),
    "the policy of the guard, deleted": (
        lambda d: d.guard.resource.add_property_deletion_override("Policy"),
        "Stack/QuotaGuard",
        "Policy of QuotaGuardA08BF9C6 is missing in the template",
    ),
    "what is acknowledged": (
        lambda d: d.guard.resource.add_property_override("Acknowledge", "unknown"),
        "Stack/QuotaGuard",
        'Acknowledge of QuotaGuardA08BF9C6 is unknown in the template, it was made with {"Ref": "QuotaAcknowledge"}',
    ),
    "who answers for the guard": (
        lambda d: d.guard.resource.add_property_override("ServiceToken", "arn:aws:lambda:::function:other"),
        "Stack/QuotaGuard",
        "ServiceToken of QuotaGuardA08BF9C6",
    ),
    "who makes a share": (
        lambda d: d.managed.node.default_child.add_property_override("ServiceToken", "arn:aws:lambda:::function:other"),
        "Stack/Training/Managed",
        "ServiceToken of",
    ),
    "the type of the guard": (
        lambda d: d.guard.resource.add_override("Type", "AWS::CloudFormation::WaitConditionHandle"),
        "Stack/QuotaGuard",
        "Type of QuotaGuardA08BF9C6 is AWS::CloudFormation::WaitConditionHandle, not Custom::QuotaGuard",
    ),
    "when the guard is there": (
        condition(lambda d: d.guard.resource),
        "Stack/QuotaGuard",
        "has the condition Somewhere, and nothing waits for the guard while it does not hold; drop the condition",
    ),
    "when a managed share is there": (
        condition(lambda d: d.managed.node.default_child),
        "Stack/Training/Managed",
        "has the condition Somewhere, and the guard is told of it as if it always held; leave the construct out with",
    ),
    "when a native share is there": (
        condition(lambda d: d.native.node.default_child),
        "Stack/Training/Native",
        "has the condition Somewhere",
    ),
    "when the queue is there": (
        condition(lambda d: d.queue.node.default_child),
        "Stack/Training",
        "has the condition Somewhere",
    ),
    "when the environment is there": (
        condition(lambda d: d.child("ServiceEnvironment")),
        "Stack/Training/ServiceEnvironment",
        "has the condition Somewhere",
    ),
    "the kind of the policy": (
        lambda d: d.child("SchedulingPolicy").add_property_override("FairsharePolicy", {"ShareDecaySeconds": 5}),
        "Stack/Training/SchedulingPolicy",
        "is {shareDecaySeconds: 5} in the template, quota shares need it to be missing; drop the override",
    ),
    "the kind of the policy, deleted": (
        lambda d: d.child("SchedulingPolicy").add_property_deletion_override("QuotaSharePolicy"),
        "Stack/Training/SchedulingPolicy",
        "is missing in the template, quota shares need {idleResourceAssignmentStrategy: FIFO}; drop the override",
    ),
    "the strategy for idle capacity": (
        lambda d: d.child("SchedulingPolicy").add_property_override(
            "QuotaSharePolicy.IdleResourceAssignmentStrategy", "LIFO"
        ),
        "Stack/Training/SchedulingPolicy",
        "quota shares need {idleResourceAssignmentStrategy: FIFO}",
    ),
    "the type of the environment": (
        lambda d: d.child("ServiceEnvironment").add_property_override("ServiceEnvironmentType", "EKS"),
        "Stack/Training/ServiceEnvironment",
        "is EKS in the template, quota shares need SAGEMAKER_TRAINING; drop the override",
    ),
    "the kind of the queue": (
        lambda d: d.queue.node.default_child.add_property_override("ComputeEnvironmentOrder", [{"Order": 1}]),
        "Stack/Training",
        "computeEnvironmentOrder of",
    ),
    "what becomes of a managed share, by its policy": (
        lambda d: d.managed.apply_removal_policy(RemovalPolicy.RETAIN),
        "Stack/Training/Managed",
        "is RETAIN in the template, the guard is told REFUSE_IF_BUSY",
    ),
    "what becomes of a native share, by its policy": (
        lambda d: d.native.apply_removal_policy(RemovalPolicy.RETAIN),
        "Stack/Training/Native",
        "removal policy of",
    ),
    "the guard's proposal, by no JSON": (
        lambda d: d.guard.resource.add_property_override("Proposal", "nothing"),
        "Stack/QuotaGuard",
        "the proposal of the guard is overridden",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_fails_when_somebody_changes(case):
    change, want_path, want_text = CASES[case]
    declared = Declared()
    change(declared)
    with pytest.raises(RuntimeError) as raised:
        declared.stack.node.root.synth()
    text = str(raised.value)
    assert f"\n   {want_path} (" in text
    assert want_text in text


def test_fails_when_an_aspect_changes_a_share():
    @jsii.implements(IAspect)
    class Enlarge:
        def visit(self, node):
            if type(node).__name__ == "CfnQuotaShare":
                node.capacity_limits = [{"capacityUnit": G5, "maxCapacity": 99}]

    declared = Declared()
    Aspects.of(declared.stack).add(Enlarge())
    with pytest.raises(RuntimeError, match=r"FATAL capacityLimits of .*Native"):
        declared.stack.node.root.synth()


def test_all_breaches_of_an_app_are_reported_at_once():
    declared = Declared()
    declared.managed.node.default_child.add_property_override("OnRemoval", "RETAIN")
    declared.native.node.default_child.add_property_override("State", "DISABLED")
    with pytest.raises(RuntimeError) as raised:
        declared.stack.node.root.synth()
    assert str(raised.value).count("FATAL") == 2


@pytest.mark.parametrize("where", ["nested", "stage"])
def test_fails_in_nested_stacks_and_stages_too(where):
    app = new_app()
    stack = NestedStack(Stack(app, "Parent"), "Nested") if where == "nested" else Stack(Stage(app, "Prod"), "Training")
    queue = new_queue(stack)
    queue.node.default_child.add_property_override("State", "DISABLED")
    with pytest.raises(RuntimeError, match=r"state of .* is DISABLED in the template"):
        app.synth()


@pytest.mark.parametrize("synthesize", [lambda stage, stack: stage.synth(), lambda stage, stack: template_of(stack)])
@pytest.mark.parametrize("nested", [False, True])
def test_fails_in_a_stage_that_is_synthesized_without_its_app(nested, synthesize):
    stage = Stage(new_app(), "Prod")
    stack = Stack(stage, "Stack")
    queue = new_queue(NestedStack(stack, "Nested") if nested else stack)
    queue.add_share("Vision", capacity_limits={G5: 4}).node.default_child.add_deletion_override("DependsOn")
    queue.node.default_child.add_property_override("State", "DISABLED")
    with pytest.raises(RuntimeError) as raised:
        synthesize(stage, stack)
    first, second = str(raised.value).splitlines()[:2]
    own = "Prod/Stack/Nested" if nested else "Prod/Stack"
    assert f"{own}/Training: state of " in first
    assert second.startswith(f"{own}/Training/Vision: ")
    assert "put the dependency back [QC010]" in second


def test_a_stage_without_a_breach_can_be_synthesized_without_its_app_and_again():
    stage = Stage(new_app(), "Prod")
    stack = Stack(stage, "Stack")
    queue = new_queue(stack)
    first = template_of(stack)
    assert stage.synth(force=True).get_stack_artifact(stack.artifact_id).template == first
    queue.node.default_child.add_property_override("State", "DISABLED")
    with pytest.raises(RuntimeError, match="state of "):
        stage.synth(force=True)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.queue.node.default_child.override_logical_id("Renamed"),
        lambda d: d.stack.rename_logical_id(d.stack.get_logical_id(d.queue.node.default_child), "Renamed"),
        lambda d: d.queue.apply_removal_policy(RemovalPolicy.DESTROY),
        lambda d: d.managed.node.default_child.add_property_override("Extra", "value"),
        lambda d: d.queue.node.default_child.add_override("Metadata.Note", "value"),
        lambda d: d.guard.resource.override_logical_id("Guard"),
    ],
    ids=["logical id", "renamed", "removal policy", "another property", "metadata", "the guard's logical id"],
)
def test_what_the_guard_follows_or_does_not_look_at_may_change(change):
    declared = Declared()
    change(declared)
    declared.stack.node.root.synth()


@pytest.mark.parametrize("lifecycle", ShareLifecycle)
@pytest.mark.parametrize("arn", ["queue", "attribute"])
def test_the_queue_may_be_known_by_a_resource_of_the_stack(arn, lifecycle):
    stack = new_stack()
    if arn == "queue":
        kind, attribute = "AWS::Batch::JobQueue", "Ref"
    else:
        kind, attribute = "Custom::Lookup", "JobQueueArn"
    resource = CfnResource(stack, "Known", type=kind)
    reference = resource.ref if attribute == "Ref" else resource.get_att(attribute).to_string()
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", reference)
    share = queue.add_share("Vision", capacity_limits={G5: 2}, lifecycle=lifecycle)
    stack.node.root.synth()
    share.node.default_child.add_property_override("JobQueue", resource.get_att("Another"))
    with pytest.raises(RuntimeError, match="jobQueue of"):
        stack.node.root.synth(force=True)


def test_the_queue_may_be_in_a_stack_nested_in_that_of_the_share():
    parent = new_stack()
    queue = new_queue(NestedStack(parent, "Nested"))
    QuotaShare(parent, "Vision", queue=queue, capacity_limits={G5: 4})
    parent.node.root.synth()


KEPT = {"lifecycle": ShareLifecycle.NATIVE, "on_removal": ShareRemoval.RETAIN}
ENDED = {"on_removal": ShareRemoval.TERMINATE}


@pytest.mark.parametrize(
    ("settings", "change", "want"),
    [
        (KEPT, lambda stack, share: None, "RETAIN"),
        (KEPT, lambda stack, share: share.apply_removal_policy(RemovalPolicy.DESTROY), "REFUSE_IF_BUSY"),
        (KEPT, lambda stack, share: RemovalPolicies.of(stack.node.root).destroy(), "REFUSE_IF_BUSY"),
        (KEPT, lambda stack, share: RemovalPolicies.of(share).destroy(), "REFUSE_IF_BUSY"),
        (ENDED, lambda stack, share: RemovalPolicies.of(stack).destroy(), "TERMINATE"),
        (ENDED, lambda stack, share: RemovalPolicies.of(stack).retain(), "RETAIN"),
        (ENDED | {"lifecycle": ShareLifecycle.NATIVE}, lambda s, _: RemovalPolicies.of(s).retain(), "RETAIN"),
        ({"on_removal": ShareRemoval.RETAIN}, lambda s, _: RemovalPolicies.of(s).destroy(), "RETAIN"),
    ],
)
def test_the_guard_is_told_what_becomes_of_a_share(settings, change, want):
    stack = new_stack()
    share = new_queue(stack).add_share("Vision", capacity_limits={G5: 4}, **settings)
    change(stack, share)
    ((told,),) = (queue["shares"] for queue in proposal_of_stack(stack)["queues"])
    assert told["onRemoval"] == want


def test_a_breach_cannot_be_acknowledged_away():
    from aws_cdk import Acknowledgment, Validations

    declared = Declared()
    declared.managed.node.default_child.add_property_override("OnRemoval", "RETAIN")
    Validations.of(declared.stack).acknowledge(Acknowledgment(id="quota-guard::QC011", reason="no"))
    with pytest.raises(RuntimeError, match="QC011"):
        declared.stack.node.root.synth()


def test_warnings_of_the_rules_are_in_the_report_and_can_be_acknowledged():
    from aws_cdk import Acknowledgment, Validations

    stack = new_stack()
    new_queue(stack, limit=4).add_share("Vision", capacity_limits={G5: 3})
    (said,) = report_of(stack.node.root)
    assert said.startswith("quota-guard warning Stack/Training/ServiceEnvironment: 1 of 4 ml.g5.xlarge belongs to no")
    Validations.of(stack).acknowledge(Acknowledgment(id="quota-guard::QS010", reason="room to grow"))
    assert report_of(stack.node.root) == []
