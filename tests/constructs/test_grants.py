"""What the rendered policies allow and deny, asked of an IAM evaluator: the local cloud's own."""

import pytest
from aws_cdk import Aws, CfnOutput, CfnParameter, Fn, Stack
from aws_cdk.aws_batch import CfnQuotaShare
from aws_cdk.aws_iam import AccountRootPrincipal, Role
from constructs_support import G5, QUEUE_ARN, SHARE_ARN, new_app, new_queue, new_stack, resources_of, template_of
from ministack.core.iam_evaluator import EvalContext, evaluate, parse_policy_document

from quota_constructs import QuotaManagedQueue
from quota_constructs.quota_share_grants import QuotaShareGrants

ACCOUNT = "111122223333"
REGION = "eu-west-1"
JOB = f"arn:aws:batch:{REGION}:{ACCOUNT}:service-job/8f1c"
OTHER_QUEUE = f"arn:aws:batch:{REGION}:{ACCOUNT}:job-queue/training-2"
EXECUTION_ROLE = f"arn:aws:iam::{ACCOUNT}:role/training"
PSEUDO = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT}


class Caller:
    """A role with the policies that a stack gives it, once deployed.

    Args:
        stack: The stack with one role.
        physical: What references to resources will be, by logical id.
    """

    def __init__(self, stack, physical=()):
        physical = {**PSEUDO, **dict(physical)}
        documents = [
            resource["Properties"]["PolicyDocument"] for resource in resources_of(stack, "AWS::IAM::Policy").values()
        ]
        self.policies = [parse_policy_document(resolved(document, physical)) for document in documents]

    def may(self, action, *resources, request_tags=None, **context):
        """Say whether a call passes; one that names several resources needs all of them."""
        return all(
            evaluate(
                EvalContext(
                    principal_arn=f"arn:aws:sts::{ACCOUNT}:assumed-role/team/me",
                    principal_type="AssumedRole",
                    principal_account=ACCOUNT,
                    action=action,
                    resource_arn=resource,
                    region=REGION,
                    request_tags=request_tags or {},
                    service_context={key.replace("__", ":").lower(): value for key, value in context.items()},
                ),
                self.policies,
            ).decision
            == "Allow"
            for resource in resources
        )

    def may_submit(self, queue, share, tags=None, priority=None):
        context = {} if priority is None else {"batch:SchedulingPriority": str(priority)}
        return self.may(
            "batch:SubmitServiceJob", queue, f"{queue}/quota-share/{share}", JOB, request_tags=tags, **context
        )


def resolved(value, physical):
    """Work out the functions of a template."""
    if isinstance(value, list):
        return [resolved(item, physical) for item in value]
    if not isinstance(value, dict):
        return value
    if "Ref" in value:
        return physical[value["Ref"]]
    if "Fn::GetAtt" in value:
        return physical[value["Fn::GetAtt"][0]]
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return separator.join(resolved(part, physical) for part in parts)
    return {name: resolved(member, physical) for name, member in value.items()}


class Teams:
    """A queue with the shares Vision and Language, and a role of team Vision."""

    def __init__(self):
        self.stack = new_stack()
        self.queue = new_queue(self.stack)
        self.vision = self.queue.add_share("Vision", capacity_limits={G5: 2})
        self.language = self.queue.add_share("Language", capacity_limits={G5: 2})
        self.role = Role(self.stack, "Team", assumed_by=AccountRootPrincipal())

    def caller(self):
        names = dict.fromkeys(resources_of(self.stack, "AWS::Batch::JobQueue"), QUEUE_ARN)
        for name, share in resources_of(self.stack, "Custom::QuotaShare").items():
            document = share["Properties"]["Share"]
            names[name] = f"{QUEUE_ARN}/quota-share/{'Vision' if 'Vision' in document else 'Language'}"
        names |= dict.fromkeys(resources_of(self.stack, "AWS::Batch::ServiceEnvironment"), "arn:environment")
        names |= dict.fromkeys(resources_of(self.stack, "AWS::Batch::SchedulingPolicy"), "arn:policy")
        return Caller(self.stack, names)


def vision_team():
    teams = Teams()
    execution_role = Role.from_role_arn(teams.stack, "Execution", EXECUTION_ROLE)
    teams.vision.grants.submit(teams.role, max_priority=5, tags={"team": "vision"}, execution_role=execution_role)
    teams.vision.grants.operate(teams.role, max_priority=5, tags={"team": "vision"})
    return teams.caller()


def test_a_team_submits_to_its_own_share_and_to_no_other():
    team = vision_team()
    own = {"team": "vision"}
    assert team.may_submit(QUEUE_ARN, "Vision", own)
    assert not team.may_submit(QUEUE_ARN, "Language", own)
    assert not team.may_submit(OTHER_QUEUE, "Vision", own)
    assert not team.may_submit(QUEUE_ARN, "Vision2", own)


