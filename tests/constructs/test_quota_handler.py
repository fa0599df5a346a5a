"""The function, its role and its log, and what an organisation may set."""

import json

import pytest
from aws_cdk import Stack
from aws_cdk.aws_ec2 import Vpc
from aws_cdk.aws_iam import ManagedPolicy, Role, ServicePrincipal
from aws_cdk.aws_kms import Key
from aws_cdk.aws_lambda import Runtime
from aws_cdk.aws_logs import RetentionDays
from constructs_support import PLACE, new_app, new_queue, new_stack, only, resources_of, template_of

from quota_constructs import QuotaHandler

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
