"""Every event gets its one answer, and the log never has the address it went to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from answer_address import Address
from handler_support import (
    G5,
    Account,
    Context,
    account_with_queue,
    event,
    guard_event,
    guard_properties,
    handle,
    share_properties,
    submit,
)

from quota_handler.handler import RequestError, Surroundings, on_event, serve

SECRET = "Signature=secret"


@pytest.mark.parametrize(
    ("request_type", "want", "want_id"),
    [("Create", "FAILED", "create-failed/req-1"), ("Update", "FAILED", "thing"), ("Delete", "SUCCESS", "thing")],
)
def test_a_resource_of_another_type_is_refused_and_let_go(request_type: str, want: str, want_id: str) -> None:
    made = event(request_type, {}, physical_id="thing", resource_type="Custom::Other")
    body = handle(Account(), made).body
    assert (body["Status"], body["PhysicalResourceId"]) == (want, want_id)
    if want == "FAILED":
        assert "this function serves Custom::QuotaGuard and Custom::QuotaShare, got Custom::Other" in body["Reason"]


@pytest.mark.parametrize(
    "made",
    [
        {},
        {"RequestType": "Create"},
        {**event("Create", {}), "RequestType": "Rename"},
        {**event("Create", {}), "StackId": 3},
    ],
    ids=["nothing", "half", "another verb", "a number"],
)
def test_fails_for_an_event_of_somebody_else(made: dict[str, Any]) -> None:
    with pytest.raises(RequestError):
        serve(made, Context(Account()), Surroundings(lambda: None, lambda url, body: None, lambda seconds: None, int))


@pytest.mark.parametrize("resource_type", ["Custom::QuotaGuard", "Custom::QuotaShare"])
@pytest.mark.parametrize("request_type", ["Create", "Update", "Delete"])
def test_properties_that_are_missing_count_as_empty(resource_type: str, request_type: str) -> None:
    account = account_with_queue()
    made = event(request_type, {}, physical_id="id", resource_type=resource_type)
    del made["ResourceProperties"]
    body = handle(account, made).body
    assert body["Status"] == ("SUCCESS" if request_type == "Delete" else "FAILED")
    assert account.changes() == []


@pytest.mark.parametrize(
    ("made", "want_id"),
    [
        (event("Create", share_properties()), "create-failed/req-1"),
        (event("Update", share_properties(), {}, physical_id="before"), "before"),
        (guard_event("Create", guard_properties("{}")), "quota-guard"),
    ],
    ids=["share, new", "share", "guard"],
)
def test_what_nobody_thought_of_is_answered_and_raised(made: dict[str, Any], want_id: str) -> None:
    bodies: list[bytes] = []

    def broken() -> Any:
        raise ZeroDivisionError("nobody thought of this")

    world = Surroundings(broken, lambda url, body: bodies.append(body), lambda seconds: None, int)
    with pytest.raises(ZeroDivisionError):
        serve(made, Context(Account()), world)
    (body,) = [json.loads(each) for each in bodies]
    assert (body["Status"], body["PhysicalResourceId"]) == ("FAILED", want_id)
    assert "failed unexpectedly: ZeroDivisionError: nobody thought of this" in body["Reason"]
    assert body["Reason"].splitlines()[-1].startswith("CloudWatch Log Stream: ")


def test_the_log_is_lines_of_json_without_the_address(capsys: pytest.CaptureFixture[str]) -> None:
    account = account_with_queue()
    handle(account, event("Create", share_properties()))
    account.set_status("ROLLBACK_IN_PROGRESS")
    handle(account, event("Delete", share_properties(), physical_id="create-failed/req-1"))
    handle(account, guard_event("Create", guard_properties("nonsense")))
    output = capsys.readouterr()
    lines = [json.loads(line) for line in output.out.splitlines()]
    assert {line["kind"] for line in lines} == {"request", "share", "answer"}
    assert SECRET not in output.out + output.err


def test_the_owner_tag_is_what_the_function_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from guard_scenarios import scenario

    case = scenario("disruptive")
    properties, old = guard_properties(case.new), guard_properties(case.old)
    assert "owner ann" in handle(case.account, guard_event("Update", properties, old)).body["Reason"]
    monkeypatch.setenv("QUOTA_OWNER_TAG", "team")
    assert "owner" not in handle(case.account, guard_event("Update", properties, old)).body["Reason"]


def test_the_function_itself_answers_over_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing passed in: clients from the environment, an address on loopback, the real clock."""
    for name, value in (
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "x"),
        ("AWS_SECRET_ACCESS_KEY", "y"),
    ):
        monkeypatch.setenv(name, value)
    address = Address()
    try:
        made = event("Delete", {}, physical_id="quota-guard", resource_type="Custom::QuotaGuard")
        on_event({**made, "ResponseURL": address.url}, Context(Account()))
    finally:
        address.close()
    ((method, _, _, body),) = address.received
    assert (method, json.loads(body)["Status"]) == ("PUT", "SUCCESS")


