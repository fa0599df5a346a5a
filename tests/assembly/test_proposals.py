"""What templates propose: guards, raw resources, and what of it is not known."""

from __future__ import annotations

import json
from typing import Any

import pytest
from assembly_support import TYPE, guard, limits, proposal, raw_queue, raw_share, template

from quota_constructs.assembly import (
    AssemblyError,
    Reference,
    StackTemplate,
    exports_of,
    proposal_of,
    proposal_of_stack,
)
from quota_scheduler.proposal import parse_proposal


def test_a_guard_proposes_what_its_property_says() -> None:
    document = proposal({"A": 1, "B": 2})
    found = proposal_of(template(guard(document, policy='{"version":1,"x":1}', acknowledge="abc-1-2")))
    assert found.proposal == parse_proposal(document)
    assert (found.holes, found.policy, found.acknowledge) == ((), '{"version":1,"x":1}', "abc-1-2")


def joined(document: dict[str, Any], placeholder: str, expression: object) -> dict[str, Any]:
    before, after = json.dumps(document, separators=(",", ":")).split(placeholder)
    return {"Fn::Join": ["", [before, expression, after]]}


PARAMETER = {"Parameters": {"Cap": {"Type": "Number", "Default": 2}, "Open": {"Type": "Number"}}}


def test_a_parameter_inside_the_proposal_is_resolved() -> None:
    text = joined(proposal({"A": 12345}), "12345", {"Ref": "Cap"})
    found = proposal_of(template(guard(text), **PARAMETER))
    assert found.proposal == parse_proposal(proposal({"A": 2}))
    again = proposal_of(template(guard(text), **PARAMETER), {"Cap": "7"})
    assert again.proposal == parse_proposal(proposal({"A": 7}))


def test_an_open_amount_is_told_with_its_path_and_its_queue_left_out() -> None:
    text = joined(proposal({"A": 12345}), "12345", {"Ref": "Open"})
    found = proposal_of(template(guard(text), **PARAMETER))
    assert found.proposal.queues == ()
    (hole,) = found.holes
    assert hole.matters
    assert str(hole) == (
        f"Demo/Training shares.A.capacityLimits.{TYPE}.maxCapacity: "
        "Ref Open (parameter Open has no value; pass --parameter Open=VALUE)"
    )


def test_an_open_physical_name_does_not_matter() -> None:
    document = proposal({"A": 1})
    document["queues"][0]["queue"]["name"] = "x-HOLE"
    found = proposal_of(template(guard(joined(document, "HOLE", {"Ref": "AWS::Region"}))))
    assert [queue.queue.name for queue in found.proposal.queues] == [None]
    assert [(hole.path, hole.matters) for hole in found.holes] == [("Demo/Training queue.name", False)]


def test_an_open_name_of_a_share_matters() -> None:
    document = proposal({"HOLE": 1})
    text = json.dumps(document).split("HOLE")
    parts: list[object] = [text[0]]
    for piece in text[1:]:
        parts += [{"Ref": "AWS::Region"}, piece]
    found = proposal_of(template(guard({"Fn::Join": ["", parts]})))
    assert any(hole.matters and hole.path.endswith(".name") for hole in found.holes)


def test_raw_resources_form_a_queue() -> None:
    resources = {**raw_queue(4, JobQueueName="training"), "A": raw_share("A", 3)}
    resources["Queue"]["DeletionPolicy"] = resources["Queue"]["UpdateReplacePolicy"] = "Retain"
    (queue,) = proposal_of(template(resources), path="Demo").proposal.queues
    want = parse_proposal(
        {
            "version": 1,
            "queues": [
                {
                    "path": "Demo/Queue",
                    "queue": {
                        "logicalId": "Queue",
                        "name": "training",
                        "arn": None,
                        "state": "ENABLED",
                        "removalPolicy": "RETAIN",
                    },
                    "environment": {
                        "logicalId": "Env",
                        "name": None,
                        "state": "ENABLED",
                        "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": 4}],
                    },
                    "schedulingPolicy": {"logicalId": "Policy", "name": None},
                    "jobStateTimeLimitActions": [],
                    "allowOversubscription": False,
                    "shares": [
                        {
                            "path": "Demo/A",
                            "logicalId": "A",
                            "name": "A",
                            "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": 3}],
                            "resourceSharingConfiguration": {"strategy": "LEND"},
                            "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
                            "state": "ENABLED",
                            "lifecycle": "NATIVE",
                            "onRemoval": "TERMINATE",
                        }
                    ],
                }
            ],
        }
    )
    assert (queue,) == want.queues


