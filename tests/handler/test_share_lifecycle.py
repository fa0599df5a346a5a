"""A managed share over the local Batch: made, changed, replaced, adopted and taken away."""

from __future__ import annotations

import pytest
from handler_support import (
    G5,
    OTHER_STACK_ID,
    OWNER,
    QUEUE_ARN,
    Account,
    account_with_queue,
    event,
    handle,
    job_status,
    make_share,
    owner,
    share_arn,
    share_properties,
    submit,
)

from quota_constructs.local import LocalBatch, ManualClock, Settings

CLEANUP = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"


@pytest.fixture
def account() -> Account:
    return account_with_queue()


def create(account: Account, request_id: str = "req-1", **properties: object) -> dict[str, object]:
    return handle(account, event("Create", share_properties(**properties), request_id=request_id)).body


def configuration(account: Account, name: str = "QS1") -> tuple[object, ...] | None:
    found = account.share(name)
    if found is None:
        return None
    limits = {limit["capacityUnit"]: limit["maxCapacity"] for limit in found["capacityLimits"]}
    sharing = found["resourceSharingConfiguration"]
    return (
        limits,
        sharing["strategy"],
        sharing.get("borrowLimit"),
        found["preemptionConfiguration"]["inSharePreemption"],
        found["state"],
        found["status"],
    )


MADE = ({G5: 1}, "LEND_AND_BORROW", 200, "ENABLED", "ENABLED", "VALID")


def test_create_makes_the_share_and_waits_until_it_is_valid(account: Account) -> None:
    body = create(account, tags={"team": "vision"})
    assert body["Status"] == "SUCCESS"
    assert body["PhysicalResourceId"] == share_arn("QS1")
    assert body["Data"] == {"QuotaShareArn": share_arn("QS1"), "QuotaShareName": "QS1"}
    assert configuration(account) == MADE
    assert account.share("QS1")["tags"] == {
        "team": "vision",
        OWNER: owner(),
        "quota-constructs:request": "req-1",
    }


def test_create_again_with_the_same_request_changes_nothing(account: Account) -> None:
    first = create(account)
    changes = account.changes()
    assert create(account) == first
    assert account.changes() == changes


def test_create_goes_on_where_an_earlier_try_of_the_request_stopped(account: Account) -> None:
    tags = {OWNER: owner(), "quota-constructs:request": "req-1"}
    make_share(account, "QS1", limit=3, tags=tags)
    assert create(account)["Status"] == "SUCCESS"
    assert configuration(account) == MADE
    assert "quota-constructs:before" not in account.share("QS1")["tags"]


def test_a_borrow_limit_that_is_left_out_is_unlimited_and_zero_stays_zero(account: Account) -> None:
    create(account, borrow=0)
    assert configuration(account)[2] == 0
    create(account, name="QS2", borrow=None)
    assert configuration(account, "QS2")[2] == -1


def test_numbers_may_come_as_text(account: Account) -> None:
    assert create(account, limit="2")["Status"] == "SUCCESS"
    assert configuration(account)[0] == {G5: 2}


@pytest.mark.parametrize(
    ("tags", "want_owner"),
    [({}, "belongs to no stack"), ({OWNER: owner(stack_id=OTHER_STACK_ID)}, OTHER_STACK_ID)],
    ids=["nobody's", "another stack's"],
)
def test_fails_to_create_a_share_that_somebody_else_has(
    account: Account, tags: dict[str, str], want_owner: str
) -> None:
    make_share(account, "QS1", limit=3, **({"tags": tags} if tags else {}))
    before = account.share("QS1")
    body = create(account)
    assert body["Status"] == "FAILED"
    assert body["PhysicalResourceId"] == "create-failed/req-1"
    assert "share QS1 exists already on queue training" in body["Reason"]
    assert want_owner in body["Reason"]
    assert "adopt_existing=True" in body["Reason"]
    assert account.share("QS1") == before


def test_adopting_takes_a_share_over_and_keeps_its_jobs_running(account: Account) -> None:
    make_share(account, "QS1", limit=3)
    job = submit(account, "QS1", "train")
    assert create(account, adopt=True)["Status"] == "SUCCESS"
    assert configuration(account) == MADE
    assert account.share("QS1")["tags"] == {
        OWNER: owner(),
        "quota-constructs:request": "req-1",
        "quota-constructs:before": f"LEND_AND_BORROW/200 in=ENABLED state=ENABLED {G5}=3",
    }
    assert job_status(account, job) == "RUNNING"


