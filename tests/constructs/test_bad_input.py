"""One table of what is refused as it is typed: the error says what, got, allowed and what to change, with the rule."""

import re
from collections import ChainMap, UserDict
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType

import jsii
import pytest
from aws_cdk import (
    CfnParameter,
    Duration,
    IStableAnyProducer,
    IStableNumberProducer,
    Lazy,
    RemovalPolicy,
    Stack,
    Tags,
    Token,
)
from aws_cdk.aws_ec2 import SecurityGroup, SubnetSelection
from aws_cdk.aws_iam import AccountPrincipal, ManagedPolicy, Role
from aws_cdk.aws_lambda import Runtime
from constructs_support import (
    G5,
    QUEUE_ARN,
    SHARE_ARN,
    new_app,
    new_queue,
    new_stack,
    only,
    report_of,
    resources_of,
    template_of,
)

from quota_constructs import (
    ChangeGuard,
    JobStateTimeLimit,
    QuotaChecks,
    QuotaGuard,
    QuotaHandler,
    QuotaManagedQueue,
    QuotaShare,
    ResourceSharing,
    ShareLifecycle,
)
from quota_constructs.assembly import proposal_of
from quota_constructs.construct_rules import RULES as CONSTRUCT_RULES
from quota_scheduler.rules import ERROR, RULES
from quota_scheduler.rules.rule import QUEUE

SIX_TYPES = dict.fromkeys((f"ml.g5.{size}xlarge" for size in (2, 4, 8, 12, 16, 24)), 1)


def queue(**settings):
    return lambda: QuotaManagedQueue(new_stack(), "Training", **{"capacity_limits": {G5: 4}, **settings})


def share(**settings):
    return lambda: new_queue(new_stack()).add_share("Vision", **{"capacity_limits": {G5: 1}, **settings})


def shares(*each, **settings):
    def declare():
        training = new_queue(new_stack(), **settings)
        for number, one in enumerate(each):
            training.add_share(f"Share{number}", **{"capacity_limits": {G5: 1}, **one})

    return declare


def limit(reason="CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", seconds=600):
    return JobStateTimeLimit(reason, Duration.seconds(seconds))


def tags(number):
    return {f"key{index}": "value" for index in range(number)}


def foreign_share():
    platform, team = Stack(new_app(), "Platform"), Stack(new_app(), "Team")
    QuotaShare(team, "Vision", queue=new_queue(platform), capacity_limits={G5: 1})


def share_elsewhere():
    stack = Stack(new_app(), "Stack", env={"account": "999999999999", "region": "eu-west-1"})
    QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN).add_share("Vision", capacity_limits={G5: 1})


def handler_too_late():
    stack = new_stack()
    new_queue(stack)
    QuotaHandler.of(stack, owner_tag="team")


def handler(**options):
    """Ask for a handler with options that are made in its stack."""

    def make():
        stack = new_stack()
        QuotaHandler.of(stack, **{name: make_option(stack) for name, make_option in options.items()})

    return make


def group(stack):
    return SecurityGroup.from_security_group_id(stack, "Group", "sg-1")


def own_role(stack):
    return Role.from_role_arn(stack, "Role", "arn:aws:iam::111122223333:role/quota")


def boundary(stack):
    return ManagedPolicy.from_managed_policy_arn(stack, "Boundary", "arn:aws:iam::111122223333:policy/boundary")


def guards_that_disagree():
    stack = new_stack()
    new_queue(stack, "One", guard=ChangeGuard(max_jobs=1))
    new_queue(stack, "Two", guard=ChangeGuard())


def grant(**settings):
    return lambda: QuotaShare.from_quota_share_arn(new_stack(), "Share", SHARE_ARN).grants.operate(
        AccountPrincipal("111122223333"), **settings
    )


def imported(kind, arn):
    make = QuotaManagedQueue.from_job_queue_arn if kind == "queue" else QuotaShare.from_quota_share_arn
    return lambda: make(new_stack(), "Imported", arn)