@pytest.mark.parametrize(("priority", "want"), [(0, True), (5, True), (6, False), (9999, False), (None, True)])
def test_a_team_cannot_go_above_its_priority_when_it_submits(priority, want):
    """A job without a priority passes on purpose: it is no promotion."""
    assert vision_team().may_submit(QUEUE_ARN, "Vision", {"team": "vision"}, priority) is want


@pytest.mark.parametrize("tags", [{}, {"team": "language"}, {"owner": "vision"}])
def test_a_team_submits_with_its_own_tag_only(tags):
    assert not vision_team().may_submit(QUEUE_ARN, "Vision", tags)


@pytest.mark.parametrize("action", ["batch:UpdateServiceJob", "batch:TerminateServiceJob"])
@pytest.mark.parametrize(("tag", "want"), [("vision", True), ("language", False), (None, False)])
def test_a_team_operates_its_own_jobs_and_no_others(action, tag, want):
    context = {} if tag is None else {"aws:ResourceTag/team": tag}
    assert vision_team().may(action, JOB, **context) is want


@pytest.mark.parametrize(("priority", "want"), [(5, True), (6, False)])
def test_a_team_cannot_promote_a_job_later(priority, want):
    context = {"aws:ResourceTag/team": "vision", "batch:SchedulingPriority": str(priority)}
    assert vision_team().may("batch:UpdateServiceJob", JOB, **context) is want


def test_a_team_cannot_make_another_teams_job_its_own_by_tagging_it():
    team = vision_team()
    own = {"team": "vision"}
    assert team.may("batch:TagResource", JOB, request_tags=own)
    assert team.may("batch:TagResource", JOB, request_tags=own, **{"aws:ResourceTag/team": "vision"})
    assert not team.may("batch:TagResource", JOB, request_tags=own, **{"aws:ResourceTag/team": "language"})
    assert not team.may("batch:UntagResource", JOB)


def test_the_execution_role_is_passed_to_sagemaker_and_to_nobody_else():
    team = vision_team()
    assert team.may("iam:PassRole", EXECUTION_ROLE, **{"iam:PassedToService": "sagemaker.amazonaws.com"})
    assert not team.may("iam:PassRole", EXECUTION_ROLE, **{"iam:PassedToService": "lambda.amazonaws.com"})
    assert not team.may("iam:PassRole", EXECUTION_ROLE)
    assert not team.may("iam:PassRole", EXECUTION_ROLE + "-2", **{"iam:PassedToService": "sagemaker.amazonaws.com"})


def test_who_submits_and_operates_changes_no_share_and_no_queue():
    team = vision_team()
    share = f"{QUEUE_ARN}/quota-share/Vision"
    assert not any(team.may(f"batch:{verb}QuotaShare", share) for verb in ("Create", "Update", "Delete"))
    assert not any(team.may(f"batch:{verb}JobQueue", QUEUE_ARN) for verb in ("Update", "Delete"))


def test_an_observer_reads_and_changes_nothing():
    teams = Teams()
    teams.vision.grants.observe(teams.role)
    observer = teams.caller()
    assert observer.may("batch:DescribeQuotaShare", f"{QUEUE_ARN}/quota-share/Vision")
    assert not observer.may("batch:DescribeQuotaShare", f"{QUEUE_ARN}/quota-share/Language")
    assert observer.may("batch:GetJobQueueSnapshot", QUEUE_ARN)
    assert observer.may("batch:DescribeServiceJob", "*")
    assert not observer.may("batch:TerminateServiceJob", JOB, **{"aws:ResourceTag/team": "vision"})
    assert not observer.may_submit(QUEUE_ARN, "Vision")


def test_an_administrator_changes_the_queue_and_its_shares_and_no_others():
    teams = Teams()
    teams.queue.grants.administer(teams.role)
    admin = teams.caller()
    for share in ("Vision", "Anything"):
        assert admin.may("batch:CreateQuotaShare", QUEUE_ARN, f"{QUEUE_ARN}/quota-share/{share}")
        assert admin.may("batch:DeleteQuotaShare", f"{QUEUE_ARN}/quota-share/{share}")
    assert admin.may("batch:UpdateJobQueue", QUEUE_ARN, "arn:policy")
    assert admin.may("batch:UpdateServiceEnvironment", "arn:environment")
    assert not admin.may("batch:UpdateQuotaShare", f"{OTHER_QUEUE}/quota-share/Vision")
    assert not admin.may("batch:UpdateJobQueue", OTHER_QUEUE)
    assert not admin.may("batch:DeleteJobQueue", QUEUE_ARN)