def test_the_next_update_settles_an_adoption(account: Account) -> None:
    make_share(account, "QS1", limit=3)
    create(account, adopt=True)
    account.set_status("UPDATE_IN_PROGRESS")
    old = share_properties(adopt=True)
    handle(account, event("Update", share_properties(limit=2, adopt=True), old, share_arn("QS1")))
    assert "quota-constructs:before" not in account.share("QS1")["tags"]


@pytest.mark.parametrize("former", [None, owner(stack_id=OTHER_STACK_ID)], ids=["nobody's", "another stack's"])
def test_a_rollback_gives_an_adopted_share_back_as_it_was(account: Account, former: str | None) -> None:
    make_share(account, "QS1", limit=3, **({"tags": {OWNER: former}} if former else {}))
    before = account.share("QS1")
    job = submit(account, "QS1", "train")
    create(account, adopt=True)
    account.set_status("ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(adopt=True), physical_id=share_arn("QS1")))
    assert gone.body["Status"] == "SUCCESS"
    assert "was given back" in gone.body["Reason"]
    after = account.share("QS1")
    assert after.get("tags", {}) == before.get("tags", {})
    assert {**after, "tags": {}} == {**before, "tags": {}}
    assert job_status(account, job) == "RUNNING"


@pytest.mark.parametrize("adopt", [False, True])
def test_a_share_whose_construct_is_renamed_survives(account: Account, adopt: bool) -> None:
    create(account)
    job = submit(account, "QS1", "train")
    account.set_status("UPDATE_IN_PROGRESS")
    adopted = event("Create", share_properties(adopt=adopt), logical_id="Renamed", request_id="req-2")
    assert handle(account, adopted).body["Status"] == "SUCCESS"
    account.set_status(CLEANUP)
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-3"))
    assert gone.body["Status"] == "SUCCESS"
    assert "left as it is" in gone.body["Reason"]
    assert configuration(account) == MADE
    assert account.share("QS1")["tags"][OWNER] == owner("Renamed")
    assert job_status(account, job) == "RUNNING"


@pytest.mark.parametrize(
    ("change", "want", "want_changes"),
    [
        ({"limit": 2}, ({G5: 2}, "LEND_AND_BORROW", 200, "ENABLED", "ENABLED", "VALID"), ["UpdateQuotaShare"]),
        ({"borrow": 50}, ({G5: 1}, "LEND_AND_BORROW", 50, "ENABLED", "ENABLED", "VALID"), ["UpdateQuotaShare"]),
        ({"borrow": None}, ({G5: 1}, "LEND_AND_BORROW", -1, "ENABLED", "ENABLED", "VALID"), ["UpdateQuotaShare"]),
        (
            {"in_share": "DISABLED"},
            ({G5: 1}, "LEND_AND_BORROW", 200, "DISABLED", "ENABLED", "VALID"),
            ["UpdateQuotaShare"],
        ),
        (
            {"state": "DISABLED"},
            ({G5: 1}, "LEND_AND_BORROW", 200, "ENABLED", "DISABLED", "VALID"),
            ["UpdateQuotaShare"],
        ),
        ({"tags": {"team": "b"}}, MADE, ["TagResource", "UntagResource"]),
        ({"on_removal": "TERMINATE", "tags": {"team": "a", "old": "1"}}, MADE, []),
    ],
    ids=["limit", "borrow limit", "no borrow limit", "in-share preemption", "state", "tags", "removal only"],
)
def test_update_changes_only_what_differs(
    account: Account, change: dict[str, object], want: tuple[object, ...], want_changes: list[str]
) -> None:
    old = {"tags": {"team": "a", "old": "1"}}
    create(account, **old)
    account.set_status("UPDATE_IN_PROGRESS")
    begun = len(account.changes())
    made = event("Update", share_properties(**{**old, **change}), share_properties(**old), share_arn("QS1"))
    body = handle(account, made).body
    assert (body["Status"], body["PhysicalResourceId"]) == ("SUCCESS", share_arn("QS1"))
    assert configuration(account) == want
    assert account.changes()[begun:] == want_changes


def test_update_removes_tags_that_are_no_longer_declared_and_no_others(account: Account) -> None:
    create(account, tags={"team": "a", "old": "1"})
    account.batch.checked_call("TagResource", {"resourceArn": share_arn("QS1"), "tags": {"by-hand": "x"}})
    account.set_status("UPDATE_IN_PROGRESS")
    old = share_properties(tags={"team": "a", "old": "1"})
    handle(account, event("Update", share_properties(tags={"team": "b"}), old, share_arn("QS1")))
    assert account.share("QS1")["tags"] == {
        "team": "b",
        "by-hand": "x",
        OWNER: owner(),
        "quota-constructs:request": "req-1",
    }


def test_update_puts_right_what_was_changed_by_hand_and_says_so(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create(account)
    account.batch.checked_call(
        "UpdateQuotaShare",
        {"quotaShareArn": share_arn("QS1"), "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 3}]},
    )
    account.batch.checked_call("UntagResource", {"resourceArn": share_arn("QS1"), "tagKeys": [OWNER]})
    account.batch.advance(5)
    account.set_status("UPDATE_IN_PROGRESS")
    handle(account, event("Update", share_properties(borrow=100), share_properties(), share_arn("QS1")))
    assert configuration(account) == ({G5: 1}, "LEND_AND_BORROW", 100, "ENABLED", "ENABLED", "VALID")
    assert account.share("QS1")["tags"][OWNER] == owner()
    assert "was changed by hand (capacityLimits); it was put right" in capsys.readouterr().out


def test_update_makes_a_share_again_that_was_deleted_by_hand(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    account.set_status("UPDATE_IN_PROGRESS")
    body = handle(account, event("Update", share_properties(limit=2), share_properties(), share_arn("QS1"))).body
    assert body["Status"] == "SUCCESS"
    assert configuration(account)[0] == {G5: 2}
    assert "somebody deleted it; it was made again" in capsys.readouterr().out


def test_fails_to_update_a_share_that_another_stack_has_taken_over(account: Account) -> None:
    create(account)
    make_share(account, "other")
    account.batch.checked_call(
        "TagResource", {"resourceArn": share_arn("QS1"), "tags": {OWNER: owner(stack_id=OTHER_STACK_ID)}}
    )
    account.set_status("UPDATE_IN_PROGRESS")
    body = handle(account, event("Update", share_properties(limit=2), share_properties(), share_arn("QS1"))).body
    assert body["Status"] == "FAILED"
    assert OTHER_STACK_ID in body["Reason"]
    assert configuration(account) == MADE


@pytest.mark.parametrize("running", [False, True], ids=["idle", "busy"])
def test_a_new_name_makes_a_new_share_and_leaves_the_old_one_to_the_clean_up(account: Account, running: bool) -> None:
    create(account)
    job = submit(account, "QS1", "train") if running else None
    account.set_status("UPDATE_IN_PROGRESS")
    renamed = event("Update", share_properties("QS9"), share_properties(), share_arn("QS1"), request_id="req-2")
    body = handle(account, renamed).body
    assert (body["Status"], body["PhysicalResourceId"]) == ("SUCCESS", share_arn("QS9"))
    assert (configuration(account), configuration(account, "QS9")) == (MADE, MADE)
    account.set_status(CLEANUP)
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-3"))
    if job is None:
        assert (gone.body["Status"], configuration(account)) == ("SUCCESS", None)
    else:
        assert (gone.body["Status"], configuration(account)) == ("FAILED", MADE)
        assert job_status(account, job) == "RUNNING"


def test_a_rolled_back_rename_returns_to_the_old_share(account: Account) -> None:
    create(account)
    account.set_status("UPDATE_IN_PROGRESS")
    new, old = share_properties("QS9"), share_properties()
    handle(account, event("Update", new, old, share_arn("QS1"), request_id="req-2"))
    account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    back = handle(account, event("Update", old, new, share_arn("QS9"), request_id="req-3"))
    assert (back.body["Status"], back.body["PhysicalResourceId"]) == ("SUCCESS", share_arn("QS1"))
    account.set_status("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
    gone = handle(account, event("Delete", new, physical_id=share_arn("QS9"), request_id="req-4"))
    assert gone.body["Status"] == "SUCCESS"
    assert (configuration(account), configuration(account, "QS9")) == (MADE, None)


def test_a_rename_that_was_never_answered_is_undone_by_the_rollback(account: Account) -> None:
    create(account)
    account.set_status("UPDATE_IN_PROGRESS")
    new, old = share_properties("QS9"), share_properties()
    handle(account, event("Update", new, old, share_arn("QS1"), request_id="req-2"))  # CloudFormation gave up on it
    account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    back = handle(account, event("Update", old, new, share_arn("QS1"), request_id="req-3"))
    assert (back.body["Status"], back.body["PhysicalResourceId"]) == ("SUCCESS", share_arn("QS1"))
    assert (configuration(account), configuration(account, "QS9")) == (MADE, None)


@pytest.mark.parametrize("status", [CLEANUP, "DELETE_IN_PROGRESS"])
def test_removal_of_a_busy_share_is_refused_and_leaves_it_enabled(account: Account, status: str) -> None:
    create(account)
    jobs = [submit(account, "QS1", f"train-{number}") for number in range(25)]
    account.set_status(status)
    statuses = [job_status(account, job) for job in jobs]
    changes = account.changes()
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert (gone.body["Status"], gone.body["PhysicalResourceId"]) == ("FAILED", share_arn("QS1"))
    first, *named = gone.body["Reason"].splitlines()
    assert first == (
        "share QS1 on queue training has 25 unfinished jobs (1 RUNNING, 24 RUNNABLE), and deleting it would end them; "
        "it was left as it is. Deploy it with state DISABLED first and remove it when it is idle, or deploy "
        "on_removal TERMINATE first"
    )
    assert named[0] == f"train-0 ({jobs[0]}) RUNNING"
    assert named[20] == "and 5 more"
    assert named[21] == "CloudWatch Log Stream: 2026/11/29/[$LATEST]0123456789abcdef"
    assert account.changes() == changes
    assert [job_status(account, job) for job in jobs] == statuses
    assert configuration(account) == MADE


def test_a_job_that_comes_while_an_idle_share_is_taken_away_stops_the_removal(account: Account) -> None:
    create(account)
    account.set_status(CLEANUP)
    arrived: list[str] = []

    def submit_once(service: str, operation: str) -> None:
        if operation == "UpdateQuotaShare" and not arrived:
            arrived.append("")
            arrived[0] = submit(account, "QS1", "late")

    account.hooks.append(submit_once)
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert gone.body["Status"] == "FAILED"
    assert "1 unfinished job" in gone.body["Reason"]
    assert configuration(account) == MADE
    assert job_status(account, arrived[0]) == "RUNNING"


def test_removal_with_terminate_disables_deletes_and_waits_until_the_share_is_gone(account: Account) -> None:
    create(account, on_removal="TERMINATE")
    job = submit(account, "QS1", "train")
    account.set_status(CLEANUP)
    gone = handle(
        account,
        event("Delete", share_properties(on_removal="TERMINATE"), physical_id=share_arn("QS1"), request_id="r2"),
    )
    assert gone.body["Status"] == "SUCCESS"
    assert account.changes()[-2:] == ["UpdateQuotaShare", "DeleteQuotaShare"]
    assert configuration(account) is None
    assert job_status(account, job) == "FAILED"


def test_removal_with_retain_leaves_the_share_to_nobody(account: Account) -> None:
    create(account, on_removal="RETAIN", tags={"team": "a"})
    job = submit(account, "QS1", "train")
    account.set_status(CLEANUP)
    properties = share_properties(on_removal="RETAIN", tags={"team": "a"})
    gone = handle(account, event("Delete", properties, physical_id=share_arn("QS1"), request_id="r2"))
    assert gone.body["Status"] == "SUCCESS"
    assert configuration(account) == MADE
    assert account.share("QS1")["tags"] == {"team": "a"}
    assert job_status(account, job) == "RUNNING"


def test_a_new_share_that_is_busy_is_disabled_and_kept_by_a_rollback(account: Account) -> None:
    create(account)
    job = submit(account, "QS1", "train")
    account.set_status("ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert gone.body["Status"] == "SUCCESS"
    assert gone.body["Reason"] == (
        "share QS1 is new, but has 1 unfinished job (1 RUNNING) already; it was disabled and kept, outside the stack; "
        "delete it when it is idle"
    )
    assert configuration(account) == ({G5: 1}, "LEND_AND_BORROW", 200, "ENABLED", "DISABLED", "VALID")
    assert job_status(account, job) == "RUNNING"


@pytest.mark.parametrize(
    "physical_id",
    ["create-failed/req-0", "ml-QS1-1ABCDEFGHIJKL", share_arn("QS1")],
    ids=["of another request", "invented", "its own"],
)
def test_delete_never_touches_what_belongs_to_somebody_else(account: Account, physical_id: str) -> None:
    make_share(account, "QS1", tags={OWNER: owner(stack_id=OTHER_STACK_ID)})
    before = account.share("QS1")
    account.set_status("ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id=physical_id, request_id="req-2"))
    assert (gone.body["Status"], gone.body["PhysicalResourceId"]) == ("SUCCESS", physical_id)
    assert account.share("QS1") == before
    assert account.changes() == []


def test_delete_after_a_failed_create_touches_nothing_that_this_create_did_not_make(account: Account) -> None:
    create(account)
    account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id="create-failed/another", request_id="r2"))
    assert gone.body["Status"] == "SUCCESS"
    assert configuration(account) == MADE


@pytest.mark.parametrize("physical_id", ["create-failed/req-1", "ml-QS1-1ABCDEFGHIJKL"], ids=["returned", "invented"])
def test_delete_takes_away_what_a_create_made_that_was_given_up(account: Account, physical_id: str) -> None:
    create(account)  # CloudFormation never saw the answer
    account.set_status("ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id=physical_id, request_id="req-2"))
    assert gone.body["Status"] == "SUCCESS"
    assert configuration(account) is None


def test_delete_of_a_share_that_is_gone_succeeds(account: Account) -> None:
    account.set_status("DELETE_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1")))
    assert gone.body["Status"] == "SUCCESS"


def test_delete_waits_for_a_deletion_that_is_under_way(account: Account) -> None:
    create(account, on_removal="TERMINATE")
    submit(account, "QS1", "train")
    account.set_status(CLEANUP)
    for operation, more in (("UpdateQuotaShare", {"state": "DISABLED"}), ("DeleteQuotaShare", {})):
        account.batch.checked_call(operation, {"quotaShareArn": share_arn("QS1"), **more})
        if operation == "UpdateQuotaShare":
            account.batch.advance(5)
    begun = account.changes()
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert gone.body["Status"] == "SUCCESS"
    assert account.changes() == begun
    assert configuration(account) is None


def test_a_status_that_hangs_ends_with_how_far_it_came() -> None:
    slow = LocalBatch(clock=ManualClock(), settings=Settings(status_seconds=1000))
    account = account_with_queue(batch=slow, seconds=3000)
    body = handle(account, event("Create", share_properties())).body
    assert (body["Status"], body["PhysicalResourceId"]) == ("FAILED", "create-failed/req-1")
    assert body["Reason"].splitlines()[0] == (
        "share QS1: time ran out, the share is still CREATING (so far: created share QS1); deploy again, it goes on "
        "from there"
    )


def test_fails_with_the_version_when_the_properties_are_newer(account: Account) -> None:
    body = create(account, version=2)
    assert body["Status"] == "FAILED"
    assert "property Share has version 2, this handler knows 1" in body["Reason"]
    assert account.changes() == []


def test_a_forward_change_stops_when_the_stack_goes_back(account: Account) -> None:
    create(account)
    account.set_status("UPDATE_IN_PROGRESS")

    def roll_back(service: str, operation: str) -> None:
        if operation == "DescribeQuotaShare":
            account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")

    account.hooks.append(roll_back)
    body = handle(account, event("Update", share_properties(limit=2), share_properties(), share_arn("QS1"))).body
    assert body["Status"] == "FAILED"
    assert "does not wait for this change any more" in body["Reason"]
    assert configuration(account) == MADE


@pytest.mark.parametrize(
    ("request_type", "status", "want"),
    [
        ("Create", "ROLLBACK_IN_PROGRESS", "FAILED"),
        ("Create", "DELETE_IN_PROGRESS", "FAILED"),
        ("Create", "UPDATE_ROLLBACK_COMPLETE", "FAILED"),
        ("Update", "UPDATE_ROLLBACK_COMPLETE", "FAILED"),
        ("Update", "UPDATE_ROLLBACK_IN_PROGRESS", "SUCCESS"),
        ("Update", "UPDATE_IN_PROGRESS", "SUCCESS"),
    ],
)
def test_what_comes_after_the_stack_went_back_changes_nothing(
    account: Account, request_type: str, status: str, want: str
) -> None:
    if request_type == "Update":
        create(account)
    account.set_status(status)
    account.calls.clear()
    made = event(request_type, share_properties(limit=2), share_properties(), share_arn("QS1"), request_id="late")
    if request_type == "Create":
        del made["PhysicalResourceId"], made["OldResourceProperties"]
    body = handle(account, made).body
    assert body["Status"] == want
    assert bool(account.changes()) is (want == "SUCCESS")


def test_an_unreadable_status_leaves_a_share_that_is_to_go_as_it_is(account: Account) -> None:
    create(account)
    account.statuses.clear()
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert gone.body["Status"] == "FAILED"
    assert "cloudformation:DescribeStacks" in gone.body["Reason"]
    assert configuration(account) == MADE


def test_a_share_of_another_queue_of_the_same_name_is_another_share(account: Account) -> None:
    create(account)
    account.set_status("UPDATE_IN_PROGRESS")
    moved = share_properties(queue=QUEUE_ARN.replace("training", "elsewhere"))
    body = handle(account, event("Update", moved, share_properties(), share_arn("QS1"), request_id="req-2")).body
    assert (body["Status"], body["PhysicalResourceId"]) == ("FAILED", share_arn("QS1"))
    assert configuration(account) == MADE