# What is typed, the rule, and pieces of the text in their order.
CASES = {
    "limits that are no mapping": (queue(capacity_limits=[G5]), "QC001", "capacity_limits has the wrong type", "list"),
    "limits of a share that are no mapping": (share(capacity_limits=3), "QC001", "got 3 (int); give a mapping"),
    "no limits": (queue(capacity_limits={}), "QS001", "has no capacity limit", "allowed are 1 to 5"),
    "six types": (share(capacity_limits=SIX_TYPES), "QS001", "6", "5"),
    "an amount of 0": (share(capacity_limits={G5: 0}), "QS002", "got 0"),
    "a negative amount": (queue(capacity_limits={G5: -1}), "QS002", "got -1"),
    "more than an integer of the service holds": (
        queue(capacity_limits={G5: 2**31}), "QS002", "got 2147483648, allowed are 1 to 2147483647; lower it"
    ),
    "more than an integer of the service holds, for a share": (
        share(capacity_limits={G5: 2**31}), "QS002", "got 2147483648, allowed are 1 to 2147483647; lower it"
    ),
    "half an instance": (queue(capacity_limits={G5: 1.5}), "QS002", "whole number", "got 1.5"),
    "an amount that is text": (share(capacity_limits={G5: "1"}), "QS002", "got '1'"),
    "an amount that is True": (share(capacity_limits={G5: True}), "QS002", "got True"),
    "NUM_INSTANCES": (queue(capacity_limits={"NUM_INSTANCES": 4}), "QS005", "NUM_INSTANCES", "name the type"),
    "a type that is no text": (queue(capacity_limits={5: 4}), "QS005", "names no instance type", "got 5"),
    "a type without its prefix": (
        queue(capacity_limits={"g5.xlarge": 4}), "QC009", "'g5.xlarge'", "did you mean ml.g5"
    ),
    "a misspelt size": (
        share(capacity_limits={"ml.g5.xlarg": 1}), "QC009", "'ml.g5.xlarg'", "did you mean ml.g5.xlarge?"
    ),
    "a type in capitals": (queue(capacity_limits={"ML.G5.XLARGE": 4}), "QC009", "did you mean ml.g5.xlarge?"),
    "a share above the environment": (share(capacity_limits={G5: 5}), "QS007", "limit of 5", "lower the limit to 4"),
    "a type the environment lacks": (
        share(capacity_limits={"ml.g6.xlarge": 1}), "QS008", "ml.g6.xlarge", "it has ml.g5"
    ),
    "shares above the environment together": (shares(*[{}] * 5), "QS009", "add up to 5", "has 4", "lower them by 1"),
    "the 21st share": (shares(*[{}] * 21, limit=40), "QS011", "21 quota shares", "allowed are 20"),
    "a name with a blank": (share(quota_share_name="bad name"), "QS012", "'bad name'"),
    "a name of nothing": (share(quota_share_name=""), "QS012", "got ''"),
    "a name that is too long": (queue(job_queue_name="x" * 129), "QS012", "129 characters"),
    "a name that is no text": (share(quota_share_name=7), "QC001", "quota_share_name has the wrong type, got 7 (int)"),
    "one name twice": (shares({"quota_share_name": "a"}, {"quota_share_name": "a"}), "QS013", "called a"),
    "both borrow forms": (
        lambda: ResourceSharing.lend_and_borrow(borrow_limit_percent=5, unlimited=True), "QC002", "twice", "drop one"
    ),
    "neither borrow form": (lambda: ResourceSharing.lend_and_borrow(), "QC002", "missing", "unlimited=True"),
    "a negative borrow limit": (
        lambda: ResourceSharing.lend_and_borrow(borrow_limit_percent=-1), "QC002", "got borrow_limit_percent=-1"
    ),
    "half a percent": (
        share(resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=0.5)), "QS015", "got 0.5"
    ),
    "a borrow limit beyond an integer of the service": (
        share(resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=2**31)),
        "QS015", "got 2147483648, allowed are 0 to 2147483647; lower it, or let"
    ),
    "a borrow limit that is text": (
        share(resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent="all")), "QS015", "got 'all'"
    ),
    "a borrow limit where nothing is borrowed": (
        share(resource_sharing=ResourceSharing("LEND", 50)), "QS004", "needs LEND_AND_BORROW, got LEND", "drop it"
    ),
    "a strategy that is none": (share(resource_sharing=ResourceSharing("KEEP")), "QS014", "got KEEP"),
    "a strategy as text": (share(resource_sharing="LEND"), "QC001", "got 'LEND' (str); give a ResourceSharing"),
    "in-share preemption as text": (share(in_share_preemption="ENABLED"), "QC001", "give True or False"),
    "a state as text": (share(state="ENABLED"), "QC001", "give one of State.ENABLED, State.DISABLED"),
    "a state of the queue as text": (queue(state="on"), "QC001", "state has the wrong type, got 'on'"),
    "a state of the environment": (queue(service_environment_state=1), "QC001", "service_environment_state"),
    "a lifecycle as text": (share(lifecycle="NATIVE"), "QC001", "ShareLifecycle.NATIVE"),
    "a removal as text": (share(on_removal="KEEP"), "QC001", "ShareRemoval.REFUSE_IF_BUSY"),
    "adopt as text": (share(adopt_existing="true"), "QC001", "adopt_existing"),
    "tags as a list": (queue(tags=["a"]), "QC001", "tags has the wrong type"),
    "a tag of AWS": (queue(tags={"aws:team": "a"}), "QS024", "aws:"),
    "a tag that is too long": (share(tags={"k" * 129: "v"}), "QS024", "128"),
    "a tag that is no text": (share(tags={"team": 5}), "QS024", "5"),
    "more tags than leave room for those of the handler": (
        share(tags=tags(49)), "QS024", "49 tags and 2 of the handler, allowed are 50 together; drop 1 or use"
    ),
    "more tags than leave room for those of an adoption": (
        share(tags=tags(47), adopt_existing=True), "QS024", "47 tags and 4 of the handler", "drop 1"
    ),
    "more tags than the service takes": (
        share(tags=tags(51), lifecycle=ShareLifecycle.NATIVE), "QS024", "has 51 tags, allowed are 50"
    ),
    "a time limit that is none": (queue(job_state_time_limits=["10m"]), "QC001", "a list of JobStateTimeLimit"),
    "a reason that is never given": (queue(job_state_time_limits=[limit("SLOW")]), "QS025", "SLOW"),
    "a time limit that is too short": (
        queue(job_state_time_limits=[limit(seconds=599)]), "QS026", "600 to 86400", "got 599"
    ),
    "a time limit that is too long": (
        queue(job_state_time_limits=[limit(seconds=86401)]), "QS026", "600 to 86400", "got 86401"
    ),
    "a priority out of range": (queue(priority=1001), "QS029", "0 to 1000", "got 1001"),
    "a priority that is text": (queue(priority="high"), "QS029", "high"),
    "a removal policy as text": (queue(removal_policy="RETAIN"), "QC001", "give a RemovalPolicy"),
    "oversubscription as a number": (
        queue(allow_oversubscription=1), "QC001", "allow_oversubscription", "True or False"
    ),
    "a guard that is none": (queue(guard=True), "QC001", "give a ChangeGuard"),
    "a verdict's action as text": (lambda: ChangeGuard(at_risk="BLOCK"), "QC001", "at_risk", "GuardAction.BLOCK"),
    "a negative limit of the guard": (lambda: ChangeGuard(max_jobs=-1), "QC008", "max_jobs", "got -1", "0 or more"),
    "a limit of the guard that is text": (lambda: ChangeGuard(max_gpu_hours="5"), "QC001", "max_gpu_hours", "a number"),
    "protected tags as text": (lambda: ChangeGuard(protect_tags="a"), "QC001", "protect_tags"),
    "a run time in seconds": (lambda: ChangeGuard(protect_minimum_run_time=60), "QC001", "give a Duration"),
    "a limit of the guard that is no number": (
        lambda: ChangeGuard(max_gpu_hours=float("nan")), "QC001", "max_gpu_hours", "got nan (float); give a number"
    ),
    "a limit of the guard without end": (
        lambda: ChangeGuard(max_amplification=float("inf")), "QC001", "max_amplification", "got inf"
    ),
    "a limit of the guard of another kind": (
        lambda: ChangeGuard(max_jobs=Decimal(3)), "QC001", "max_jobs", "Decimal('3')"
    ),
    "a protected tag that is a number": (
        lambda: ChangeGuard(protect_tags={"class": 5}), "QC001", "protect_tags['class']", "got 5 (int); give text"
    ),
    "a protected tag of nothing": (
        lambda: ChangeGuard(protect_tags={"class": None}), "QC001", "protect_tags['class']", "got None"
    ),
    "a protected tag of several values": (
        lambda: ChangeGuard(protect_tags={"class": ["a", "b"]}), "QC001", "protect_tags['class']", "give text"
    ),
    "a protected tag whose key is none": (
        lambda: ChangeGuard(protect_tags={5: "a"}), "QC001", "a key of protect_tags", "got 5 (int)"
    ),
    "a run time of another kind": (
        lambda: ChangeGuard(protect_minimum_run_time=timedelta(hours=1)), "QC001", "give a Duration"
    ),
    "a run time of half a second": (
        lambda: ChangeGuard(protect_minimum_run_time=Duration.millis(1500)), "QC001", "got 1.5; give whole seconds"
    ),
    "a topic as text": (
        lambda: ChangeGuard(notify="arn:aws:sns:eu-west-1:111122223333:x"),
        "QC001", "notify has the wrong type", "Topic.from_topic_arn"
    ),
    "a guard that was not made": (queue(guard=ChangeGuard), "QC001", "guard has the wrong type", "give a ChangeGuard"),
    "a guard of the stack that is none": (
        lambda: QuotaGuard.of(new_stack(), {"max_jobs": 1}), "QC001", "give a ChangeGuard"
    ),
    "an acknowledgement that is no text": (
        lambda: new_queue(new_stack(**{"quota-acknowledge": True})),
        "QC001", "context quota-acknowledge", "got True (bool)", "list of texts"
    ),
    "a strategy that was not made": (
        share(resource_sharing=ResourceSharing.lend), "QC001", "give a ResourceSharing, made by reserve()"
    ),
    "no borrow limit, as text": (
        lambda: ResourceSharing.lend_and_borrow(unlimited="false"), "QC001", "unlimited", "give True or False"
    ),
    "a borrow limit of another kind": (
        share(resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=Decimal(50))), "QS015", "Decimal"
    ),
    "a borrow limit below all numbers": (
        lambda: ResourceSharing.lend_and_borrow(borrow_limit_percent=float("-inf")), "QC002", "got borrow_limit"
    ),
    "an amount below all numbers": (queue(capacity_limits={G5: float("-inf")}), "QS002", "got -inf"),
    "an amount below all numbers, for a share": (share(capacity_limits={G5: float("-inf")}), "QS002", "got -inf"),
    "an amount that is none": (queue(capacity_limits={G5: float("nan")}), "QS002", "got nan"),
    "an amount far below 0": (share(capacity_limits={G5: -1e300}), "QS002", "got -1e+300"),
    "an amount of another kind": (queue(capacity_limits={G5: Decimal(4)}), "QS002", "Decimal"),
    "an amount that is an object": (share(capacity_limits={G5: object()}), "QS002", "object"),
    "limits one by one": (queue(capacity_limits=(pair for pair in [])), "QC001", "(generator); give a mapping"),
    "a priority of another kind": (queue(priority=Decimal(1)), "QS029", "whole number", "got 1"),
    "a time limit in seconds": (
        lambda: JobStateTimeLimit.insufficient_instance_capacity(600), "QC001", "max_time", "got 600 (int)", "Duration"
    ),
    "a time limit of another kind": (
        lambda: JobStateTimeLimit.insufficient_instance_capacity(timedelta(hours=1)), "QC001", "max_time", "Duration"
    ),
    "a time limit of half a second": (
        lambda: JobStateTimeLimit.insufficient_instance_capacity(Duration.millis(600500)),
        "QC001", "no whole number of seconds", "got 600.5"
    ),
    "a time limit of a token of hours": (
        lambda: JobStateTimeLimit.insufficient_instance_capacity(Duration.hours(Token.as_number({"Ref": "Hours"}))),
        "QC001", "a token of hours", "give Duration.seconds(…)"
    ),
    "a reason that is no text": (lambda: JobStateTimeLimit(5, Duration.hours(1)), "QC001", "reason", "got 5 (int)"),
    "time limits one by one": (
        queue(job_state_time_limits=(each for each in [])), "QC001", "(generator); give a list"
    ),
    "a policy of removal for what has snapshots": (
        queue(removal_policy=RemovalPolicy.SNAPSHOT), "QC001", "got RemovalPolicy.SNAPSHOT", "RemovalPolicy.RETAIN"
    ),
    "a role of the handler as text": (
        handler(role=lambda _: "arn:aws:iam::111122223333:role/x"), "QC001", "role has", "Role.from_role_arn"
    ),
    "a boundary as text": (handler(permissions_boundary=lambda _: "x"), "QC001", "permissions_boundary has"),
    "a network as text": (handler(vpc=lambda _: "vpc-1"), "QC001", "vpc has the wrong type, got 'vpc-1' (str)"),
    "subnets as text": (handler(vpc_subnets=lambda _: "private"), "QC001", "give a SubnetSelection"),
    "security groups as text": (handler(security_groups=lambda _: ["sg-1"]), "QC001", "got 'sg-1' (str); give a list"),
    "one security group": (handler(security_groups=group), "QC001", "got one group; give a list"),
    "a key as text": (handler(log_encryption_key=lambda _: "arn"), "QC001", "log_encryption_key", "Key.from_key_arn"),
    "days of retention": (handler(log_retention=lambda _: 30), "QC001", "give a RetentionDays"),
    "a runtime as text": (handler(runtime=lambda _: "python3.13"), "QC001", "give a Runtime"),
    "a runtime that is no Python": (
        handler(runtime=lambda _: Runtime.NODEJS_22_X), "QC014", "got nodejs22.x, allowed is python3.11 or newer"
    ),
    "a runtime that is too old": (handler(runtime=lambda _: Runtime.PYTHON_3_9), "QC014", "got python3.9, allowed"),
    "an owner tag that is no text": (handler(owner_tag=lambda _: 5), "QC001", "owner_tag", "give text"),
    "subnets of no network": (
        handler(vpc_subnets=lambda _: SubnetSelection()), "QC014", "got no vpc; give vpc as well, or drop vpc_subnets"
    ),
    "security groups of no network": (
        handler(security_groups=lambda stack: [group(stack)]), "QC014", "got no vpc; give vpc as well, or drop security"
    ),
    "a boundary for a role of one's own": (
        handler(role=own_role, permissions_boundary=boundary), "QC014", "got role as well; set the boundary"
    ),
    "two guards that disagree": (
        guards_that_disagree, "QC005", "other settings, got max_jobs=None, has max_jobs=1;", "the same ChangeGuard"
    ),
    "options of the handler, too late": (handler_too_late, "QC006", "got owner_tag", "before the stack's first queue"),
    "adoption of a native share": (
        share(lifecycle=ShareLifecycle.NATIVE, adopt_existing=True), "QC007", "cdk import"
    ),
    "a queue that is an ARN": (
        lambda: QuotaShare(new_stack(), "Vision", queue=QUEUE_ARN, capacity_limits={G5: 1}), "QC001", "job_queue_arn"
    ),
    "a share of a foreign queue": (foreign_share, "QC003", "queue of another app", "import the queue"),
    "a share in another account": (share_elsewhere, "QC003", "account 999999999999", "account 111122223333"),
    "the ARN of a share for a queue": (imported("queue", SHARE_ARN), "QC004", "not the ARN of a job queue", SHARE_ARN),
    "the ARN of a queue for a share": (
        imported("share", QUEUE_ARN), "QC004", "not the ARN of a quota share", QUEUE_ARN
    ),
    "the ARN of a bucket": (
        imported("queue", "arn:aws:s3:::bucket"), "QC004", "arn:aws:s3:::bucket", "job-queue/<name>"
    ),
    "a name for an ARN": (imported("queue", "training"), "QC004", "got 'training'"),
    "an ARN that is no text": (imported("queue", 5), "QC001", "got 5 (int); give text"),
    "a priority nobody has": (grant(tags={"a": "b"}, max_priority=10000), "QS036", "got 10000", "0 to 9999"),
    "a priority that is text in a grant": (grant(tags={"a": "b"}, max_priority="9"), "QC001", "max_priority"),
    "operating jobs of everybody": (grant(tags={}), "QC012", "without tags", "at least one tag"),
    "a verdict that is none": (lambda: QuotaChecks(fail_on="bad"), "QC013", "got 'bad'", "destructive"),
}  # fmt: skip

