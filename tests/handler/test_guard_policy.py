"""Limits of the policy, and jobs it protects."""

from __future__ import annotations

import pytest
from guard_scenarios import LEND, LENDS, acknowledgement_in, scenario, update
from handler_support import G5, account_with_queue, make_share, proposal, set_resources, submit


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        ({"maxJobs": 1}, "2 jobs are at risk, max_jobs allows 1"),
        ({"maxGpuHours": 1.5}, "4 GPU-hours are at risk, max_gpu_hours allows 1.5"),
        (
            {"protect": {"minimumRunTimeSeconds": 3600, "tags": {}}},
            "a1 is protected: it has run 2h, jobs that have run 1h are kept",
        ),
        (
            {"protect": {"minimumRunTimeSeconds": None, "tags": {"owner": "ann"}}},
            "a1 is protected by its tag owner=ann",
        ),
    ],
    ids=["jobs", "GPU-hours", "run time", "tag"],
)
def test_limits_and_protected_jobs_turn_a_warning_into_a_block(policy: dict[str, object], want: str) -> None:
    case = scenario("at_risk")
    case.account.batch.advance(7200)
    assert update(case.account, case.new, case.old)["Status"] == "SUCCESS"
    body = update(case.account, case.new, case.old, policy)
    assert body["Status"] == "FAILED"
    assert want in body["Reason"].splitlines()[0]
    acknowledgement = acknowledgement_in(body["Reason"])
    assert update(case.account, case.new, case.old, policy, acknowledgement)["Status"] == "SUCCESS"


@pytest.mark.parametrize(
    "policy",
    [
        {"maxJobs": 2, "maxGpuHours": 99, "maxAmplification": 1},
        {"protect": {"minimumRunTimeSeconds": 360000, "tags": {"owner": "bob"}}},
    ],
    ids=["limits", "protection"],
)
def test_limits_that_hold_change_nothing(policy: dict[str, object]) -> None:
    case = scenario("at_risk")
    case.account.batch.advance(7200)
    assert update(case.account, case.new, case.old, policy)["Status"] == "SUCCESS"


def test_amplification_is_instances_stopped_for_each_instance_asked_for() -> None:
    account = account_with_queue({G5: 6})
    make_share(account, "A", 5)
    make_share(account, "B", 1, **LENDS)
    set_resources(account, {"A": "A", "B": "B"})
    account.set_status("UPDATE_IN_PROGRESS")
    submit(account, "A", "big", instances=5)
    submit(account, "B", "b1")
    submit(account, "B", "b2")
    old = proposal({"A": {"limit": 5}, "B": LEND}, {G5: 6})
    new = proposal({"A": {"limit": 4}, "B": {**LEND, "limit": 2}}, {G5: 6})
    policy = {"verdicts": {"disruptive": "WARN"}}
    assert update(account, new, old, {**policy, "maxAmplification": 5})["Status"] == "SUCCESS"
    body = update(account, new, old, {**policy, "maxAmplification": 4.5})
    assert body["Status"] == "FAILED"
    assert "5 instances may be stopped for 1 that waiting work asks for, max_amplification allows 4.5" in body["Reason"]
