"""What the guard answers: every stack status, request type, verdict and action of the policy."""

from __future__ import annotations

import functools
from itertools import product

import botocore.session
import pytest
from guard_scenarios import Scenario, scenario
from handler_support import guard_event, guard_properties, handle, job_status

from quota_scheduler import VERDICTS

ACTIONS = ("BLOCK", "WARN", "IGNORE")
REQUESTS = ("Create", "Update", "Delete")

FORWARD = {
    "CREATE_IN_PROGRESS",
    "CREATE_COMPLETE",
    "CREATE_FAILED",
    "UPDATE_IN_PROGRESS",
    "UPDATE_COMPLETE",
    "UPDATE_FAILED",
    "REVIEW_IN_PROGRESS",
    "IMPORT_IN_PROGRESS",
    "IMPORT_COMPLETE",
}
"""Statuses in which a change goes ahead, or went ahead; in all others the guard must let everything pass."""

DATA = {"Verdict", "Summary", "Acknowledge", "NewlyEligible", "Possible", "Terminated", "GpuHours"}


def stack_statuses() -> list[str]:
    model = botocore.session.get_session().get_service_model("cloudformation")
    return sorted(model.shape_for("StackStatus").enum)


@functools.cache
def prepared(verdict: str) -> Scenario:
    return scenario(verdict)


def test_the_statuses_that_go_ahead_are_all_statuses_of_the_service() -> None:
    assert set(stack_statuses()) >= FORWARD


@pytest.mark.parametrize("request_type", REQUESTS)
@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_status_and_policy(verdict: str, request_type: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = prepared(verdict)
    account = case.account
    running = {job: job_status(account, job) for job in case.jobs.values()}
    for status, action in product(stack_statuses(), ACTIONS):
        account.set_status(status)
        policy = {"verdicts": {verdict: action}} if verdict != "safe" else {}
        properties = guard_properties(case.new, policy)
        old = guard_properties(case.old, policy) if request_type == "Update" else None
        body = handle(account, guard_event(request_type, properties, old)).body
        assessed = request_type != "Delete" and status in FORWARD
        blocked = assessed and action == "BLOCK" and verdict != "safe"
        where = f"{status} {action}"
        assert body["Status"] == ("FAILED" if blocked else "SUCCESS"), where
        assert body["PhysicalResourceId"] == "quota-guard", where
        if blocked:
            assert body["Reason"].startswith(f"{verdict}: queue training: "), where
        elif request_type != "Delete":
            assert set(body["Data"]) == DATA, where
            assert body["Data"]["Verdict"] == (verdict if assessed else "skipped"), where
            assert all(isinstance(value, str) for value in body["Data"].values()), where
    capsys.readouterr()
    account.set_status("UPDATE_IN_PROGRESS")
    assert account.changes() == []
    assert {job: job_status(account, job) for job in running} == running