# Rules that no argument of a construct can break: the constructs fix the value, or a template check applies them.
UNREACHABLE = {
    "QS003": "a mapping has each key once",
    "QS022": "in_share_preemption is True or False (QC001)",
    "QS023": "a state is a State (QC001)",
    "QS027": "the action is always TERMINATE",
    "QS028": "the state is always RUNNABLE",
    "QS030": "the type is always SAGEMAKER_TRAINING",
    "QS031": "a queue has its own environment",
    "QS032": "a queue has its own environment",
    "QS033": "the type is always SAGEMAKER_TRAINING",
    "QS034": "the policy is always one for quota shares",
    "QS035": "the strategy is always FIFO",
    "QS037": "jobs are not declared",
    "QS038": "jobs are not declared",
    "QS042": "jobs are not declared",
    "QC010": "about the template; test_template_check.py",
    "QC011": "about the template; test_template_check.py",
}


@pytest.mark.parametrize("case", CASES)
def test_fails_on(case):
    act, want_rule, *want_pieces = CASES[case]
    with pytest.raises((ValueError, TypeError)) as raised:
        act()
    text = str(raised.value)
    assert text.splitlines()[0].endswith(f"[{want_rule}]")
    assert want_rule in raised.value.rule_ids
    assert re.search(".*".join(map(re.escape, want_pieces)), text), text


