"""The helpers for users' own tests."""

import json
import re

import pytest
from aws_cdk import CfnParameter, RemovalPolicy
from aws_cdk.assertions import Template
from constructs_support import G5, QUEUE_ARN, new_queue, new_stack, template_of

from quota_constructs import QuotaManagedQueue, ResourceSharing, ShareRemoval
from quota_constructs.testing import AT, assert_change_is_safe, queue_state, running, scrubbed, share, waiting

STATE = queue_state(
    {G5: 4},
    [share("A", {G5: 3}, "LEND"), share("B", {G5: 1}, "LEND_AND_BORROW", borrow_limit_percent=-1)],
    [running("train", "A", 3, hours=2, owner="ann"), running("small", "B")],
)


def template(a=3, b=1, removed=(), on_removal=None, **settings):
    stack = new_stack()
    queue = new_queue(stack, **settings)
    if "A" not in removed:
        queue.add_share("A", capacity_limits={G5: a}, resource_sharing=ResourceSharing.lend(), on_removal=on_removal)
    if "B" not in removed:
        borrow = ResourceSharing.lend_and_borrow(unlimited=True)
        queue.add_share("B", capacity_limits={G5: b}, resource_sharing=borrow, on_removal=on_removal)
    return template_of(stack)


def test_no_change_is_safe():
    assert_change_is_safe(template(), template(), STATE)


def test_a_first_deployment_of_what_is_live_is_safe():
    assert_change_is_safe(None, template(), STATE)


def test_what_is_unchanged_in_the_templates_is_left_as_it_is_live():
    """Drift stays: CloudFormation does not touch what did not change."""
    drifted = queue_state({G5: 4}, [share("A", {G5: 1}, "LEND"), share("B", {G5: 1}, "LEND_AND_BORROW")], STATE.jobs)
    assert_change_is_safe(template(), template(), drifted)


def test_fails_on_a_cut_below_what_runs_and_says_whom_it_hits():
    with pytest.raises(AssertionError) as raised:
        assert_change_is_safe(template(), template(a=1), STATE)
    text = str(raised.value)
    assert text.startswith("Stack/Training: AT RISK: ")
    assert "share A ml.g5.xlarge 3 → 1" in text
    assert "train (share A" in text
    assert "ann" in text


def test_a_first_deployment_that_fails_does_not_take_the_queue_of_the_state_for_missing():
    with pytest.raises(AssertionError, match="AT RISK") as raised:
        assert_change_is_safe(None, template(a=1), STATE)
    assert "does not exist" not in str(raised.value)


def test_fails_on_the_removal_of_a_busy_share_and_says_what_the_guard_will_do():
    with pytest.raises(AssertionError, match="DESTRUCTIVE") as raised:
        assert_change_is_safe(template(), template(removed=["B"]), STATE)
    assert "the guard will block the deployment before anything changes" in str(raised.value)
    assert "to deploy anyway: cdk deploy -c quota-acknowledge=" in str(raised.value)


def test_the_removal_of_an_idle_share_is_safe():
    idle = queue_state({G5: 4}, STATE.shares.values(), [job for job in STATE.jobs if job.share == "A"])
    assert_change_is_safe(template(), template(removed=["B"]), idle)


def test_a_share_that_is_kept_on_removal_loses_nothing():
    before = template(on_removal=ShareRemoval.RETAIN)
    assert_change_is_safe(before, template(removed=["B"]), STATE)


def test_fails_on_the_removal_of_a_queue_that_is_deleted():
    stack = new_stack()
    with pytest.raises(AssertionError, match="DESTRUCTIVE"):
        assert_change_is_safe(template(removal_policy=RemovalPolicy.DESTROY), template_of(stack), STATE)


def test_work_that_would_stop_others_because_of_the_change_fails():
    state = queue_state({G5: 4}, STATE.shares.values(), [*STATE.jobs, waiting("next", "B")])
    with pytest.raises(AssertionError, match="DISRUPTIVE"):
        assert_change_is_safe(template(), template(a=1, b=3), state)


def test_the_mildest_verdict_that_fails_can_be_chosen():
    assert_change_is_safe(template(), template(a=1), STATE, fail_on="disruptive")
    with pytest.raises(ValueError, match="fail_on is no verdict, got 'bad'; give one of invalid"):
        assert_change_is_safe(template(), template(), STATE, fail_on="bad")


def test_a_state_may_be_a_document():
    for document in (STATE.to_dict(), json.dumps(STATE.to_dict())):
        assert_change_is_safe(template(), template(), document)


def test_one_of_several_queues_is_named_by_its_path():
    stack = new_stack()
    for name in ("One", "Two"):
        new_queue(stack, name).add_share("A", capacity_limits={G5: 3})
    both = template_of(stack)
    with pytest.raises(ValueError, match="Stack/One, Stack/Two; name one of them with queue="):
        assert_change_is_safe(both, both, STATE)
    assert_change_is_safe(both, both, STATE, queue="Stack/Two")


def test_a_scrubbed_template_has_no_hash_no_runtime_and_no_bootstrap_check():
    cleaned = scrubbed(template())
    text = json.dumps(cleaned)
    assert '"S3Key": "<hash>.zip"' in text
    assert '"Runtime": "<runtime>"' in text
    assert "BootstrapVersion" not in text
    assert "aws:asset" not in text
    assert list(cleaned["Parameters"]) == ["QuotaAcknowledge"]
    assert "Rules" not in cleaned


def test_scrubbing_changes_nothing_else_and_not_the_template_itself():
    whole = template()
    before = json.dumps(whole)
    cleaned = scrubbed(whole)
    assert json.dumps(whole) == before
    kept = {
        name: r["Properties"] for name, r in whole["Resources"].items() if "Batch" in r["Type"] or "Custom" in r["Type"]
    }
    assert {name: cleaned["Resources"][name]["Properties"] for name in kept} == kept


