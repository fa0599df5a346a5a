"""What the guard takes for a change: the declarations, the live queue, other stacks, removals and renames."""

from __future__ import annotations

import json

import pytest
from guard_scenarios import LEND, LENDS, logged, scenario, update
from handler_support import (
    G5,
    OTHER_STACK_ID,
    Account,
    account_with_queue,
    guard_event,
    guard_properties,
    handle,
    job_status,
    make_share,
    proposal,
    set_resources,
    submit,
)


def test_a_first_deployment_is_checked_by_the_rules_alone() -> None:
    account = Account()
    passed = handle(account, guard_event("Create", guard_properties(proposal({"A": 1, "B": LEND})))).body
    assert (passed["Status"], passed["Data"]["Verdict"]) == ("SUCCESS", "safe")
    wrong = proposal({"A": {"limit": 5}})
    failed = handle(account, guard_event("Create", guard_properties(wrong))).body
    assert failed["Status"] == "FAILED"
    assert "[QS" in failed["Reason"].splitlines()[0]
    assert [operation for _, operation in account.calls if operation.startswith(("Describe", "List"))] == [
        "DescribeStacks",
        "ListStackResources",
    ] * 2


def test_a_guard_that_is_added_to_a_live_stack_checks_it() -> None:
    case = scenario("disruptive")
    body = handle(case.account, guard_event("Create", guard_properties(case.new))).body
    assert body["Status"] == "FAILED"
    assert body["Reason"].startswith("disruptive: ")


def test_what_did_not_change_is_not_touched_so_that_drift_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    case = scenario("safe")
    case.account.batch.checked_call(
        "UpdateQuotaShare",
        {
            "quotaShareArn": "arn:aws:batch:eu-west-1:000000000000:job-queue/training/quota-share/B",
            "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 2}],
        },
    )
    case.account.batch.advance(5)
    capsys.readouterr()
    body = update(case.account, case.new, case.old)
    (document,) = logged(capsys, "assessment")
    assert body["Status"] == "SUCCESS"
    assert document["change"] == {"shares": {"A": {"borrow_limit_percent": 300}}}
    assert document["drift"] == [{"where": "shares.B.limits", "message": f"declared 1 {G5}, live 2 {G5}"}]


def test_old_properties_that_equal_the_new_ones_are_left_aside() -> None:
    """What Old holds when a deployment is tried again without a rollback is not documented."""
    case = scenario("disruptive")
    assert update(case.account, case.new, case.new)["Status"] == "FAILED"


@pytest.mark.parametrize(
    "old", ["{}", '{"version":2,"queues":[]}', "not json", ""], ids=["empty", "newer", "broken", "none"]
)
def test_old_properties_that_cannot_be_read_are_left_aside(old: str) -> None:
    case = scenario("disruptive")
    assert update(case.account, case.new, old)["Status"] == "FAILED"


@pytest.mark.parametrize(
    ("new", "want"),
    [
        ('{"version":2,"queues":[]}', "$.version: must be 1, got 2"),
        ("{", "$: not JSON"),
        ("", "$: not JSON"),
        ('{"version":1,"queues":[{"path":"p","queue":{}}]}', "$.queues[0].queue: needs logicalId, or arn"),
    ],
    ids=["newer", "broken", "missing", "no queue"],
)
def test_fails_to_deploy_a_proposal_that_cannot_be_read_but_rolls_back_to_it(new: str, want: str) -> None:
    case = scenario("safe")
    body = update(case.account, new, case.old)
    assert body["Status"] == "FAILED"
    assert want in body["Reason"]
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    assert update(case.account, new, case.old)["Status"] == "SUCCESS"


