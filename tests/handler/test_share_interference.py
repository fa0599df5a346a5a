"""A share that somebody else makes, changes or deletes while it is being changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from handler_support import (
    G5,
    OTHER_STACK_ID,
    OWNER,
    Account,
    account_with_queue,
    event,
    handle,
    make_share,
    owner,
    share_arn,
    share_members,
    share_properties,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def account() -> Account:
    return account_with_queue()


def before(account: Account, operation: str, act: Callable[[], None], times: int = 1) -> None:
    """Let somebody act just before an operation, so many times."""
    left = [times]

    def hook(service: str, called: str) -> None:
        if called == operation and left[0]:
            left[0] -= 1
            act()

    account.hooks.append(hook)


def set_limit(account: Account, amount: int) -> None:
    limits = [{"capacityUnit": G5, "maxCapacity": amount}]
    account.batch.checked_call("UpdateQuotaShare", {"quotaShareArn": share_arn("QS1"), "capacityLimits": limits})


def delete(account: Account) -> None:
    account.batch.advance(5)
    account.batch.checked_call("UpdateQuotaShare", {"quotaShareArn": share_arn("QS1"), "state": "DISABLED"})
    account.batch.advance(5)
    account.batch.checked_call("DeleteQuotaShare", {"quotaShareArn": share_arn("QS1")})
    account.batch.advance(5)


def updated(account: Account, **properties: Any) -> dict[str, Any]:
    made = event("Update", share_properties(**properties), share_properties(), share_arn("QS1"), request_id="req-2")
    return handle(account, made).body


def limit_of(account: Account) -> int:
    ((limit,),) = [account.share("QS1")["capacityLimits"]]
    return limit["maxCapacity"]


def test_a_share_that_another_stack_makes_at_the_same_moment_is_theirs(account: Account) -> None:
    theirs = {OWNER: owner(stack_id=OTHER_STACK_ID)}
    before(account, "CreateQuotaShare", lambda: make_share(account, "QS1", 3, tags=theirs))
    body = handle(account, event("Create", share_properties())).body
    assert body["Status"] == "FAILED"
    assert f"share QS1 exists already on queue training and belongs to {theirs[OWNER]}" in body["Reason"]
    assert (limit_of(account), account.share("QS1")["tags"]) == (3, theirs)


def test_a_share_that_the_same_request_makes_twice_is_made_once(account: Account) -> None:
    members = share_members("QS1", tags={OWNER: owner(), "quota-constructs:request": "req-1"})
    before(account, "CreateQuotaShare", lambda: account.batch.checked_call("CreateQuotaShare", members))
    assert handle(account, event("Create", share_properties())).body["Status"] == "SUCCESS"


def test_a_change_waits_for_a_change_of_somebody_else(account: Account) -> None:
    handle(account, event("Create", share_properties()))
    account.set_status("UPDATE_IN_PROGRESS")
    before(account, "UpdateQuotaShare", lambda: set_limit(account, 3))
    assert updated(account, limit=2)["Status"] == "SUCCESS"
    assert limit_of(account) == 2


@pytest.mark.parametrize(
    ("only_ours", "want"),
    [(True, "is changed by somebody else again and again"), (False, "the share is still UPDATING")],
)
def test_a_share_that_somebody_changes_again_and_again_is_given_up(
    account: Account, only_ours: bool, want: str
) -> None:
    handle(account, event("Create", share_properties()))
    account.set_status("UPDATE_IN_PROGRESS")
    amounts = cycle((3, 4))

    def change() -> None:
        if account.share("QS1")["status"] == "VALID" and (limit_of(account) == 2 or not only_ours):
            set_limit(account, next(amounts))

    before(account, "DescribeQuotaShare", change, times=10_000)
    body = updated(account, limit=2)
    assert body["Status"] == "FAILED"
    assert want in body["Reason"]


def test_a_share_that_somebody_deletes_while_it_is_changed_is_said(account: Account) -> None:
    handle(account, event("Create", share_properties()))
    account.set_status("UPDATE_IN_PROGRESS")
    calls: list[str] = []

    def hook(service: str, called: str) -> None:
        calls.append(called)
        if calls[-2:] == ["UpdateQuotaShare", "DescribeQuotaShare"]:
            delete(account)

    account.hooks.append(hook)
    body = updated(account, limit=2)
    assert body["Status"] == "FAILED"
    assert "share QS1 was deleted by somebody while it was changed; deploy again" in body["Reason"]
    account.hooks.clear()
    assert updated(account, limit=2)["Status"] == "SUCCESS"


def test_a_share_that_is_not_valid_is_no_success(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = account._answer

    def invalid(service: str, operation: str, members: dict[str, Any]) -> dict[str, Any]:
        given = answer(service, operation, members)
        return {**given, "status": "INVALID"} if operation == "DescribeQuotaShare" else given

    monkeypatch.setattr(account, "_answer", invalid)
    body = handle(account, event("Create", share_properties())).body
    assert (body["Status"], body["PhysicalResourceId"]) == ("FAILED", "create-failed/req-1")
    assert "share QS1 is INVALID, and the service gives no reason" in body["Reason"]


def test_a_rollback_leaves_a_share_that_is_another_stacks_by_now(account: Account) -> None:
    make_share(account, "QS1", 3, tags={OWNER: owner(stack_id=OTHER_STACK_ID)})
    account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    body = updated(account)
    assert (body["Status"], body["PhysicalResourceId"]) == ("SUCCESS", share_arn("QS1"))
    assert "it was left as it is" in body["Reason"]
    assert limit_of(account) == 3


def test_an_old_adoption_does_not_confuse_a_new_one(account: Account) -> None:
    """Tags of an adoption that was never settled name an owner that has nothing to do with the next one."""
    stale = {
        "quota-constructs:before": "LEND in=DISABLED state=ENABLED ml.g5.xlarge=9",
        "quota-constructs:before-owner": "x",
    }
    make_share(account, "QS1", 3, tags=stale)
    handle(account, event("Create", share_properties(adopt=True)))
    tags = account.share("QS1")["tags"]
    assert tags["quota-constructs:before"].endswith(f"{G5}=3")
    assert "quota-constructs:before-owner" not in tags


def test_a_configuration_that_cannot_be_read_is_given_back_as_it_is(account: Account) -> None:
    make_share(account, "QS1", 3)
    handle(account, event("Create", share_properties(adopt=True)))
    account.batch.checked_call(
        "TagResource", {"resourceArn": share_arn("QS1"), "tags": {"quota-constructs:before": "spoilt"}}
    )
    account.set_status("ROLLBACK_IN_PROGRESS")
    gone = handle(account, event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2"))
    assert gone.body["Status"] == "SUCCESS"
    assert "its tag quota-constructs:before cannot be read" in gone.body["Reason"]
    assert (limit_of(account), account.share("QS1").get("tags", {})) == (1, {})


def test_two_deliveries_of_one_event_at_the_same_time_are_one(account: Account) -> None:
    made = event("Create", share_properties(tags={"team": "a"}))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: handle(account, made), range(4)))
    assert {(each.body["Status"], each.body["PhysicalResourceId"]) for each in answers} == {
        ("SUCCESS", share_arn("QS1"))
    }
    assert limit_of(account) == 1
    tags = account.share("QS1")["tags"]
    assert tags == {"team": "a", OWNER: owner(), "quota-constructs:request": "req-1"}


def test_update_and_rollback_at_the_same_time_end_with_the_old_share(account: Account) -> None:
    """The rollback's Update is served while the older one is in the middle of its own."""
    handle(account, event("Create", share_properties()))
    account.set_status("UPDATE_IN_PROGRESS")

    def roll_back() -> None:
        account.hooks.clear()
        account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
        back = event("Update", share_properties(), share_properties(limit=2), share_arn("QS1"), request_id="req-3")
        assert handle(account, back).body["Status"] == "SUCCESS"

    before(account, "UpdateQuotaShare", roll_back)
    body = updated(account, limit=2)
    assert body["Status"] == "FAILED"
    assert "share QS1 was put back to what it was" in body["Reason"]
    assert limit_of(account) == 1