def test_grants_work_on_imported_queues_and_on_l1_shares():
    stack = Stack(new_app(), "Team", env={"account": ACCOUNT, "region": REGION})
    role = Role(stack, "Team", assumed_by=AccountRootPrincipal())
    QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN).grants.administer(role)
    share = CfnQuotaShare(
        stack,
        "Share",
        job_queue=QUEUE_ARN,
        quota_share_name="vision",
        capacity_limits=[{"capacityUnit": G5, "maxCapacity": 1}],
        preemption_configuration={"inSharePreemption": "DISABLED"},
        resource_sharing_configuration={"strategy": "RESERVE"},
    )
    QuotaShareGrants(share.attr_quota_share_arn, QUEUE_ARN).submit(role)
    caller = Caller(
        stack, {next(iter(resources_of(stack, "AWS::Batch::QuotaShare"))): f"{QUEUE_ARN}/quota-share/vision"}
    )
    assert caller.may_submit(QUEUE_ARN, "vision", priority=9999)
    assert caller.may("batch:UpdateQuotaShare", f"{QUEUE_ARN}/quota-share/vision")
    assert not caller.may("batch:UpdateServiceEnvironment", "arn:environment")


def test_tags_and_the_cap_may_be_tokens():
    teams = Teams()
    team = CfnParameter(teams.stack, "TeamName", default="vision").value_as_string
    cap = CfnParameter(teams.stack, "Cap", type="Number", default=5).value_as_number
    teams.vision.grants.operate(teams.role, tags={"team": team}, max_priority=cap)
    (policy,) = resources_of(teams.stack, "AWS::IAM::Policy").values()
    update, terminate = policy["Properties"]["PolicyDocument"]["Statement"]
    own = {"StringEquals": {"aws:ResourceTag/team": {"Ref": "TeamName"}}}
    capped = {"NumericLessThanEqualsIfExists": {"batch:SchedulingPriority": {"Ref": "Cap"}}}
    assert (update["Condition"], terminate["Condition"]) == (own | capped, own)


@pytest.mark.parametrize(("region", "want"), [(REGION, "<AWS::Region>"), ("us-east-1", REGION)])
def test_the_jobs_are_in_the_place_of_the_queue(region, want):
    """A role serves every Region, and the pseudo parameters of its stack stand for that stack's own."""
    app = new_app()
    platform = Stack(app, "Platform", env={"account": ACCOUNT, "region": REGION})
    roles = Stack(app, "Roles", env={"account": ACCOUNT, "region": region})
    queue = new_queue(platform, job_queue_name="training")
    share = queue.add_share("Vision", capacity_limits={G5: 1})
    role = Role(roles, "Team", role_name="team", assumed_by=AccountRootPrincipal())
    share.grants.operate(role, tags={"team": "vision"})
    (policy,) = resources_of(roles, "AWS::IAM::Policy").values()
    for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
        arn = resolved(statement["Resource"], {name: f"<{name}>" for name in PSEUDO})
        assert arn == f"arn:<AWS::Partition>:batch:{want}:<AWS::AccountId>:service-job/*"


def test_the_jobs_of_a_share_that_is_known_by_its_arn_alone_are_in_its_place():
    stack = Stack(new_app(), "Roles", env={"account": ACCOUNT, "region": "us-east-1"})
    role = Role(stack, "Team", assumed_by=AccountRootPrincipal())
    for arn in (SHARE_ARN, f"arn:aws:batch:{REGION}:{ACCOUNT}:job-queue/{Fn.import_value('Queue')}/quota-share/vision"):
        QuotaShareGrants(arn).operate(role, tags={"team": "vision"})
    (policy,) = resources_of(stack, "AWS::IAM::Policy").values()
    jobs = {str(each["Resource"]) for each in policy["Properties"]["PolicyDocument"]["Statement"]}
    assert jobs == {f"arn:aws:batch:{REGION}:{ACCOUNT}:service-job/*"}


def test_no_policy_names_all_queues():
    """`job-queue/*` would take in every share of every queue."""
    teams = Teams()
    for grants in (teams.vision.grants, teams.language.grants):
        grants.submit(teams.role, tags={"team": "a"})
        grants.operate(teams.role, tags={"team": "a"})
        grants.observe(teams.role)
    teams.queue.grants.administer(teams.role)
    policies = resources_of(teams.stack, "AWS::IAM::Policy")
    assert "job-queue/*" not in str(policies)
    assert "batch:*" not in str(policies)


def test_a_grant_says_who_got_what():
    teams = Teams()
    grant = teams.vision.grants.submit(teams.role)
    grant.assert_success()
    CfnOutput(teams.stack, "Region", value=Aws.REGION)
    assert "Outputs" in template_of(teams.stack)
