"""The plugin for templates without the constructs, and the plan at synthesis."""

import json
import subprocess
import sys

import pytest
from aws_cdk import Acknowledgment, CfnCondition, CfnParameter, Fn, NestedStack, Stack, Stage, Validations
from aws_cdk.aws_batch import CfnJobQueue, CfnQuotaShare, CfnSchedulingPolicy, CfnServiceEnvironment
from constructs_support import G5, new_app, new_queue, report_of

from quota_constructs import QuotaChecks, ResourceSharing
from quota_constructs.testing import queue_state, running, share, waiting
from quota_live.errors import NoQuotaManagementError


def raw_queue(stack, *, policy=None, environment=None, queue=None, shares=({},)):
    """Declare a queue with L1 constructs; what is given differs from a good one."""
    made_policy = CfnSchedulingPolicy(
        stack, "Policy", **{"quota_share_policy": {"idleResourceAssignmentStrategy": "FIFO"}, **(policy or {})}
    )
    made_environment = CfnServiceEnvironment(
        stack,
        "Environment",
        **{
            "service_environment_type": "SAGEMAKER_TRAINING",
            "capacity_limits": [{"capacityUnit": G5, "maxCapacity": 4}],
            **(environment or {}),
        },
    )
    made_queue = CfnJobQueue(
        stack,
        "Queue",
        **{
            "priority": 1,
            "job_queue_type": "SAGEMAKER_TRAINING",
            "scheduling_policy_arn": made_policy.attr_arn,
            "service_environment_order": [{"order": 1, "serviceEnvironment": made_environment.ref}],
            **(queue or {}),
        },
    )
    for number, one in enumerate(shares):
        CfnQuotaShare(
            stack,
            f"Share{number}",
            **{
                "job_queue": made_queue.attr_job_queue_arn,
                "quota_share_name": f"share-{number}",
                "capacity_limits": [{"capacityUnit": G5, "maxCapacity": 4}],
                "preemption_configuration": {"inSharePreemption": "DISABLED"},
                "resource_sharing_configuration": {"strategy": "RESERVE"},
                **one,
            },
        )


def action(**members):
    reason = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
    whole = {"reason": reason, "state": "RUNNABLE", "maxTimeSeconds": 600, "action": "TERMINATE"}
    return {"job_state_time_limit_actions": [{**whole, **members}]}


