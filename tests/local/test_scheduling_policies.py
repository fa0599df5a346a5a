from __future__ import annotations

from local_support import Face, Queue, refused, without_metadata

FIFO = {"idleResourceAssignmentStrategy": "FIFO"}
FAIR = {"shareDecaySeconds": 600}


def test_a_created_policy_is_there_at_once(face: Face) -> None:
    made = without_metadata(face.client.create_scheduling_policy(name="p", quotaSharePolicy=FIFO, tags={"team": "a"}))
    assert made["arn"].endswith(":scheduling-policy/p")
    assert without_metadata(face.client.describe_scheduling_policies(arns=[made["arn"]])) == {
        "schedulingPolicies": [{**made, "quotaSharePolicy": FIFO, "tags": {"team": "a"}}]
    }


def test_fails_for_two_kinds_and_for_an_existing_name(face: Face) -> None:
    create = face.client.create_scheduling_policy
    assert "only one of quotaSharePolicy and fairsharePolicy" in refused(
        create, name="p", quotaSharePolicy=FIFO, fairsharePolicy=FAIR
    )
    create(name="p", quotaSharePolicy=FIFO)
    assert refused(create, name="p", quotaSharePolicy=FIFO) == "Object already exists"


def test_a_policy_keeps_its_kind(face: Face) -> None:
    shares = face.client.create_scheduling_policy(name="shares", quotaSharePolicy=FIFO)["arn"]
    fair = face.client.create_scheduling_policy(name="fair", fairsharePolicy=FAIR)["arn"]
    update = face.client.update_scheduling_policy
    assert without_metadata(update(arn=shares, quotaSharePolicy=FIFO)) == {}
    assert without_metadata(update(arn=fair, fairsharePolicy={"shareDecaySeconds": 60})) == {}
    assert "cannot become a fair-share one" in refused(update, arn=shares, fairsharePolicy=FAIR)
    assert "cannot become a quota-share one" in refused(update, arn=fair, quotaSharePolicy=FIFO)


def test_a_policy_in_use_cannot_be_deleted(face: Face) -> None:
    queue = Queue(face)
    assert refused(face.client.delete_scheduling_policy, arn=queue.policy_arn).endswith("is used by job queue training")


def test_list_and_describe_leave_out_what_is_gone(face: Face) -> None:
    arns = [face.client.create_scheduling_policy(name=f"p{n}", quotaSharePolicy=FIFO)["arn"] for n in range(3)]
    face.client.delete_scheduling_policy(arn=arns[1])
    listed = face.client.list_scheduling_policies()["schedulingPolicies"]
    assert [policy["arn"] for policy in listed] == [arns[0], arns[2]]
    described = face.client.describe_scheduling_policies(arns=arns)["schedulingPolicies"]
    assert [policy["name"] for policy in described] == ["p0", "p2"]
    assert "does not exist" in refused(face.client.delete_scheduling_policy, arn=arns[1])
    assert "at most 100 entries, got 101" in refused(face.client.describe_scheduling_policies, arns=["x"] * 101)