@pytest.mark.parametrize("case", CASES)
def test_errors_are_one_line_a_problem_without_a_full_stop(case):
    with pytest.raises((ValueError, TypeError)) as raised:
        CASES[case][0]()
    for line in str(raised.value).splitlines():
        assert re.fullmatch(r"([^ ]+: )?[^A-Z].*[^.] \[Q[SC]\d{3}\]", line), line


def test_every_rule_has_a_case_or_a_reason_why_it_has_none():
    of_queues = {rule.id for rule in RULES.values() if rule.severity == ERROR and rule.looks_at == QUEUE}
    covered = {rule for _, rule, *_ in CASES.values()}
    assert (of_queues | set(CONSTRUCT_RULES)) - covered == set(UNREACHABLE) & (of_queues | set(CONSTRUCT_RULES))
    assert covered & set(UNREACHABLE) == set()


def test_all_problems_of_one_construct_are_told_at_once():
    with pytest.raises(TypeError) as raised:
        queue(guard=1, state="x", tags=3)()
    assert raised.value.rule_ids == ("QC001",) * 3
    with pytest.raises(ValueError, match="QS002") as raised:
        share(capacity_limits={G5: 0, "ml.g6.xlarge": 1, "p4d.24xlarge": 1}, quota_share_name="a b")()
    assert set(raised.value.rule_ids) == {"QC009", "QS002", "QS008", "QS012"}


