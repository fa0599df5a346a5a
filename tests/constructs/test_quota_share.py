"""A share in the template, managed and native."""

import json

import pytest
from aws_cdk import Aws, Stack, Token
from constructs_support import (
    G5,
    G6,
    PLACE,
    QUEUE_ARN,
    SHARE_ARN,
    new_app,
    new_queue,
    new_stack,
    only,
    proposal_of_stack,
    report_of,
    resources_of,
    template_of,
)

from quota_constructs import (
    QuotaManagedQueue,
    QuotaShare,
    ResourceSharing,
    ShareLifecycle,
    ShareRemoval,
    State,
)
from quota_constructs.errors import QuotaConstructError

MANAGED = "Custom::QuotaShare"
NATIVE = "AWS::Batch::QuotaShare"


def declared(stack):
    return json.loads(only(resources_of(stack, MANAGED))["Properties"]["Share"])


def test_a_managed_share_is_one_document_and_what_the_handler_needs_beside_it():
    stack = new_stack()
    new_queue(stack).add_share("Vision", capacity_limits={G5: 4})
    (queue,) = resources_of(stack, "AWS::Batch::JobQueue")
    (function,) = resources_of(stack, "AWS::Lambda::Function")
    assert only(resources_of(stack, MANAGED))["Properties"] == {
        "ServiceToken": {"Fn::GetAtt": [function, "Arn"]},
        "ServiceTimeout": 660,
        "Share": '{"version":1,"quotaShareName":"Vision","capacityLimits":[{"capacityUnit":"ml.g5.xlarge",'
        '"maxCapacity":4}],"resourceSharingConfiguration":{"strategy":"RESERVE"},'
        '"preemptionConfiguration":{"inSharePreemption":"DISABLED"},"state":"ENABLED","tags":{}}',
        "JobQueue": {"Ref": queue},
        "OnRemoval": "REFUSE_IF_BUSY",
        "AdoptExisting": "false",
    }


def test_everything_that_can_be_set_is_in_the_document():
    stack = new_stack()
    new_queue(stack).add_share(
        "Vision",
        capacity_limits={G5: 4},
        quota_share_name="vision-team",
        resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=50),
        in_share_preemption=True,
        state=State.DISABLED,
        on_removal=ShareRemoval.RETAIN,
        adopt_existing=True,
        tags={"team": "vision"},
    )
    properties = only(resources_of(stack, MANAGED))["Properties"]
    assert (properties["OnRemoval"], properties["AdoptExisting"]) == ("RETAIN", "true")
    assert declared(stack) == {
        "version": 1,
        "quotaShareName": "vision-team",
        "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 4}],
        "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": 50},
        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
        "state": "DISABLED",
        "tags": {"team": "vision"},
    }


@pytest.mark.parametrize(
    ("sharing", "want"),
    [
        (ResourceSharing.reserve(), {"strategy": "RESERVE"}),
        (ResourceSharing.lend(), {"strategy": "LEND"}),
        (ResourceSharing.lend_and_borrow(borrow_limit_percent=0), {"strategy": "LEND_AND_BORROW", "borrowLimit": 0}),
        (ResourceSharing.lend_and_borrow(unlimited=True), {"strategy": "LEND_AND_BORROW", "borrowLimit": -1}),
    ],
    ids=["reserve", "lend", "0 percent stays 0", "unlimited is said"],
)
@pytest.mark.parametrize("lifecycle", list(ShareLifecycle))
def test_a_sharing_strategy_means_the_same_in_both_lifecycles(sharing, want, lifecycle):
    stack = new_stack()
    new_queue(stack).add_share("Vision", capacity_limits={G5: 4}, resource_sharing=sharing, lifecycle=lifecycle)
    if lifecycle is ShareLifecycle.MANAGED:
        assert declared(stack)["resourceSharingConfiguration"] == want
    else:
        rendered = only(resources_of(stack, NATIVE))["Properties"]["ResourceSharingConfiguration"]
        assert {name[0].lower() + name[1:]: value for name, value in rendered.items()} == want
    assert proposal_of_stack(stack)["queues"][0]["shares"][0]["resourceSharingConfiguration"] == want


