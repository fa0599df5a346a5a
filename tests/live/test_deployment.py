"""The one evaluation behind guard, plan and synth-time check."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from guard_scenarios import scenario
from handler_support import STACK_ID, client_error

from quota_live.deployment import Options, evaluate
from quota_live.errors import NotFoundError
from quota_scheduler import VERDICTS, Knobs
from quota_scheduler.proposal import parse_proposal

if TYPE_CHECKING:
    from quota_live.plan import QueuePlan


def plan_of(case: Any, **options: Any) -> QueuePlan:
    (plan,) = evaluate(
        case.account.clients,
        STACK_ID,
        parse_proposal(case.new),
        parse_proposal(case.old),
        Options(now=case.account.batch.now, **options),
    )
    return plan


@pytest.mark.parametrize("verdict", VERDICTS)
def test_each_verdict_is_reached_from_a_live_queue(verdict: str) -> None:
    case = scenario(verdict)
    plan = plan_of(case)
    assert (plan.verdict, plan.is_live, plan.torn, plan.label) == (verdict, True, False, "ml/Training")
    assert plan.state.at == case.account.batch.now()
    assert case.account.changes() == []


def test_details_are_read_for_the_jobs_at_risk_only() -> None:
    case = scenario("at_risk")
    plan = plan_of(case)
    assert set(plan.jobs_at_risk) == set(plan.tags) == set(case.jobs.values())
    assert {job.owner for job in plan.state.jobs} == {"ann"}
    assert {job.owner for job in plan_of(case, most_details=0).state.jobs} == {None}
    assert {job.owner for job in plan_of(case, owner_tag="team").state.jobs} == {None}


def test_without_time_for_details_the_picture_is_still_assessed() -> None:
    case = scenario("disruptive")
    plan = plan_of(case, has_time=lambda: False)
    assert plan.verdict == "disruptive"
    assert "there was no time" in plan.notes[0]
    assert {job.priority for job in plan.state.jobs} == {None}


def test_the_assumptions_are_those_that_were_given() -> None:
    knobs = Knobs(head_blocking="backfill")
    assert plan_of(scenario("safe"), knobs=knobs).knobs == knobs


def test_progress_is_told() -> None:
    told: list[str] = []
    plan_of(scenario("at_risk"), progress=lambda what, done, known: told.append(what))
    assert set(told) == {"shares", "jobs"}


def test_a_stack_that_does_not_exist_yet_has_nothing_live() -> None:
    case = scenario("destructive")
    (plan,) = evaluate(case.account.clients, None, parse_proposal(case.new))
    assert (plan.is_live, plan.verdict) == (False, "safe")


def test_fails_for_a_stack_that_is_not_there() -> None:
    case = scenario("safe")

    def fault(service: str, operation: str, done: bool) -> None:
        if operation == "ListStackResources":
            raise client_error(operation, "ValidationError", "Stack [elsewhere] does not exist")

    case.account.fault = fault
    with pytest.raises(NotFoundError, match="does not exist"):
        evaluate(case.account.clients, "elsewhere", parse_proposal(case.new))


def test_jobs_at_risk_are_named_the_worst_first() -> None:
    case = scenario("destructive")
    plan = plan_of(case)
    assert plan.jobs_at_risk == plan.assessment.terminated


def test_a_plan_of_a_state_at_hand_loads_no_client() -> None:
    code = (
        "import sys; import quota_live.plan, quota_live.targets, quota_live.policy, quota_live.sentences; "
        "import quota_live.deployment; sys.exit(any(name in sys.modules for name in ('botocore', 'boto3')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
