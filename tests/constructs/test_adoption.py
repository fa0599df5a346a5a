"""The steps of docs/adoption.md and docs/lifecycle.md: what each asks of CloudFormation, and that no job is at risk.

CloudFormation cannot change the type under a logical id, and a second resource with the name of a share collides. So
every step is compared with the one before: types stay, shares that leave are kept, and the guard's own answer is safe.
The deployments themselves are in tests/e2e.
"""

import itertools

import pytest
from constructs_support import G5, QUEUE_ARN, new_queue, new_stack, template_of

from quota_constructs import QuotaGuard, QuotaManagedQueue, ShareLifecycle, ShareRemoval
from quota_constructs.testing import assert_change_is_safe, queue_state, running, share, waiting

STATE = queue_state(
    {G5: 4},
    [share("vision", {G5: 3}), share("language", {G5: 1})],
    [running("train", "vision", 3, hours=20), running("small", "language"), waiting("next", "language")],
    queue="training",
)
SHARES = ("AWS::Batch::QuotaShare", "Custom::QuotaShare")


def template(vision=None, **settings):
    """Declare the queue with share language, and share vision as a step has it (id, then settings)."""
    stack = new_stack()
    queue = new_queue(stack, job_queue_name="training", **settings)
    queue.add_share("Language", quota_share_name="language", capacity_limits={G5: 1})
    if vision is not None:
        construct_id, step = vision
        queue.add_share(construct_id, quota_share_name="vision", capacity_limits={G5: 3}, **step)
    return template_of(stack)


MANAGED = {"lifecycle": ShareLifecycle.MANAGED}
NATIVE = {"lifecycle": ShareLifecycle.NATIVE}
RETAIN = {"on_removal": ShareRemoval.RETAIN}
WAYS = {
    "native to managed": [
        ("Vision", NATIVE),
        ("Vision", NATIVE | RETAIN),
        ("VisionShare", MANAGED | {"adopt_existing": True}),
    ],
    "managed to native": [
        ("Vision", MANAGED),
        ("Vision", MANAGED | RETAIN),
        None,
        ("Vision", NATIVE | RETAIN),
    ],
    "another construct id": [
        ("Vision", MANAGED),
        ("VisionShare", MANAGED | {"adopt_existing": True}),
    ],
}


def steps(way):
    return [template(step) for step in WAYS[way]]


@pytest.mark.parametrize("way", WAYS)
def test_no_job_is_at_risk_in_any_step(way):
    templates = steps(way)
    for before, after in itertools.pairwise(templates):
        assert_change_is_safe(before, after, STATE, queue="Stack/Training", fail_on="notice")


@pytest.mark.parametrize("way", WAYS)
def test_no_type_changes_under_a_logical_id(way):
    templates = steps(way)
    for before, after in itertools.pairwise(templates):
        kinds = [{name: r["Type"] for name, r in template["Resources"].items()} for template in (before, after)]
        assert {name for name in kinds[0].keys() & kinds[1].keys() if kinds[0][name] != kinds[1][name]} == set()


@pytest.mark.parametrize("way", WAYS)
def test_a_share_that_leaves_is_kept_by_what_was_deployed_before(way):
    """By its deletion policy, by the handler, or because another logical id of the stack has adopted it."""
    templates = steps(way)
    for before, after in itertools.pairwise(templates):
        left = before["Resources"].keys() - after["Resources"].keys()
        for resource in (before["Resources"][name] for name in left):
            if resource["Type"] not in SHARES:
                continue
            kept = (
                resource.get("DeletionPolicy") == "Retain"
                or resource["Properties"].get("OnRemoval") == "RETAIN"
                or '"AdoptExisting": "true"' in str(after).replace("'", '"')
            )
            assert kept, resource


def test_a_native_share_that_changes_its_lifecycle_without_the_step_between_is_caught():
    before, after = template(("Vision", NATIVE)), template(None)
    with pytest.raises(AssertionError, match="DESTRUCTIVE"):
        assert_change_is_safe(before, after, STATE, queue="Stack/Training")


def test_a_guard_alone_can_be_deployed_first_for_an_import():
    """`cdk import` adds nothing else to a stack, and what is imported waits for the guard."""
    stack = new_stack()
    QuotaGuard.of(stack)
    alone = template_of(stack)
    whole = template()
    added = {r["Type"] for name, r in whole["Resources"].items() if name not in alone["Resources"]}
    assert added == {
        "AWS::Batch::JobQueue",
        "AWS::Batch::ServiceEnvironment",
        "AWS::Batch::SchedulingPolicy",
        "Custom::QuotaShare",
    }
    importable = [r for r in whole["Resources"].values() if r["Type"].startswith("AWS::Batch")]
    assert {r["DeletionPolicy"] for r in importable} == {"Retain"}


def test_what_was_declared_with_l1_constructs_keeps_its_logical_ids():
    stack = new_stack()
    queue = new_queue(stack)
    queue.node.default_child.override_logical_id("ExistingQueue")
    queue.node.find_child("ServiceEnvironment").override_logical_id("ExistingEnvironment")
    queue.node.find_child("SchedulingPolicy").override_logical_id("ExistingPolicy")
    native = queue.add_share("Vision", capacity_limits={G5: 4}, lifecycle=ShareLifecycle.NATIVE)
    native.node.default_child.override_logical_id("ExistingShare")
    resources = template_of(stack)["Resources"]
    assert resources["ExistingShare"]["Properties"]["JobQueue"] == {"Ref": "ExistingQueue"}
    guard = next(r for r in resources.values() if r["Type"] == "Custom::QuotaGuard")
    for name in ("ExistingQueue", "ExistingEnvironment", "ExistingPolicy", "ExistingShare"):
        assert f'"logicalId":"{name}"' in guard["Properties"]["Proposal"]


def test_adopted_shares_on_an_imported_queue_change_nothing_that_is_declared_as_it_is():
    stack = new_stack()
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN)
    queue.add_share("Vision", quota_share_name="vision", capacity_limits={G5: 3}, adopt_existing=True)
    assert_change_is_safe(None, template_of(stack), STATE, fail_on="notice")
