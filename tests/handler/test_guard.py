"""What the guard answers, and what lets a blocked change through."""

from __future__ import annotations

import re

import pytest
from guard_scenarios import acknowledgement_in, scenario, update
from handler_support import G5, proposal, submit

LOG_STREAM = "CloudWatch Log Stream: 2026/11/29/[$LATEST]0123456789abcdef"


def test_a_block_says_what_and_how_to_go_on_then_the_jobs_then_the_log_stream() -> None:
    case = scenario("disruptive")
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "FAILED"
    first, *rest = body["Reason"].splitlines()
    acknowledgement = acknowledgement_in(first)
    assert first == (
        f"disruptive: queue training: share A: {G5} 2 to 1, share B: {G5} 1 to 2: with this change, work that waits "
        "now would stop 1 running job (1 instance, <0.1 GPU-hours). Nothing was changed. To deploy it anyway: cdk "
        f"deploy -c quota-acknowledge={acknowledgement} (or --parameters QuotaAcknowledge={acknowledgement} for an "
        "assembly that is synthesized already)"
    )
    assert rest[-1] == LOG_STREAM
    assert rest[:2] == [
        f"a1 ({case.jobs['a1']}): possible, share A, 1 × {G5}, <0.1 GPU-hours, owner ann",
        f"a2 ({case.jobs['a2']}): likely, share A, 1 × {G5}, <0.1 GPU-hours, owner ann",
    ]
    assert rest[2:-1]
    assert all(line.startswith("advice: ") for line in rest[2:-1])


def test_a_warning_passes_and_says_the_same_in_its_attributes() -> None:
    case = scenario("at_risk")
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "SUCCESS"
    acknowledgement = body["Data"].pop("Acknowledge")
    assert body["Data"] == {
        "Verdict": "at_risk",
        "Summary": (
            f"queue training: share A: {G5} 2 to 1, share B: {G5} 1 to 2: 2 running jobs become eligible for "
            "preemption: a1, a2 (above its limit: A by 1); nothing that waits now would claim this room; work that is "
            "submitted later may"
        ),
        "NewlyEligible": "2",
        "Possible": "0",
        "Terminated": "0",
        "GpuHours": "0",
    }
    assert re.fullmatch(r"[0-9a-f]{12}-0-0", acknowledgement)


@pytest.mark.parametrize("verdict", ["invalid", "destructive", "disruptive"])
def test_the_acknowledgement_that_is_printed_lets_the_same_change_through(verdict: str) -> None:
    case = scenario(verdict)
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    body = update(case.account, case.new, case.old, acknowledge=f"000000000000-9-9, {acknowledgement}")
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", verdict)


def test_an_acknowledgement_is_stale_once_more_is_at_stake() -> None:
    case = scenario("disruptive")
    digest, jobs, hours = acknowledgement_in(update(case.account, case.new, case.old)["Reason"]).split("-")
    fewer = f"{digest}-{int(jobs) - 1}-{hours}"
    assert update(case.account, case.new, case.old, acknowledge=fewer)["Status"] == "FAILED"
    assert (
        update(case.account, case.new, case.old, acknowledge=f"{digest}-{int(jobs) + 1}-{hours}")["Status"] == "SUCCESS"
    )


def test_an_acknowledgement_of_another_change_counts_for_nothing() -> None:
    case = scenario("destructive")
    other = proposal({"A": {"limit": 2}})
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    case.account.batch.advance(1)
    submit(case.account, "B", "b1")
    body = update(case.account, other, case.old, acknowledge=acknowledgement)
    assert body["Status"] == "FAILED"


def test_a_job_that_would_end_as_well_makes_an_acknowledgement_stale() -> None:
    case = scenario("destructive")
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    submit(case.account, "A", "a3")
    assert update(case.account, case.new, case.old, acknowledge=acknowledgement)["Status"] == "FAILED"