# Eleven defects that a CloudFormation linter lets pass, and the resource each is reported at.
DEFECTS = {
    "both kinds of policy": ({"policy": {"fairshare_policy": {"computeReservation": 1}}}, "QS034", "Raw/Policy"),
    "an empty quota share policy": ({"policy": {"quota_share_policy": {}}}, "QS035", "Raw/Policy"),
    "a state that is none": ({"environment": {"state": "WHATEVER"}}, "QS023", "Raw/Environment"),
    "a unit that is no type": (
        {"environment": {"capacity_limits": [{"capacityUnit": "NUM_INSTANCES", "maxCapacity": 4}]}},
        "QS005",
        "Raw/Environment",
    ),
    "a negative capacity": (
        {"environment": {"capacity_limits": [{"capacityUnit": G5, "maxCapacity": -5}]}},
        "QS002",
        "Raw/Environment",
    ),
    "an action for other queues": ({"queue": action(action="CANCEL")}, "QS027", "Raw/Queue"),
    "a reason that never comes": ({"queue": action(reason="BECAUSE")}, "QS025", "Raw/Queue"),
    "a name with blanks": ({"shares": [{"quota_share_name": "bad name!"}]}, "QS012", "Raw/Share0"),
    "no limits": ({"shares": [{"capacity_limits": []}]}, "QS001", "Raw/Share0"),
    "a borrow limit without borrowing": (
        {"shares": [{"resource_sharing_configuration": {"strategy": "RESERVE", "borrowLimit": 10}}]},
        "QS004",
        "Raw/Share0",
    ),
    "a type twice": (
        {"shares": [{"capacity_limits": [{"capacityUnit": G5, "maxCapacity": 1}] * 2}]},
        "QS003",
        "Raw/Share0",
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_fails_on_a_raw_queue_with(defect):
    settings, want_rule, want_path = DEFECTS[defect]
    app = new_app()
    raw_queue(Stack(app, "Raw"), **settings)
    Validations.of(app).add_plugins(QuotaChecks())
    with pytest.raises(RuntimeError) as raised:
        app.synth()
    blocks = str(raised.value).split("\n\n")
    (block,) = [block for block in blocks if f"quota-checks::{want_rule}'" in block]
    assert f"   {want_path} " in block


@pytest.mark.parametrize("where", ["stack", "nested", "stage"])
def test_raw_queues_are_found_wherever_they_are(where):
    app = new_app()
    stack = {
        "stack": lambda: Stack(app, "Raw"),
        "nested": lambda: NestedStack(Stack(app, "Parent"), "Raw"),
        "stage": lambda: Stack(Stage(app, "Prod"), "Raw"),
    }[where]()
    raw_queue(stack, environment={"state": "WHATEVER"})
    Validations.of(app).add_plugins(QuotaChecks())
    with pytest.raises(RuntimeError, match="quota-checks::QS023"):
        app.synth()


def test_a_good_raw_queue_passes_and_says_nothing():
    app = new_app()
    raw_queue(Stack(app, "Raw"))
    Validations.of(app).add_plugins(QuotaChecks())
    assert report_of(app) == []


def test_a_finding_can_be_acknowledged():
    app = new_app()
    raw_queue(Stack(app, "Raw"), environment={"state": "WHATEVER"})
    Validations.of(app).add_plugins(QuotaChecks())
    Validations.of(app).acknowledge(Acknowledgment(id="quota-checks::QS023", reason="not ours"))
    app.synth()


def environment_of(stack, unit=G5, amount=9):
    limits = [{"capacityUnit": unit, "maxCapacity": amount}]
    return CfnServiceEnvironment(stack, "E", service_environment_type="SAGEMAKER_TRAINING", capacity_limits=limits)


def test_an_environment_of_another_kind_of_queue_is_nobodys_business():
    app = new_app()
    stack = Stack(app, "Raw")
    environment = environment_of(stack, "NUM_INSTANCES")
    order = [{"order": 1, "serviceEnvironment": environment.ref}]
    CfnJobQueue(stack, "Q", priority=1, job_queue_type="SAGEMAKER_TRAINING", service_environment_order=order)
    Validations.of(app).add_plugins(QuotaChecks())
    assert report_of(app) == []


def test_an_environment_whose_queue_is_elsewhere_is_checked_by_itself():
    app = new_app()
    environment_of(Stack(app, "Raw"))
    environment_of(Stack(app, "Units"), "NUM_INSTANCES")
    Validations.of(app).add_plugins(QuotaChecks())
    (said,) = report_of(app)
    assert said.startswith("quota-checks warning Units/E: the service environment has a limit in NUM_INSTANCES")


def test_fails_on_a_capacity_of_an_environment_whose_queue_is_elsewhere():
    app = new_app()
    environment_of(Stack(app, "Raw"), amount=-5)
    Validations.of(app).add_plugins(QuotaChecks())
    with pytest.raises(RuntimeError, match=r"(?s)whole number of instances from 1, got -5.*quota-checks::QS002"):
        app.synth()


def test_what_a_parameter_gives_is_not_known_whatever_its_default():
    app = new_app()
    stack = Stack(app, "Raw")
    capacity = CfnParameter(stack, "Capacity", type="Number", default=0).value_as_number
    raw_queue(stack, environment={"capacity_limits": [{"capacityUnit": G5, "maxCapacity": capacity}]})
    Validations.of(app).add_plugins(QuotaChecks())
    assert report_of(app) == []


def conditional_shares(*conditions, parameter):
    """Declare two shares of one name, 4 instances each, of which conditions decide, in a queue with 4 instances."""
    stack = Stack(new_app(), "Raw")
    stage = CfnParameter(stack, "Stage", type="String", **parameter).value_as_string
    production = CfnCondition(stack, "Production", expression=Fn.condition_equals(stage, "production"))
    known = {"production": production, "test": CfnCondition(stack, "Test", expression=Fn.condition_not(production))}
    raw_queue(stack, shares=[{"quota_share_name": "team"}] * 2)
    for number, condition in enumerate(conditions):
        stack.node.find_child(f"Share{number}").cfn_options.condition = known.get(condition)
    Validations.of(stack.node.root).add_plugins(QuotaChecks())
    return stack.node.root


@pytest.mark.parametrize("parameter", [{}, {"default": "test"}], ids=("no default", "default"))
def test_shares_of_which_one_exists_at_a_time_are_not_counted_together(parameter):
    assert report_of(conditional_shares("production", "test", parameter=parameter)) == []


@pytest.mark.parametrize("conditions", [("production", "production"), ("production", None)], ids=str)
def test_fails_on_shares_that_a_condition_brings_together(conditions):
    with pytest.raises(RuntimeError, match=r"(?s)QS009.*QS013"):
        conditional_shares(*conditions, parameter={}).synth()


class TestPlan:
    """A share is cut below what its jobs use."""

    STATE = queue_state(
        {G5: 4},
        [share("A", {G5: 3}, "LEND"), share("B", {G5: 1}, "LEND_AND_BORROW")],
        [running("train", "A", 3, hours=2, owner="ann"), waiting("next", "B")],
    )

    @pytest.fixture
    def state_file(self, tmp_path):
        path = tmp_path / "state.json"
        path.write_text(json.dumps(self.STATE.to_dict()))
        return str(path)

    def app(self, limit=1, **context):
        app = new_app(**context)
        queue = new_queue(Stack(app, "Stack"))
        queue.add_share("A", capacity_limits={G5: limit}, resource_sharing=ResourceSharing.lend())
        queue.add_share(
            "B",
            capacity_limits={G5: 4 - limit},
            resource_sharing=ResourceSharing.lend_and_borrow(unlimited=True),
        )
        return app

    def test_the_context_asks_for_it_and_the_report_shows_it(self, state_file):
        (said,) = report_of(self.app(**{"quota:plan": state_file}))
        assert said.startswith("quota-plan warning Stack/Training: Stack/Training: AT RISK: ")
        assert "share A ml.g5.xlarge 3 → 1" in said
        assert "train (share A, 3 × ml.g5.xlarge" in said

    @pytest.mark.parametrize("value", [None, "", "false", "off"])
    def test_it_is_off_unless_asked_for(self, value):
        assert report_of(self.app(**({} if value is None else {"quota:plan": value}))) == []

    def test_a_change_that_hurts_nobody_is_an_information(self, state_file):
        (said,) = report_of(self.app(3, **{"quota:plan": state_file}))
        assert said.startswith("quota-plan info Stack/Training: ")

    def test_a_plan_alone_never_fails_a_synthesis_unless_told_to(self, state_file):
        app = self.app()
        Validations.of(app).add_plugins(QuotaChecks(plan=state_file))
        app.synth()
        strict = self.app()
        Validations.of(strict).add_plugins(QuotaChecks(plan=state_file, fail_on="at_risk"))
        with pytest.raises(RuntimeError, match="ERROR Stack/Training: "):
            strict.synth()

    def test_context_and_plugin_together_say_it_once(self, state_file):
        app = self.app(**{"quota:plan": state_file})
        Validations.of(app).add_plugins(QuotaChecks())
        assert len(report_of(app)) == 1

    @pytest.mark.parametrize("text", ["", "{}", "not json"], ids=["empty", "no state", "no json"])
    def test_a_state_that_cannot_be_read_is_said_and_stops_nothing(self, text, tmp_path):
        path = tmp_path / "state.json"
        path.write_text(text)
        (said,) = report_of(self.app(**{"quota:plan": str(path)}))
        assert said.startswith("quota-plan warning Stack: no plan: ")

    def test_a_file_that_is_not_there_is_said_and_stops_nothing(self, tmp_path):
        (said,) = report_of(self.app(**{"quota:plan": str(tmp_path / "missing.json")}))
        assert said.startswith("quota-plan warning Stack: no plan: ")
        assert "missing.json" in said

    def test_an_account_that_cannot_be_reached_is_said_and_stops_nothing(self, monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_REGION", "eu-west-1")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        (said,) = report_of(self.app(**{"quota:plan": "live"}))
        assert said.startswith("quota-plan warning Stack: no plan: ")

    def test_a_queue_without_quota_management_is_said_and_stops_nothing(self, monkeypatch):
        def plan_stacks(*given):
            raise NoQuotaManagementError("DescribeJobQueues", "batch", "NoQuotaManagement", "job queue q has none")

        monkeypatch.setattr("quota_constructs.planning.live.plan_stacks", plan_stacks)
        (said,) = report_of(self.app(**{"quota:plan": "live"}))
        assert said == "quota-plan warning Stack: no plan: job queue q has none"


def test_without_a_plan_neither_boto3_nor_the_command_line_is_loaded():
    code = (
        "import sys; sys.path[:0] = ['tests', '.', 'lambda']\n"
        "from constructs_support import *\n"
        "stack = new_stack(); new_queue(stack).add_share('A', capacity_limits={G5: 4}); stack.node.root.synth()\n"
        "print([name for name in ('boto3', 'botocore', 'click', 'rich', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_plan_without_the_extra_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "quota_live.clients", raising=False)
    monkeypatch.setitem(sys.modules, "botocore", None)
    app = new_app(**{"quota:plan": "live"})
    new_queue(Stack(app, "Stack"), limit=1).add_share("A", capacity_limits={G5: 1})
    (said,) = report_of(app)
    assert said.endswith("no plan: botocore is not installed; run: pip install 'quota-constructs[cli]'")