def test_shares_of_other_stacks_count_and_a_cut_that_needs_two_stacks_is_possible() -> None:
    account = account_with_queue({G5: 4})
    make_share(account, "A", 2)
    make_share(account, "B", 2, **LENDS)  # of another stack
    set_resources(account, {"A": "A"})
    account.set_status("UPDATE_IN_PROGRESS")
    too_much = update(account, proposal({"A": {"limit": 3}}, {G5: 4}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert too_much["Reason"].startswith("invalid: ")
    cut = update(account, proposal({"A": {"limit": 2}}, {G5: 3}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert cut["Status"] == "FAILED"  # the environment is cut below what both stacks have: by one of them first
    first = update(account, proposal({"A": {"limit": 1}}, {G5: 4}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert first["Status"] == "SUCCESS"


def test_an_error_that_was_there_before_does_not_block() -> None:
    account = account_with_queue({G5: 3})
    make_share(account, "A", 2)
    make_share(account, "B", 2, **LENDS)  # 4 of 3: somebody made it so by hand
    set_resources(account, {"A": "A"})
    account.set_status("UPDATE_IN_PROGRESS")
    body = update(account, proposal({"A": {"limit": 2, "borrow": 50}}), proposal({"A": {"limit": 2}}))
    assert body["Status"] == "SUCCESS"


def test_a_share_on_an_imported_queue_is_checked_against_the_whole_queue() -> None:
    account = account_with_queue()
    make_share(account, "A", 2)
    make_share(account, "B", 1, **LENDS)
    set_resources(account, {"A": "A"}, queue=False)
    account.set_status("UPDATE_IN_PROGRESS")
    jobs = [submit(account, "A", name) for name in ("a1", "a2")]
    body = update(account, proposal({"A": {"limit": 3}}, imported=True), proposal({"A": {"limit": 2}}, imported=True))
    assert body["Reason"].startswith("invalid: queue training: ")
    assert [job_status(account, job) for job in jobs] == ["RUNNING", "RUNNING"]


@pytest.mark.parametrize(
    ("shares", "want"),
    [
        ({"B": LEND}, "destructive"),
        ({"A2": {"limit": 2}, "B": LEND}, "destructive"),
        ({"X": {"name": "A", "logical_id": "X", "limit": 2}, "B": LEND}, "safe"),
        ({"A": {"name": "A9", "limit": 2}, "B": LEND}, "destructive"),
    ],
    ids=["construct removed", "renamed with its share", "only the construct renamed", "only the share renamed"],
)
def test_removals_and_renames(shares: dict[str, object], want: str) -> None:
    case = scenario("safe")
    body = update(case.account, proposal(shares), case.old)
    verdict = body["Data"].get("Verdict") or body["Reason"].partition(":")[0]
    assert verdict == want


@pytest.mark.parametrize("keeps_a", [True, False], ids=["nothing else at risk", "running jobs go as well"])
def test_jobs_that_are_not_runnable_yet_are_said_to_end_with_their_share(keeps_a: bool) -> None:
    case = scenario("safe")
    submit(case.account, "B", "early", advance=0)
    shares = {name: {**given, "on_removal": "TERMINATE"} for name, given in {"A": {"limit": 2}, "B": LEND}.items()}
    body = update(case.account, proposal({"A": shares["A"]} if keeps_a else {}), proposal(shares))
    told = body["Data"]["Summary"] if keeps_a else body["Reason"]
    assert body["Status"] == ("SUCCESS" if keeps_a else "FAILED")
    assert "1 job of share B that is not RUNNABLE yet ends with it as well" in told


def test_a_share_that_is_retained_is_no_removal() -> None:
    case = scenario("safe")
    old = proposal({"A": {"limit": 2, "on_removal": "RETAIN"}, "B": LEND})
    body = update(case.account, proposal({"B": LEND}), old)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "safe")


@pytest.mark.parametrize(
    ("removal_policy", "on_removal", "want"),
    [("DESTROY", "RETAIN", "FAILED"), ("RETAIN", "REFUSE_IF_BUSY", "FAILED"), ("RETAIN", "RETAIN", "SUCCESS")],
)
def test_a_queue_construct_that_is_renamed_leaves_queue_and_shares(
    removal_policy: str, on_removal: str, want: str
) -> None:
    case = scenario("safe")
    shares = {"A": {"limit": 2, "on_removal": on_removal}, "B": {**LEND, "on_removal": on_removal}}
    old = proposal(shares, removal_policy=removal_policy)
    renamed = {f"New{name}": {**share, "name": name} for name, share in shares.items()}
    new = proposal(renamed, queue_id="NewQueue", removal_policy=removal_policy)
    body = update(case.account, new, old)
    assert body["Status"] == want
    if want == "FAILED":
        assert body["Reason"].startswith("destructive: queue training: removing all shares ends 2 unfinished jobs: ")


def test_a_queue_that_is_replaced_takes_its_shares_with_it() -> None:
    case = scenario("safe")
    new = proposal({"A": {"limit": 2}, "B": LEND}, queue_name="another", removal_policy="DESTROY")
    body = update(case.account, new, case.old)
    assert body["Reason"].startswith("destructive: queue training: removing all shares ends 2 unfinished jobs: ")


def test_resources_that_are_declared_outside_the_guard_are_no_removals() -> None:
    case = scenario("safe")
    new = json.loads(proposal({"B": LEND}))
    new["unguarded"] = ["A"]
    body = update(case.account, json.dumps(new), case.old)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "safe")


def test_another_stacks_guard_sees_nothing_of_this_stack() -> None:
    case = scenario("destructive")
    case.account.set_status("CREATE_IN_PROGRESS", OTHER_STACK_ID)
    made = guard_event("Create", guard_properties(proposal({"C": {"limit": 1, "strategy": "LEND"}}, imported=True)))
    made["StackId"] = OTHER_STACK_ID
    body = handle(case.account, made).body
    assert body["Reason"].startswith("invalid: queue training: ")  # A 2, B 1 and C 1 of 3
