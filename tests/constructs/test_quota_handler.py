"""The function, its role and its log, and what an organisation may set."""

import json
from graphlib import TopologicalSorter

import pytest
from aws_cdk import App, NestedStack, Stack, Stage
from aws_cdk.aws_ec2 import Vpc
from aws_cdk.aws_iam import CfnRole, ManagedPolicy, Role, ServicePrincipal
from aws_cdk.aws_kms import Key
from aws_cdk.aws_lambda import Runtime
from aws_cdk.aws_logs import RetentionDays
from aws_cdk.aws_sns import Topic
from constructs_support import G5, PLACE, new_app, new_queue, new_stack, only, resources_of, template_of

from quota_constructs import ChangeGuard, QuotaHandler

FUNCTION = "AWS::Lambda::Function"
ROLE = "AWS::IAM::Role"


def test_the_function_runs_the_handler_with_time_to_answer():
    stack = new_stack()
    new_queue(stack)
    function = only(resources_of(stack, FUNCTION))["Properties"]
    assert (function["Handler"], function["Runtime"]) == ("quota_handler.handler.on_event", "python3.14")
    guard = only(resources_of(stack, "Custom::QuotaGuard"))["Properties"]
    assert guard["ServiceTimeout"] == function["Timeout"] + 60 == 660


def test_lambda_retries_nothing_and_the_guard_waits_until_that_is_set():
    stack = new_stack()
    new_queue(stack)
    (name,) = resources_of(stack, "AWS::Lambda::EventInvokeConfig")
    settings = only(resources_of(stack, "AWS::Lambda::EventInvokeConfig"))["Properties"]
    assert (settings["MaximumRetryAttempts"], settings["MaximumEventAgeInSeconds"]) == (0, 600)
    assert only(resources_of(stack, "Custom::QuotaGuard"))["DependsOn"] == [name]


def test_the_role_has_one_inline_policy_that_goes_when_it_goes():
    stack = new_stack()
    new_queue(stack)
    assert resources_of(stack, "AWS::IAM::Policy") == {}
    role = only(resources_of(stack, ROLE))["Properties"]
    assert "ManagedPolicyArns" not in role
    (policy,) = role["Policies"]
    statements = {statement["Sid"]: statement for statement in policy["PolicyDocument"]["Statement"]}
    assert [sid for sid, statement in statements.items() if statement["Resource"] == "*"] == ["ReadQueuesAndJobs"]
    assert all("*" not in action for statement in statements.values() for action in statement["Action"])
    assert statements["FindOwnResources"]["Resource"] == {"Ref": "AWS::StackId"}
    assert statements["DeleteOwnShares"]["Condition"] == {
        "StringLike": {"aws:ResourceTag/quota-constructs:owner": {"Fn::Sub": "${AWS::StackId}/*"}}
    }
    (log_group,) = resources_of(stack, "AWS::Logs::LogGroup")
    assert statements["WriteOwnLog"]["Resource"] == {"Fn::GetAtt": [log_group, "Arn"]}


def test_the_handler_calls_nothing_that_its_role_does_not_allow():
    """Every operation in the handler's code, against the actions of the policy."""
    import re
    from pathlib import Path

    import quota_handler
    import quota_live

    stack = new_stack()
    new_queue(stack)
    (policy,) = only(resources_of(stack, ROLE))["Properties"]["Policies"]
    allowed = {action for statement in policy["PolicyDocument"]["Statement"] for action in statement["Action"]}
    sources = [
        path.read_text(encoding="utf-8")
        for package in (quota_handler, quota_live)
        for path in Path(package.__file__).parent.glob("*.py")
    ]
    called = {
        f"{service}:{''.join(word.title() for word in name.split('_'))}"
        for source in sources
        for service, name in re.findall(
            r"\b(batch|cloudformation)\.((?:describe|list|get|create|update|delete|tag|untag)_\w+)", source
        )
    }
    assert called
    assert called - allowed == set()


def test_logs_are_kept_half_a_year_in_a_group_of_their_own():
    stack = new_stack()
    new_queue(stack)
    (name,) = resources_of(stack, "AWS::Logs::LogGroup")
    assert only(resources_of(stack, "AWS::Logs::LogGroup"))["Properties"] == {"RetentionInDays": 180}
    assert only(resources_of(stack, FUNCTION))["Properties"]["LoggingConfig"] == {"LogGroup": {"Ref": name}}


