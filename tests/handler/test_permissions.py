"""Each permission that is missing is named, and nothing is half done without a word."""

from __future__ import annotations

from typing import Any

import pytest
from handler_support import (
    OTHER_STACK_ID,
    OWNER,
    Account,
    account_with_queue,
    client_error,
    event,
    handle,
    job_status,
    make_share,
    owner,
    share_arn,
    share_properties,
    submit,
)


def created(account: Account, **properties: Any) -> None:
    handle(account, event("Create", share_properties(**properties)))
    account.calls.clear()


def prepare_create(account: Account) -> dict[str, Any]:
    return event("Create", share_properties(tags={"team": "a"}))


def prepare_adopt(account: Account) -> dict[str, Any]:
    make_share(account, "QS1", limit=3, tags={OWNER: owner(stack_id=OTHER_STACK_ID)})
    return event("Create", share_properties(adopt=True))


def prepare_update(account: Account) -> dict[str, Any]:
    created(account, tags={"old": "1"})
    account.set_status("UPDATE_IN_PROGRESS")
    new = share_properties(limit=2, tags={"new": "1"})
    return event("Update", new, share_properties(tags={"old": "1"}), share_arn("QS1"))


def prepare_removal(account: Account) -> dict[str, Any]:
    created(account)
    account.set_status("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    return event("Delete", share_properties(), physical_id=share_arn("QS1"), request_id="req-2")


def prepare_give_back(account: Account) -> dict[str, Any]:
    handle(account, prepare_adopt(account))
    account.calls.clear()
    account.set_status("ROLLBACK_IN_PROGRESS")
    return event("Delete", share_properties(adopt=True), physical_id=share_arn("QS1"), request_id="req-2")


CASES = {
    "create": prepare_create,
    "adopt": prepare_adopt,
    "update": prepare_update,
    "removal": prepare_removal,
    "giving back": prepare_give_back,
}

NEEDED = {
    "create": {"CreateQuotaShare", "DescribeQuotaShare"},
    "adopt": {"DescribeQuotaShare", "TagResource", "UpdateQuotaShare"},
    "update": {"DescribeQuotaShare", "TagResource", "UntagResource", "UpdateQuotaShare"},
    "removal": {"DeleteQuotaShare", "DescribeQuotaShare", "ListServiceJobs", "UpdateQuotaShare"},
    "giving back": {"DescribeQuotaShare", "TagResource", "UntagResource", "UpdateQuotaShare"},
}


def denied(operation: str):
    def fault(service: str, called: str, done: bool) -> None:
        if called == operation:
            raise client_error(called, "AccessDeniedException", "User is not allowed")

    return fault


@pytest.mark.parametrize("name", CASES)
def test_the_permissions_of_each_request_are_these(name: str) -> None:
    account = account_with_queue()
    made = CASES[name](account)
    account.calls.clear()
    assert handle(account, made).body["Status"] == "SUCCESS"
    assert {operation for service, operation in account.calls if service == "batch"} == NEEDED[name]


@pytest.mark.parametrize(("name", "operation"), [(name, each) for name in CASES for each in sorted(NEEDED[name])])
def test_a_missing_permission_is_named(name: str, operation: str) -> None:
    account = account_with_queue()
    made = CASES[name](account)
    job = submit(account, "QS1", "train") if name in ("adopt", "update", "giving back") else None
    account.fault = denied(operation)
    body = handle(account, made).body
    assert body["Status"] == "FAILED"
    assert f"permission batch:{operation} is missing" in body["Reason"].splitlines()[0]
    account.fault = lambda service, called, done: None
    assert handle(account, made).body["Status"] == "SUCCESS"
    assert job is None or job_status(account, job) == "RUNNING"


@pytest.mark.parametrize(("name", "want"), [("create", "SUCCESS"), ("update", "SUCCESS"), ("removal", "FAILED")])
def test_a_status_that_cannot_be_read_holds_back_a_removal_only(name: str, want: str) -> None:
    account = account_with_queue()
    made = CASES[name](account)
    account.fault = denied("DescribeStacks")
    body = handle(account, made).body
    assert body["Status"] == want
    if want == "FAILED":
        assert "allow cloudformation:DescribeStacks on the stack" in body["Reason"]


GUARD_NEEDS = {
    "DescribeJobQueues",
    "DescribeServiceEnvironments",
    "DescribeServiceJob",
    "GetJobQueueSnapshot",
    "ListQuotaShares",
    "ListServiceJobs",
}


def test_the_role_of_the_function_allows_what_it_calls() -> None:
    from quota_constructs._handler_policy import statements

    allowed = {action for statement in statements("arn:aws:logs:x") for action in statement["Action"]}
    called = {f"batch:{operation}" for operation in GUARD_NEEDS.union(*NEEDED.values())}
    assert called | {"cloudformation:DescribeStacks", "cloudformation:ListStackResources"} <= allowed