def test_a_type_that_may_be_newer_than_this_release_is_a_warning_only():
    stack = new_stack()
    QuotaManagedQueue(stack, "Training", capacity_limits={"ml.p9.48xlarge": 4}, removal_policy=RemovalPolicy.DESTROY)
    (said,) = report_of(stack.node.root)
    assert said.startswith("quota-guard warning Stack/Training/ServiceEnvironment: ")
    assert "ml.p9.48xlarge, which is not among" in said


def test_a_refused_share_leaves_the_queue_as_it_was_and_its_id_free():
    stack = new_stack()
    training = new_queue(stack)
    for refused in ({"capacity_limits": {G5: 9}}, {"capacity_limits": {G5: 1}, "state": "on"}):
        with pytest.raises((ValueError, TypeError), match=r"QS007|QC001"):
            training.add_share("Team/Vision", **refused)
    Tags.of(stack).add("cost", "research")
    training.add_share("Team/Vision", quota_share_name="vision", capacity_limits={G5: 4})
    assert len(resources_of(stack, "Custom::QuotaShare")) == 1


@pytest.mark.parametrize(
    "refused", [{"capacity_limits": {G5: 0}}, {"tags": 5}, {"guard": ChangeGuard(max_jobs=1)}], ids=str
)
def test_a_refused_queue_leaves_the_stack_as_it_was_and_its_id_free(refused):
    stack = new_stack()
    new_queue(stack, "First")
    before = template_of(stack)
    with pytest.raises((ValueError, TypeError), match=r"QS002|QC001|QC005"):
        QuotaManagedQueue(stack, "Second", **{"capacity_limits": {G5: 1}, **refused})
    with pytest.raises(ValueError, match="QS002"):
        QuotaManagedQueue.from_job_queue_attributes(stack, "Second", job_queue_arn=QUEUE_ARN, capacity_limits={G5: 0})
    assert template_of(stack) == before
    new_queue(stack, "Second")