def test_raw_members_of_all_kinds() -> None:
    resources = {
        **raw_queue(
            4,
            State="DISABLED",
            JobStateTimeLimitActions=[
                {"Reason": "CAPACITY:X", "State": "RUNNABLE", "MaxTimeSeconds": "600", "Action": "TERMINATE"}
            ],
        ),
        "A": raw_share(
            "A",
            ResourceSharingConfiguration={"Strategy": "LEND_AND_BORROW", "BorrowLimit": "200"},
            PreemptionConfiguration={"InSharePreemption": "ENABLED"},
            State="DISABLED",
            CapacityLimits=[*limits("2"), *limits(1, "ml.p5.48xlarge")],
        ),
    }
    (queue,) = proposal_of(template(resources)).proposal.queues
    (share,) = queue.shares
    assert queue.queue.state == "DISABLED"
    assert [(action.reason, action.max_time_seconds) for action in queue.time_limit_actions] == [("CAPACITY:X", 600)]
    assert (share.strategy, share.borrow_limit_percent, share.in_share_preemption, share.state, dict(share.limits)) == (
        "LEND_AND_BORROW",
        200,
        True,
        "DISABLED",
        {TYPE: 2, "ml.p5.48xlarge": 1},
    )


def managed_share(name: str, queue: object) -> dict[str, Any]:
    declared = {
        "version": 1,
        "quotaShareName": name,
        "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": 1}],
        "resourceSharingConfiguration": {"strategy": "RESERVE"},
        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
        "state": "ENABLED",
        "tags": {},
    }
    return {
        "Type": "Custom::QuotaShare",
        "Properties": {"Share": json.dumps(declared), "JobQueue": queue, "OnRemoval": "RETAIN"},
    }


def test_a_managed_share_without_a_guard_is_seen() -> None:
    resources = {**raw_queue(), "M": managed_share("M", {"Fn::GetAtt": ["Queue", "JobQueueArn"]})}
    (queue,) = proposal_of(template(resources)).proposal.queues
    assert [(share.name, share.lifecycle, share.on_removal) for share in queue.shares] == [("M", "MANAGED", "RETAIN")]


def shared_out(share: object) -> dict[str, Any]:
    """A queue with one managed share, declared by this text."""
    queue = {"Fn::GetAtt": ["Queue", "JobQueueArn"]}
    return {**raw_queue(), "M": {"Type": "Custom::QuotaShare", "Properties": {"Share": share, "JobQueue": queue}}}


SHARE = {
    "version": 1,
    "quotaShareName": "M",
    "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": 12345}],
    "resourceSharingConfiguration": {"strategy": "LEND"},
    "tags": {"where": "REGION"},
}
OPEN = "Ref Open (parameter Open has no value; pass --parameter Open=VALUE)"
OPEN_SHARES = {
    "an amount": (
        joined(SHARE, "12345", {"Ref": "Open"}),
        f"Demo/Queue shares.M.capacityLimits.{TYPE}.maxCapacity: {OPEN}",
    ),
    "a name": (joined(SHARE, "M", {"Ref": "Open"}), f"Demo/Queue shares.0.name: {OPEN}"),
    "all of it": ({"Ref": "Open"}, f"Demo/Queue shares.0.capacityLimits: {OPEN}"),
}


@pytest.mark.parametrize(("share", "want"), OPEN_SHARES.values(), ids=OPEN_SHARES)
def test_what_is_open_in_a_managed_share_is_told_with_its_path_and_its_queue_left_out(share: object, want: str) -> None:
    found = proposal_of(template(shared_out(share), **PARAMETER), path="Demo")
    assert found.proposal.queues == ()
    assert [str(hole) for hole in found.holes] == [want]


def test_open_tags_of_a_managed_share_do_not_matter() -> None:
    share = joined({**SHARE, "capacityLimits": []}, "REGION", {"Ref": "AWS::Region"})
    found = proposal_of(template(shared_out(share)))
    assert ([share.name for share in found.proposal.queues[0].shares], found.holes) == (["M"], ())