NAMES = {"ASCII": "train-{}", "not ASCII": "Übung-研究-🚀-{}"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_large_queue_has_an_answer_that_fits(name: str) -> None:
    """20 shares with 5 types each, long names, and more jobs at risk than an answer can name."""
    from handler_support import make_share, set_resources

    types = [G5, "ml.g6.xlarge", "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.trn1.32xlarge"]
    account = account_with_queue(dict.fromkeys(types, 40))
    shares = [f"{'s' * 100}-{number}" for number in range(20)]
    limits = [{"capacityUnit": unit, "maxCapacity": 2} for unit in types]
    for share in shares:
        make_share(account, share, capacityLimits=limits)
    set_resources(account, {f"S{number}": share for number, share in enumerate(shares)})
    account.set_status("UPDATE_IN_PROGRESS")
    owner = name.format("owner") * 10
    for number in range(40):
        submit(account, shares[number % 20], f"{'j' * 100}-{number}", tags={"owner": owner[:250]})
    declared = [
        {
            "path": f"ml/{share}",
            "logicalId": f"S{number}",
            "name": share,
            "capacityLimits": [{"capacityUnit": unit, "maxCapacity": 9} for unit in types],
            "resourceSharingConfiguration": {"strategy": "LEND"},
        }
        for number, share in enumerate(shares)
    ]
    environment = {"capacityLimits": [{"capacityUnit": unit, "maxCapacity": 40} for unit in types], "logicalId": "Gpus"}
    for new in (declared, declared[:1], []):
        text = json.dumps(
            {
                "version": 1,
                "queues": [{"path": "ml", "queue": {"logicalId": "Queue"}, "environment": environment, "shares": new}],
            }
        )
        answered = handle(account, guard_event("Create", guard_properties(text)))
        assert answered.size <= 4096
        assert answered.body["Status"] == "FAILED"
        first, *_, last = answered.body["Reason"].splitlines()
        assert first == answered.answer.reason[0]
        assert "cdk deploy -c quota-acknowledge=" in first
        assert first.endswith("for an assembly that is synthesized already)")
        assert last.startswith("CloudWatch Log Stream: ")


def test_a_report_that_is_too_long_for_the_log_keeps_what_is_at_risk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from guard_scenarios import scenario

    def reported(most_bytes: int) -> tuple[dict[str, Any], set[str]]:
        case = scenario("disruptive")
        monkeypatch.setattr("quota_handler.report.MOST_BYTES", most_bytes)
        capsys.readouterr()
        handle(case.account, guard_event("Update", guard_properties(case.new), guard_properties(case.old)))
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        (document,) = [line for line in lines if line.get("kind") == "assessment"]
        names = {job: name for name, job in case.jobs.items()}
        return document, {names[job] for job in document["assessment"]["jobs"]}

    whole, names = reported(1_000_000)
    assert ("shortened" in whole, names) == (False, {"a1", "a2", "b1", "b2"})
    size = len(json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode())
    for most_bytes in (size - 1, 10):
        document, names = reported(most_bytes)
        assert (document["shortened"], names) == (True, {"a1", "a2"})
