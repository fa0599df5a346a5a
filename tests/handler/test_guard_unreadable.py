"""A guard that cannot read the account, or not in time."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from guard_scenarios import ERRORS, failing, scenario, update
from handler_support import Account, Context, guard_event, guard_properties

from quota_handler.handler import Surroundings, serve

if TYPE_CHECKING:
    from collections.abc import Mapping

READS = (
    ("cloudformation", "ListStackResources"),
    ("batch", "DescribeJobQueues"),
    ("batch", "DescribeServiceEnvironments"),
    ("batch", "ListQuotaShares"),
    ("batch", "GetJobQueueSnapshot"),
    ("batch", "ListServiceJobs"),
    ("batch", "DescribeServiceJob"),
)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("service", "operation"), READS)
@pytest.mark.parametrize("on_unknown", ["BLOCK", "WARN", "IGNORE"])
def test_an_account_that_cannot_be_read_is_answered_by_on_unknown_but_never_in_a_rollback(
    error: str, service: str, operation: str, on_unknown: str
) -> None:
    case = scenario("disruptive")
    make, words = ERRORS[error]
    case.account.fault = failing(operation, make)
    body = update(case.account, case.new, case.old, {"onUnknown": on_unknown})
    said = body["Reason"].splitlines()[0] if on_unknown == "BLOCK" else body["Data"]["Summary"]
    assert body["Status"] == ("FAILED" if on_unknown == "BLOCK" else "SUCCESS")
    assert said.startswith("the guard could not read the account: ")
    assert words.format(permission=f"{service}:{operation}") in said
    if on_unknown == "BLOCK":
        assert "cdk deploy -c quota-acknowledge=unknown" in said
        assert update(case.account, case.new, case.old, acknowledge="unknown")["Status"] == "SUCCESS"
    else:
        assert (body["Data"]["Verdict"], body["Data"]["Acknowledge"]) == ("unknown", "unknown")
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    assert update(case.account, case.old, case.new, {"onUnknown": on_unknown})["Status"] == "SUCCESS"


def test_a_queue_without_quota_management_is_answered_by_on_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    case = scenario("disruptive")
    answer = case.account.batch.checked_call

    def without_environment(operation: str, members: Mapping[str, Any]) -> dict[str, Any]:
        found = answer(operation, members)
        for queue in found.get("jobQueues", ()):
            queue["serviceEnvironmentOrder"] = []
        return found

    monkeypatch.setattr(case.account.batch, "checked_call", without_environment)
    first = update(case.account, case.new, case.old)["Reason"].splitlines()[0]
    assert first.startswith("the guard could not read the account: job queue ")
    assert "has no service environment, so that it has no quota management. Nothing was changed." in first


@pytest.mark.parametrize("error", ERRORS)
def test_the_way_back_from_a_block_is_known_even_if_nothing_can_be_read(error: str) -> None:
    case = scenario("disruptive")
    make, _ = ERRORS[error]

    def fault(service: str, operation: str, done: bool) -> None:
        raise make(operation)

    case.account.fault = fault
    assert update(case.account, case.old, case.new)["Status"] == "FAILED"
    case.account.blocked.clear()
    assert update(case.account, case.new, case.old)["Status"] == "FAILED"
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    body = update(case.account, case.old, case.new)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "skipped")
    assert update(case.account, case.new, case.old)["Status"] == "FAILED"


@pytest.mark.parametrize("error", ERRORS)
def test_a_status_that_cannot_be_read_stops_only_what_would_be_blocked(error: str) -> None:
    make, words = ERRORS[error]
    passing, blocked = scenario("at_risk"), scenario("disruptive")
    for case in (passing, blocked):
        case.account.fault = failing("DescribeStacks", make)
    assert update(passing.account, passing.new, passing.old)["Status"] == "SUCCESS"
    body = update(blocked.account, blocked.new, blocked.old)
    assert body["Status"] == "FAILED"
    assert words.format(permission="cloudformation:DescribeStacks") in body["Reason"]


def test_time_that_runs_out_is_answered_before_the_function_is_stopped() -> None:
    case = scenario("disruptive")
    answered = threading.Event()

    def hang(service: str, operation: str, done: bool) -> None:
        if operation == "ListServiceJobs":
            answered.wait(20)

    case.account.fault = hang
    puts: list[dict[str, object]] = []

    def deliver(url: str, body: bytes) -> None:
        puts.append(json.loads(body))
        answered.set()

    world = Surroundings(lambda: case.account.clients, deliver, case.account.batch.advance, case.account.batch.now)
    made = guard_event("Update", guard_properties(case.new), guard_properties(case.old))
    serve(made, Context(case.account, seconds=0.2), world)
    (body,) = puts
    assert body["Status"] == "FAILED"
    assert body["Reason"].startswith("the guard could not read the account: time ran out while it was read")


def test_an_sdk_without_the_operations_is_named() -> None:
    case = scenario("at_risk")
    clients = case.account.clients

    class Old:
        cloudformation = clients.cloudformation

        @property
        def batch(self) -> object:
            from quota_live.clients import check_operations

            old = type("Client", (), {"meta": type("Meta", (), {"method_to_api_mapping": {"list_jobs": "ListJobs"}})})
            check_operations(old)
            return old

    case.account.__class__ = type("OldAccount", (Account,), {"clients": property(lambda self: Old())})
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "FAILED"
    assert "does not know the Batch operations CreateQuotaShare, DeleteQuotaShare" in body["Reason"]
    assert "use a newer runtime" in body["Reason"]