def test_a_platform_team_sets_what_its_organisation_prescribes():
    stack = Stack(new_app(), "Stack", env=PLACE)
    handler = QuotaHandler.of(
        stack,
        permissions_boundary=ManagedPolicy.from_managed_policy_name(stack, "Boundary", "boundary"),
        vpc=Vpc(stack, "Vpc", max_azs=2),
        log_encryption_key=Key(stack, "Key"),
        log_retention=RetentionDays.ONE_YEAR,
        runtime=Runtime.PYTHON_3_13,
        owner_tag="team",
    )
    queue = new_queue(stack)
    assert QuotaHandler.of(queue) is handler
    (key,) = resources_of(stack, "AWS::KMS::Key")
    (group,) = resources_of(stack, "AWS::EC2::SecurityGroup")
    function = only(resources_of(stack, FUNCTION))["Properties"]
    assert function["Runtime"] == "python3.13"
    assert function["Environment"] == {"Variables": {"QUOTA_OWNER_TAG": "team"}}
    assert function["VpcConfig"]["SecurityGroupIds"] == [{"Fn::GetAtt": [group, "GroupId"]}]
    assert len(function["VpcConfig"]["SubnetIds"]) == 2
    assert only(resources_of(stack, "AWS::Logs::LogGroup"))["Properties"] == {
        "KmsKeyId": {"Fn::GetAtt": [key, "Arn"]},
        "RetentionInDays": 365,
    }
    role = next(r for name, r in resources_of(stack, ROLE).items() if name.startswith("QuotaHandlerRole"))["Properties"]
    assert "PermissionsBoundary" in role
    assert "ec2:CreateNetworkInterface" in json.dumps(role["Policies"])