def test_a_native_share_is_cloudformations_own_type():
    stack = new_stack()
    new_queue(stack).add_share(
        "Vision",
        capacity_limits={G5: 4},
        lifecycle=ShareLifecycle.NATIVE,
        in_share_preemption=True,
        tags={"team": "vision"},
    )
    (queue,) = resources_of(stack, "AWS::Batch::JobQueue")
    (guard,) = resources_of(stack, "Custom::QuotaGuard")
    share = only(resources_of(stack, NATIVE))
    assert share["DependsOn"] == [guard]
    assert share["Properties"] == {
        "JobQueue": {"Ref": queue},
        "QuotaShareName": "Vision",
        "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": 4}],
        "ResourceSharingConfiguration": {"Strategy": "RESERVE"},
        "PreemptionConfiguration": {"InSharePreemption": "ENABLED"},
        "State": "ENABLED",
        "Tags": {"team": "vision"},
    }


@pytest.mark.parametrize(("removal", "want"), [(ShareRemoval.RETAIN, "Retain"), (ShareRemoval.TERMINATE, None)])
def test_a_native_share_is_kept_by_its_deletion_policy(removal, want):
    stack = new_stack()
    new_queue(stack).add_share("Vision", capacity_limits={G5: 4}, lifecycle=ShareLifecycle.NATIVE, on_removal=removal)
    assert only(resources_of(stack, NATIVE)).get("DeletionPolicy") == want


def test_a_share_may_be_in_another_stack_than_its_queue():
    """The team's stack has a guard of its own, which knows the queue by its ARN."""
    app = new_app()
    platform, team = Stack(app, "Platform"), Stack(app, "Team")
    queue = new_queue(platform)
    queue.add_share("Language", capacity_limits={G5: 2})
    QuotaShare(team, "Vision", queue=queue, capacity_limits={G5: 2})
    guard = only(resources_of(team, "Custom::QuotaGuard"))["Properties"]["Proposal"]
    imported = [piece for piece in guard["Fn::Join"][1] if isinstance(piece, dict)]
    assert [set(piece) for piece in imported] == [{"Fn::ImportValue"}]
    assert '"allowOversubscription":false,"shares":[{"path":"Team/Vision"' in guard["Fn::Join"][1][2]
    assert [share["name"] for share in proposal_of_stack(platform)["queues"][0]["shares"]] == ["Language"]


def test_shares_of_several_stacks_are_checked_together():
    app = new_app()
    queue = new_queue(Stack(app, "Platform"))
    queue.add_share("Language", capacity_limits={G5: 3})
    with pytest.raises(ValueError, match=r"^Team/Vision: the limits for ml.g5.xlarge add up to 5 .* \[QS009\]$"):
        QuotaShare(Stack(app, "Team"), "Vision", queue=queue, capacity_limits={G5: 2})


def test_a_share_on_an_imported_queue_is_told_to_the_guard_by_arn():
    stack = new_stack()
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN)
    QuotaShare(stack, "Vision", queue=queue, capacity_limits={G5: 1, G6: 2})
    assert proposal_of_stack(stack)["queues"] == [
        {
            "path": "Stack/Queue",
            "queue": {"arn": QUEUE_ARN},
            "environment": None,
            "schedulingPolicy": None,
            "jobStateTimeLimitActions": [],
            "allowOversubscription": False,
            "shares": [
                {
                    "path": "Stack/Vision",
                    "logicalId": next(iter(resources_of(stack, MANAGED))),
                    "name": "Vision",
                    "capacityLimits": [
                        {"capacityUnit": G5, "maxCapacity": 1},
                        {"capacityUnit": G6, "maxCapacity": 2},
                    ],
                    "resourceSharingConfiguration": {"strategy": "RESERVE"},
                    "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
                    "state": "ENABLED",
                    "lifecycle": "MANAGED",
                    "onRemoval": "REFUSE_IF_BUSY",
                }
            ],
        }
    ]