def test_builders_give_states_that_the_command_line_reads():
    document = STATE.to_dict()
    assert (document["at"], document["jobs"][0]["started_at"]) == (AT, "2026-01-01T10:00:00Z")


WRONG_STATES = {
    "a strategy that is none": (lambda: share("A", {G5: 1}, "FOO"), "strategy of share A is none, got 'FOO'; give one"),
    "a state that is none": (lambda: share("A", {G5: 1}, state="on"), "state of share A is none, got 'on'"),
    "limits that are none": (lambda: share("A", None), "limits of share A are no amounts, got None"),
    "a limit as text": (lambda: share("A", {G5: "2"}), "limits of share A are whole numbers from 0, got '2' for ml.g5"),
    "fewer instances than none": (lambda: running("a", "A", -1), "uses of job a are whole numbers from 0, got -1"),
    "instances as text": (lambda: waiting("a", "A", "2"), "uses of job a are no amounts, got '2'"),
    "instances that are True": (lambda: waiting("a", "A", True), "got True"),
    "an environment that is none": (lambda: queue_state(None, []), "environment are no amounts"),
    "two shares of one name": (
        lambda: queue_state({G5: 4}, [share("A", {G5: 1}), share("A", {G5: 3})]), "got A more than once"
    ),
    "two jobs of one id": (
        lambda: queue_state({G5: 4}, [share("A", {G5: 4})], [running("a", "A"), running("a", "A")]), "a"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_STATES)
def test_builders_refuse(case):
    act, want = WRONG_STATES[case]
    with pytest.raises(ValueError, match=re.escape(want)):
        act()


def with_parameter(**settings):
    stack = new_stack()
    capacity = CfnParameter(stack, "Capacity", type="Number", **settings).value_as_number
    new_queue(stack).add_share("A", capacity_limits={G5: capacity})
    return template_of(stack)


@pytest.mark.parametrize("which", ["before", "after"])
def test_fails_on_a_parameter_without_a_value_and_names_it(which):
    known = with_parameter(default=3)
    templates = {"before": known, "after": known, which: with_parameter()}
    state = queue_state({G5: 4}, [share("A", {G5: 3})])
    want = (
        f"template_{which}: Stack/Training shares.A.capacityLimits.ml.g5.xlarge.maxCapacity is not known: Ref Capacity "
        '(parameter Capacity has no value; give parameters={"Capacity": …})'
    )
    with pytest.raises(ValueError, match=re.escape(want)):
        assert_change_is_safe(templates["before"], templates["after"], state)
    assert_change_is_safe(templates["before"], templates["after"], state, parameters={"Capacity": "3"})


def test_a_renamed_queue_takes_the_work_of_the_old_one_with_it():
    with pytest.raises(AssertionError, match="DESTRUCTIVE") as raised:
        assert_change_is_safe(template(job_queue_name="old"), template(job_queue_name="new"), STATE)
    assert "is replaced, as its name changes" in str(raised.value)
    idle = queue_state({G5: 4}, STATE.shares.values())
    assert_change_is_safe(template(job_queue_name="old"), template(job_queue_name="new"), idle)


def imported(arn):
    stack = new_stack()
    QuotaManagedQueue.from_job_queue_arn(stack, "Queue", arn).add_share("A", capacity_limits={G5: 3})
    return template_of(stack)


def test_shares_that_move_to_another_imported_queue_end_the_work_in_the_old_one():
    old, new = imported(QUEUE_ARN), imported(f"{QUEUE_ARN}2")
    state = queue_state({G5: 4}, [share("A", {G5: 3})], [running("train", "A", 3)])
    with pytest.raises(AssertionError, match="removing share A ends 1 unfinished job: train"):
        assert_change_is_safe(old, new, state)
    assert_change_is_safe(old, new, queue_state({G5: 4}, [], queue="training2"))


def test_fails_on_the_state_of_a_queue_of_another_name():
    named = template(job_queue_name="training")
    other = queue_state({G5: 4}, STATE.shares.values(), queue="other")
    with pytest.raises(ValueError, match="state of queue other, but Stack/Training is called training; give the state"):
        assert_change_is_safe(named, named, other)
    assert_change_is_safe(template(), template(), other)
    assert_change_is_safe(named, named, queue_state({G5: 4}, STATE.shares.values(), queue="training"))


def test_a_template_may_be_the_object_that_the_cdk_gives():
    given = Template.from_string(json.dumps(template()))
    assert_change_is_safe(given, given, STATE)


@pytest.mark.parametrize("wrong", [None, "{}", Template, 5], ids=repr)
def test_fails_on_what_is_no_template(wrong):
    with pytest.raises(TypeError, match=r"template_after is no template, got .*; give a mapping, such as Template"):
        assert_change_is_safe(template(), wrong, STATE)


def test_loops_of_other_resources_are_passed_over_and_loops_of_shares_are_not_known():
    looped = template()
    looped["Transform"] = "AWS::LanguageExtensions"
    looped["Resources"]["Fn::ForEach::Topics"] = ["Name", ["a", "b"], {"Topic${Name}": {"Type": "AWS::SNS::Topic"}}]
    assert_change_is_safe(looped, looped, STATE)
    assert "Fn::ForEach::Topics" in scrubbed(looped)["Resources"]
    looped["Resources"]["Fn::ForEach::Shares"] = ["Name", ["a"], {"Share${Name}": {"Type": "AWS::Batch::QuotaShare"}}]
    with pytest.raises(ValueError, match="template_before: Fn::ForEach::Shares is not known: Fn::ForEach"):
        assert_change_is_safe(looped, template(), STATE)