def test_a_role_of_ones_own_gets_the_permissions_before_the_function_runs():
    stack = new_stack()
    role = Role(stack, "Own", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
    handler = QuotaHandler.of(stack, role=role)
    new_queue(stack)
    assert handler.role is role
    assert len(resources_of(stack, ROLE)) == 1
    (policy,) = resources_of(stack, "AWS::IAM::Policy")
    assert policy in only(resources_of(stack, FUNCTION))["DependsOn"]


def own_role(scope, construct_id="Own", **settings):
    return Role(scope, construct_id, assumed_by=ServicePrincipal("lambda.amazonaws.com"), **settings)


def references(value):
    """Give the logical ids that a part of a template refers to."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "Ref":
                yield member
            elif name == "Fn::GetAtt":
                yield member[0]
            else:
                yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def order_of(stack):
    """Give the resources in an order in which they can be made; fails on a circle."""
    resources = template_of(stack)["Resources"]
    graph = {
        name: (set(references(resource.get("Properties", {}))) | set(resource.get("DependsOn", []))) & set(resources)
        for name, resource in resources.items()
    }
    return list(TopologicalSorter(graph).static_order())


def grant_all(share, queue, role):
    share.grants.observe(role)
    share.grants.submit(role, tags={"team": "vision"})
    queue.grants.administer(role)


@pytest.mark.parametrize("notify", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_the_handlers_role_may_be_granted_anything_on_what_waits_for_it(notify, given):
    stack = new_stack()
    handler = QuotaHandler.of(stack, role=own_role(stack)) if given else QuotaHandler.of(stack)
    queue = new_queue(stack, guard=ChangeGuard(notify=Topic(stack, "Topic") if notify else None))
    grant_all(queue.add_share("Vision", capacity_limits={G5: 1}), queue, handler.role)
    order = order_of(stack)
    (guard,) = resources_of(stack, "Custom::QuotaGuard")
    before = [name for name in resources_of(stack, "AWS::IAM::Policy") if order.index(name) < order.index(guard)]
    assert len(before) == given + notify


def test_policies_name_a_role_that_gets_a_path_later():
    stack = new_stack()
    queue = new_queue(stack, guard=ChangeGuard(notify=Topic(stack, "Topic")))
    queue.grants.observe(QuotaHandler.of(stack).role)
    for construct in stack.node.find_all():
        if isinstance(construct, CfnRole):
            construct.path = "/platform/"
    (role,) = resources_of(stack, ROLE)
    policies = resources_of(stack, "AWS::IAM::Policy").values()
    assert [policy["Properties"]["Roles"] for policy in policies] == [[{"Ref": role}]] * 2


def test_who_may_change_a_role_stays_who_may():
    """A role that is imported as immutable gets no policy, and the function does not wait for one."""
    stack = new_stack()
    role = Role.from_role_arn(stack, "Role", "arn:aws:iam::111122223333:role/quota", mutable=False)
    QuotaHandler.of(stack, role=role)
    new_queue(stack, guard=ChangeGuard(notify=Topic(stack, "Topic")))
    assert resources_of(stack, "AWS::IAM::Policy") == {}
    assert "DependsOn" not in only(resources_of(stack, FUNCTION))


def elsewhere(app):
    """A role of another stack, and one that is imported there, for a handler of a stack of its own."""
    return Stack(app, "Security", env=PLACE), Stack(app, "Stack", env=PLACE)


def nested(app):
    """A role of the parent, for a handler of a nested stack."""
    parent = Stack(app, "Parent", env=PLACE)
    return parent, NestedStack(parent, "Nested")


@pytest.mark.parametrize("stacks", [elsewhere, nested])
@pytest.mark.parametrize(
    "declare", [own_role, lambda scope: Role.from_role_arn(scope, "Own", "arn:aws:iam::111122223333:role/quota")]
)
def test_a_role_of_another_stack_gets_the_permissions_of_the_handlers_stack(stacks, declare):
    theirs, stack = stacks(new_app())
    Topic(theirs, "Topic")  # a stack is never empty
    QuotaHandler.of(stack, role=declare(theirs))
    new_queue(stack)
    assert resources_of(theirs, "AWS::IAM::Policy") == {}
    (name,) = resources_of(stack, "AWS::IAM::Policy")
    statements = only(resources_of(stack, "AWS::IAM::Policy"))["Properties"]["PolicyDocument"]["Statement"]
    (own,) = [each["Resource"] for each in statements if each["Sid"] == "FindOwnResources"]
    assert own == {"Ref": "AWS::StackId"}  # in this template, it is this stack's
    assert name in only(resources_of(stack, FUNCTION))["DependsOn"]


def foreign_account(app):
    return Role.from_role_arn(Stack(app, "Security"), "Role", "arn:aws:iam::999999999999:role/quota")


def foreign_app(_app):
    return own_role(Stack(App(), "Security"))


def foreign_stage(app):
    return own_role(Stack(Stage(app, "Other"), "Security"))


@pytest.mark.parametrize(
    ("make", "want"),
    [
        (foreign_account, "Stack: role is of another account, got 999999999999, allowed is 111122223333; give"),
        (foreign_app, "Stack: role is of another app or stage, got Security/Own; give"),
        (foreign_stage, "Stack: role is of another app or stage, got Other/Security/Own; give"),
    ],
)
def test_fails_on_a_role_that_the_function_cannot_have(make, want):
    app = new_app()
    stack = Stack(app, "Stack", env=PLACE)
    with pytest.raises(ValueError, match=want) as raised:
        QuotaHandler.of(stack, role=make(app))
    assert raised.value.rule_ids == ("QC014",)
    QuotaHandler.of(stack)


@pytest.mark.parametrize("place", [None, PLACE])
@pytest.mark.parametrize("account", ["111122223333", "999999999999"])
def test_the_guard_waits_until_it_may_publish_to_a_topic_that_is_imported(account, place):
    stack = Stack(new_app(), "Stack", env=place)
    arn = f"arn:aws:sns:eu-west-1:{account}:quota"
    new_queue(stack, guard=ChangeGuard(notify=Topic.from_topic_arn(stack, "Topic", arn)))
    waits = only(resources_of(stack, "Custom::QuotaGuard"))["DependsOn"]
    (policy,) = [each for name, each in resources_of(stack, "AWS::IAM::Policy").items() if name in waits]
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement == {"Action": "sns:Publish", "Effect": "Allow", "Resource": arn}


def test_a_topic_of_another_account_allows_the_role_by_itself():
    app = new_app()
    stack, theirs = (
        Stack(app, "Stack", env=PLACE),
        Stack(app, "Alarms", env={"account": "999999999999", "region": "eu-west-1"}),
    )
    topic = Topic(theirs, "Topic", topic_name="quota")
    QuotaHandler.of(stack, role=own_role(stack, role_name="quota"))
    new_queue(stack, guard=ChangeGuard(notify=topic))
    (statement,) = only(resources_of(theirs, "AWS::SNS::TopicPolicy"))["Properties"]["PolicyDocument"]["Statement"]
    assert "role/quota" in str(statement["Principal"])


def test_every_stack_has_a_function_of_its_own():
    """A shared one would need an export, which blocks its own changes later."""
    app = new_app()
    stacks = [Stack(app, name) for name in ("One", "Two")]
    for stack in stacks:
        new_queue(stack)
    assert [len(resources_of(stack, FUNCTION)) for stack in stacks] == [1, 1]
    assert all("Outputs" not in template_of(stack) for stack in stacks)


@pytest.mark.parametrize("option", ["role", "vpc", "runtime", "owner_tag"])
def test_fails_on_options_for_a_handler_that_exists(option):
    stack = new_stack()
    new_queue(stack)
    with pytest.raises(ValueError, match=f"got {option}; call QuotaHandler.of"):
        QuotaHandler.of(stack, **{option: object()})