def test_two_imports_of_one_queue_are_one_queue_to_the_guard():
    stack = new_stack()
    for name in ("One", "Two"):
        QuotaManagedQueue.from_job_queue_arn(stack, name, QUEUE_ARN).add_share("Share" + name, capacity_limits={G5: 1})
    (queue,) = proposal_of_stack(stack)["queues"]
    assert [share["name"] for share in queue["shares"]] == ["ShareOne", "ShareTwo"]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "want"),
    [
        ({"A": 1}, {"B": 1, "A": 1}, "QS013"),
        (dict.fromkeys("ABCDEFGHIJ", 1), dict.fromkeys("KLMNOPQRSTU", 1), "QS011"),
        ({"A": 3}, {"B": 2}, "QS009"),
    ],
    ids=["names", "number", "sum"],
)
def test_shares_of_one_queue_by_two_constructs_are_held_to_its_rules_together(is_known, first, second, want):
    stack = new_stack()
    arn = QUEUE_ARN if is_known else Token.as_string({"Ref": "Queue"})
    limits = {G5: 4 if want == "QS009" else 40}
    whole = QuotaManagedQueue.from_job_queue_attributes(stack, "Whole", job_queue_arn=arn, capacity_limits=limits)
    bare = QuotaManagedQueue.from_job_queue_arn(stack, "Bare", arn)
    for name, limit in first.items():
        whole.add_share(name, capacity_limits={G5: limit})
    *fitting, last = second
    for name in fitting:
        bare.add_share(name, capacity_limits={G5: second[name]})
    with pytest.raises(QuotaConstructError) as raised:
        bare.add_share(last, capacity_limits={G5: second[last]})
    assert raised.value.rule_ids == (want,)
    assert str(raised.value).startswith(f"Stack/Bare/{last}: ")


def test_an_own_queue_with_a_name_and_an_import_of_it_are_one_queue_to_the_rules():
    stack = Stack(new_app(), "Stack", env=PLACE)
    own = new_queue(stack, job_queue_name="training")
    imported = QuotaManagedQueue.from_job_queue_arn(stack, "Imported", QUEUE_ARN)
    imported.add_share("Vision", capacity_limits={G5: 2})
    with pytest.raises(QuotaConstructError) as raised:
        own.add_share("Other", quota_share_name="Vision", capacity_limits={G5: 2})
    assert raised.value.rule_ids == ("QS013",)
    own.add_share("Research", capacity_limits={G5: 2})
    assert report_of(stack.node.root) == []


@pytest.mark.parametrize(
    ("name", "arn"),
    [(None, QUEUE_ARN), ("training", QUEUE_ARN.replace("eu-", "us-")), ("other", QUEUE_ARN)],
    ids=["no name", "another Region", "another name"],
)
def test_queues_that_may_be_two_have_shares_of_one_name(name, arn):
    stack = Stack(new_app(), "Stack", env=None if "us-" in arn else PLACE)
    new_queue(stack, job_queue_name=name).add_share("Vision", capacity_limits={G5: 4})
    QuotaManagedQueue.from_job_queue_arn(stack, "Imported", arn).add_share("Vision", capacity_limits={G5: 4})


def test_attributes_of_a_declared_share():
    stack = new_stack()
    share = new_queue(stack).add_share("Vision", capacity_limits={G5: 4})
    (name,) = resources_of(stack, MANAGED)
    assert share.quota_share_name == "Vision"
    assert stack.resolve(share.quota_share_arn) == {"Ref": name}
    assert share.job_queue_arn == share.node.scope.job_queue_arn


def test_an_imported_share_knows_what_its_arn_says():
    stack = new_stack()
    share = QuotaShare.from_quota_share_arn(stack, "Share", SHARE_ARN)
    assert (share.quota_share_name, share.job_queue_arn) == ("vision", QUEUE_ARN)
    token = QuotaShare.from_quota_share_arn(stack, "Token", Token.as_string({"Fn::ImportValue": "x"}))
    split = {"Fn::Split": ["/quota-share/", {"Fn::ImportValue": "x"}]}
    assert stack.resolve(token.job_queue_arn) == {"Fn::Select": [0, split]}
    assert stack.resolve(token.quota_share_name) == {"Fn::Select": [1, split]}


def test_a_share_of_a_queue_in_another_region_is_refused():
    stack = Stack(new_app(), "Stack", env={"account": "111122223333", "region": "us-east-1"})
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", QUEUE_ARN)
    with pytest.raises(ValueError, match=r"Region us-east-1 for the share .*Region eu-west-1 for the queue.*\[QC003\]"):
        QuotaShare(stack, "Vision", queue=queue, capacity_limits={G5: 1})
    same = Stack(new_app(), "Stack", env=PLACE)
    QuotaShare(
        same,
        "Vision",
        queue=QuotaManagedQueue.from_job_queue_arn(same, "Queue", QUEUE_ARN),
        capacity_limits={G5: 1},
    )


def test_the_name_may_be_a_token():
    stack = new_stack()
    new_queue(stack).add_share("Vision", quota_share_name=f"vision-{Aws.REGION}", capacity_limits={G5: 4})
    share = only(resources_of(stack, MANAGED))["Properties"]["Share"]
    assert {"Ref": "AWS::Region"} in share["Fn::Join"][1]
    assert "vision-" in str(template_of(stack))