def test_a_whole_configuration_that_is_open_is_told_as_one() -> None:
    choice = {"Fn::If": ["Big", {"Strategy": "LEND"}, {"Strategy": "RESERVE"}]}
    shares = {"A": raw_share("A", ResourceSharingConfiguration=choice)}
    conditions = {"Big": {"Fn::Equals": [{"Ref": "Open"}, "1"]}}
    found = proposal_of(template({**raw_queue(), **shares}, Conditions=conditions, **PARAMETER), path="Demo")
    assert [str(hole) for hole in found.holes] == [f"Demo/Queue shares.A.resourceSharingConfiguration: {OPEN}"]


def test_a_loop_over_shares_is_told_as_not_known() -> None:
    loop = {"Fn::ForEach::Shares": ["Name", ["a"], {"Share${Name}": raw_share("a")}]}
    found = proposal_of(template({**raw_queue(), **loop}), path="Demo")
    assert [(hole.path, hole.matters) for hole in found.holes] == [("Fn::ForEach::Shares", True)]


NO_SHARES = {
    "no JSON": ("{", "the share of Demo/M is not JSON: "),
    "nested too deep": ("[" * 100_000, "the share of Demo/M is not JSON: "),
    "a list": ("[]", "the share of Demo/M is no JSON object"),
    "a number": (3, "the share of Demo/M is no JSON object"),
    "nothing": (None, "the share of Demo/M is no JSON object"),
}


@pytest.mark.parametrize(("share", "want"), NO_SHARES.values(), ids=NO_SHARES)
def test_fails_for_a_managed_share_that_is_none(share: object, want: str) -> None:
    with pytest.raises(AssemblyError) as failure:
        proposal_of(template(shared_out(share)), path="Demo")
    assert str(failure.value).startswith(want)


def test_what_the_guard_covers_is_not_told_twice() -> None:
    document = proposal({"A": 1})
    resources = {**guard(document), **raw_queue(), "ShareA": managed_share("A", {"Ref": "Queue"})}
    assert len(proposal_of(template(resources)).proposal.queues) == 1


def test_a_resource_whose_condition_does_not_hold_is_absent() -> None:
    resources = {**raw_queue(), "A": {**raw_share("A"), "Condition": "Off"}, "B": raw_share("B")}
    body = template(resources, Conditions={"Off": {"Fn::Equals": ["a", "b"]}})
    (queue,) = proposal_of(body).proposal.queues
    assert [share.name for share in queue.shares] == ["B"]


OTHER_QUEUES = {
    "another type": raw_queue(JobQueueType="ECS")
    | {"Policy": {"Type": "AWS::Batch::SchedulingPolicy", "Properties": {}}},
    "a fair-share policy": raw_queue()
    | {"Policy": {"Type": "AWS::Batch::SchedulingPolicy", "Properties": {"FairsharePolicy": {}}}},
    "no policy": raw_queue(SchedulingPolicyArn={"Ref": "AWS::NoValue"}),
}


@pytest.mark.parametrize("resources", OTHER_QUEUES.values(), ids=OTHER_QUEUES)
def test_queues_without_quota_management_are_left_alone(resources: dict[str, Any]) -> None:
    assert proposal_of(template(resources)).proposal.queues == ()


ARN = "arn:aws:batch:eu-west-1:111122223333:job-queue/training"


def test_shares_on_an_imported_queue_are_known_by_its_arn() -> None:
    resources = {"A": raw_share("A", queue=ARN), "B": raw_share("B", queue=ARN)}
    (queue,) = proposal_of(template(resources), path="Team").proposal.queues
    assert (queue.queue.arn, [share.name for share in queue.shares]) == (ARN, ["A", "B"])


def team_stacks() -> tuple[StackTemplate, StackTemplate]:
    export = {"Value": {"Fn::GetAtt": ["Queue", "JobQueueArn"]}, "Export": {"Name": "Core:QueueArn"}}
    core = StackTemplate("Core", template(raw_queue(), Outputs={"O": export}), path="Core")
    team = StackTemplate(
        "Team", template({"A": raw_share("A", queue={"Fn::ImportValue": "Core:QueueArn"})}), path="Team"
    )
    return core, team


