"""The helpers for users' own tests."""

import json

import pytest
from aws_cdk import RemovalPolicy
from constructs_support import G5, new_queue, new_stack, template_of

from quota_constructs import ResourceSharing, ShareRemoval
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