def test_an_id_that_is_taken_stays_with_what_has_it():
    stack = new_stack()
    training = new_queue(stack)
    training.add_share("Vision", capacity_limits={G5: 1})
    with pytest.raises(RuntimeError, match="already a Construct"):
        training.add_share("Vision", capacity_limits={G5: 1})
    assert len(resources_of(stack, "Custom::QuotaShare")) == 1


@pytest.mark.parametrize("kind", [MappingProxyType, UserDict, ChainMap])
@pytest.mark.parametrize("lifecycle", ShareLifecycle)
def test_limits_and_tags_are_any_mapping(kind, lifecycle):
    def declare(wrap):
        stack = new_stack()
        training = QuotaManagedQueue(stack, "Training", capacity_limits=wrap({G5: 1}), tags=wrap({"a": "b"}))
        training.add_share("Vision", capacity_limits=wrap({G5: 1}), tags=wrap({"c": "d"}), lifecycle=lifecycle)
        return template_of(stack)

    assert declare(kind) == declare(dict)


TOKENS = {
    "a number": lambda parameter: parameter.value_as_number,
    "a text": lambda parameter: parameter.value_as_string,
    "an object": lambda parameter: parameter.value,
    "a lazy number": lambda parameter: Lazy.number(Later(parameter)),
    "a lazy object": lambda parameter: Lazy.any(Later(parameter)),
}


@jsii.implements(IStableNumberProducer, IStableAnyProducer)
class Later:
    """Gives a parameter when the template is written."""

    def __init__(self, parameter):
        self._parameter = parameter

    def produce(self):
        return self._parameter.value_as_number


@pytest.mark.parametrize("lifecycle", ShareLifecycle)
@pytest.mark.parametrize("token", TOKENS)
def test_amounts_may_be_tokens_of_every_kind(token, lifecycle):
    stack = new_stack()
    kind = "String" if token == "a text" else "Number"
    amount = TOKENS[token](CfnParameter(stack, "Amount", type=kind, default="4"))
    queue = QuotaManagedQueue(stack, "Training", capacity_limits={G5: amount})
    queue.add_share("Vision", capacity_limits={G5: amount}, lifecycle=lifecycle)
    environment = only(resources_of(stack, "AWS::Batch::ServiceEnvironment"))
    assert environment["Properties"]["CapacityLimits"] == [{"CapacityUnit": G5, "MaxCapacity": {"Ref": "Amount"}}]
    (proposed,) = proposal_of(template_of(stack)).proposal.queues
    assert {limit.amount for part in (proposed.environment, *proposed.shares) for limit in part.capacity_limits} == {4}
    assert report_of(stack.node.root) == []