def test_an_import_from_the_same_assembly_points_at_the_other_stack() -> None:
    stacks = team_stacks()
    assert exports_of(stacks) == {"Core:QueueArn": Reference("Queue", "JobQueueArn", "Core")}
    found = proposal_of_stack(stacks[1], exports=exports_of(stacks))
    assert [(hole.path, hole.what, hole.matters) for hole in found.holes] == [
        ("Team queue.arn", "Core/Queue.JobQueueArn", False)
    ]


def test_a_look_up_closes_references_to_other_stacks() -> None:
    stacks = team_stacks()
    live = {("Core", "Queue"): ARN}
    found = proposal_of_stack(
        stacks[1],
        exports=exports_of(stacks),
        lookup=lambda reference: live.get((reference.stack, reference.logical_id)),
    )
    assert (found.holes, [queue.queue.arn for queue in found.proposal.queues]) == ((), [ARN])


def test_a_nested_stack_gets_its_parameters_from_its_parent() -> None:
    parent = StackTemplate("Core", template(raw_queue(), Parameters={"Cap": {"Default": 5}}), path="Core")
    body = template(
        {"A": raw_share("A", {"Ref": "Mine"}, queue={"Ref": "Arn"})}, Parameters={"Mine": {}, "Arn": {"Type": "String"}}
    )
    given = {"Mine": {"Ref": "Cap"}, "Arn": {"Fn::GetAtt": ["Queue", "JobQueueArn"]}}
    nested = StackTemplate("Core/Team", body, given, path="Core/Team", logical_id="Team", parent=parent)
    (queue,) = proposal_of_stack(nested, {"Cap": 2}).proposal.queues
    assert (queue.queue.arn, dict(queue.shares[0].limits)) == ("Core/Queue.JobQueueArn", {TYPE: 2})


TOPIC = {"Fn::Join": ["", ['{"version":1,"notifyTopicArn":"', {"Ref": "Topic"}, '","maxJobs":3}']]}
LIMIT = {"Fn::Join": ["", ['{"maxJobs":"', {"Ref": "Most"}, '","protect":{"tags":{"a":"x-', {"Ref": "Most"}, '"}}}']]}
MOST = "Demo/QuotaGuard Policy"
POLICIES: dict[str, tuple[object, str, list[str]]] = {
    "a topic of the stack": (TOPIC, '{"version": 1, "maxJobs": 3}', []),
    "limits that only the deployment tells": (
        LIMIT,
        '{"protect": {"tags": {}}}',
        [f"{MOST}.maxJobs", f"{MOST}.protect.tags.a"],
    ),
    "all of it": ({"Ref": "Most"}, "{}", [MOST]),
    "none": (None, "{}", []),
    "no JSON": ({"Fn::Join": ["", ["{", {"Ref": "Topic"}]]}, "{<Topic>", []),
}


@pytest.mark.parametrize(("policy", "want", "want_holes"), POLICIES.values(), ids=POLICIES)
def test_a_policy_counts_as_far_as_it_is_known(policy: Any, want: str, want_holes: list[str]) -> None:
    body = template(
        {**guard({"version": 1, "queues": []}, policy), "Topic": {"Type": "AWS::SNS::Topic"}},
        Parameters={"Most": {"Type": "String"}},
    )
    found = proposal_of(body)
    assert (found.policy, [hole.path for hole in found.holes]) == (want, want_holes)
    assert not any(hole.matters for hole in found.holes)


BROKEN = {
    "no JSON": ("{", "the proposal of Demo/QuotaGuard is not JSON"),
    "nested too deep": ("[" * 100_000, "the proposal of Demo/QuotaGuard is not JSON"),
    "no queues": ("{}", "has no queues"),
    "a newer version": (json.dumps({"version": 2, "queues": []}), "is of version 2, this release reads 1"),
    "a version that is no whole number": ('{"version":1.0,"queues":[]}', "is of version 1.0, this release reads 1"),
    "a wrong member": (json.dumps({"version": 1, "queues": [{"path": "x"}]}), "proposes what cannot be read"),
}


@pytest.mark.parametrize(("text", "want"), BROKEN.values(), ids=BROKEN)
def test_fails_for_a_proposal_that_is_none(text: str, want: str) -> None:
    with pytest.raises(AssemblyError) as failure:
        proposal_of(template(guard(text)))
    assert want in str(failure.value)
