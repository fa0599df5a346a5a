"""Advice: what is said for which change, and that each piece, applied, gives what it promises."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from advice_support import HOUR, NOW, TYPE, borrows, later, lends, queue, reserves, runs, waits

from quota_scheduler.advice import Advice, advise
from quota_scheduler.assess import assess
from quota_scheduler.change import Change, apply_change, parse_change
from quota_scheduler.knobs import Knobs
from quota_scheduler.loss import gpu_hours, upper_loss

if TYPE_CHECKING:
    from quota_scheduler.state import QueueState


def limits(**amounts: int) -> Change:
    return Change(shares={name: {"limits": {TYPE: amount}} for name, amount in amounts.items()})


def given(state: "QueueState", change: Change) -> dict[str, Advice]:
    """Give the advice by kind, after asking whether the state is as it was."""
    before = replace(state)
    advice = assess(state, change).advice
    assert state == before
    assert len({one.kind for one in advice}) == len(advice)
    return {one.kind: one for one in advice}


# A lends its idle capacity to nobody; B has a job waiting that only its raise lets start. When a1 ends, a9 is next.
RACE = queue(
    16,
    runs("a1", "A", 3, since=20, ends_in=1.5),
    runs("a2", "A", 2, since=9, ends_in=5),
    runs("a3", "A", 3, since=40, ends_in=30),
    waits("a9", "A", 3),
    runs("b1", "B", 8, since=2, ends_in=50),
    waits("b9", "B", 4),
    A=lends(8),
    B=lends(8),
)
TAKE_FROM_A = limits(A=4, B=12)


def test_cut_now_and_grant_later_beats_waiting_with_all() -> None:
    advice = given(RACE, TAKE_FROM_A)
    assert assess(RACE, TAKE_FROM_A).verdict == "disruptive"
    assert list(advice) == ["order", "wait"]
    order, wait = advice["order"], advice["wait"]
    assert order.data == {
        "first": {"shares": {"A": {"limits": {TYPE: 4}}}},
        "then": {"shares": {"B": {"limits": {TYPE: 12}}}},
        "wait_hours": 5.0,
        "at": "2025-11-24T21:00:00Z",
    }
    assert order.sentence == (
        "cut A now, wait 5h (until 2025-11-24 21:00 UTC) and raise B then: this way no job is stopped, if jobs end "
        "when expected and nothing new is submitted"
    )
    assert wait.data["wait_hours"] == 30.0


def test_the_order_holds_what_it_promises() -> None:
    order = given(RACE, TAKE_FROM_A)["order"]
    first, then = parse_change(order.data["first"]), parse_change(order.data["then"])  # type: ignore[arg-type]
    cut = assess(RACE, first)
    assert (cut.verdict, cut.possible) == ("at_risk", ())
    at = NOW + int(float(order.data["wait_hours"]) * HOUR)  # type: ignore[arg-type]
    between, stopped = later(apply_change(RACE, first), at)
    assert stopped == set()
    granted = assess(between, then)
    assert (granted.possible, granted.starts) == ((), ("b9",))
    assert apply_change(between, then).shares == apply_change(RACE, TAKE_FROM_A).shares
    too_early, _ = later(apply_change(RACE, first), at - 1)
    assert assess(too_early, then).possible != ()


def test_waiting_holds_what_it_promises_and_less_does_not() -> None:
    at = NOW + 30 * HOUR
    assert assess(later(RACE, at)[0], TAKE_FROM_A).possible == ()
    assert assess(later(RACE, at - 1)[0], TAKE_FROM_A).possible != ()


def test_step_by_step_loses_the_race() -> None:
    """The whole change after five hours is not enough: a9 has started meanwhile."""
    then = later(RACE, NOW + 5 * HOUR)[0]
    assert {job.id for job in then.jobs if job.status == "RUNNING"} == {"a3", "a9", "b1"}
    assert assess(then, TAKE_FROM_A).verdict == "disruptive"


def test_waiting_needs_to_know_when_jobs_end() -> None:
    unknown = replace(RACE, jobs=tuple(replace(job, expected_end=None) for job in RACE.jobs))
    assert {"order", "wait"}.isdisjoint(given(unknown, TAKE_FROM_A))


# B takes back what A borrowed. Two equal jobs are in question; the newest would go, which has more to lose.
LOAN = queue(
    12,
    replace(runs("a1", "A", 4, since=10), checkpointed_at=NOW - HOUR),
    runs("a2", "A", 6, since=2),
    runs("b1", "B", 2, since=1),
    waits("b5", "B", 3),
    A=borrows(4, 200),
    B=lends(8),
)


def test_priorities_bring_the_loss_to_the_lower_bound() -> None:
    now = assess(LOAN)
    assert (now.likely, now.bounds.gpu_hours) == (("a2",), (32.0, 96.0))
    advice = given(LOAN, Change())["priority"]
    assert advice.data == {
        "priorities": {"a1": 4},
        "likely": ["a1"],
        "loss_gpu_hours": 32.0,
        "is_lower_bound": True,
    }
    assert advice.sentence == (
        "set the priority of a1 from 5 to 4 (UpdateServiceJob): then a1 rather than a2 would likely be stopped, and "
        "32 instead of 96 GPU-hours lost, the least that is possible"
    )
    assert assess(_with_priorities(LOAN, {"a1": 4}), Change()).likely == ("a1",)


def test_where_nothing_is_below_the_dear_one_is_raised() -> None:
    at_zero = replace(LOAN, jobs=tuple(replace(job, priority=0) for job in LOAN.jobs))
    advice = given(at_zero, Change())["priority"]
    assert advice.data["priorities"] == {"a2": 1}
    assert assess(_with_priorities(at_zero, {"a2": 1}), Change()).likely == ("a1",)


def test_the_cheapest_choice_needs_no_advice() -> None:
    cheap = replace(LOAN, jobs=tuple(replace(job, checkpointed_at=NOW) for job in LOAN.jobs))
    assert given(cheap, Change()) == {}


def test_what_happens_without_the_change_is_no_reason_to_wait() -> None:
    """b5 takes its own back whatever is done to A; that a2 will have ended in an hour does not matter."""
    ending = replace(LOAN, jobs=tuple(replace(job, expected_end=NOW + HOUR) for job in LOAN.jobs))
    change = Change(shares={"A": {"borrow_limit_percent": 150}})
    assert assess(ending, change).verdict == "notice"
    assert list(given(ending, change)) == ["priority"]


def test_an_in_share_preemption_is_moved_to_the_cheaper_job() -> None:
    state = queue(
        5,
        runs("dear", "A", 2, since=20, priority=1),
        runs("cheap", "A", 2, since=3, priority=2),
        waits("urgent", "A", 2, priority=9),
        A=borrows(4, in_share=True),
        B=reserves(1),
    )
    advice = given(state, Change())["priority"]
    edited = _with_priorities(state, advice.data["priorities"])  # type: ignore[arg-type]
    assert (assess(state).likely, assess(edited).likely) == (("dear",), ("cheap",))


STUCK = queue(16, waits("a5", "A", 8), waits("a6", "A", 2, priority=1), A=reserves(8), B=lends(8))


def test_a_limit_is_kept_for_who_could_never_run() -> None:
    advice = given(STUCK, limits(A=6))
    assert {kind: dict(one.data) for kind, one in advice.items()} == {
        "keep_limit": {"share": "A", "limits": {TYPE: 8}, "jobs": ["a5"]}
    }
    assert advice["keep_limit"].sentence == (
        "keep the limit of share A at 8 ml.p4d.24xlarge until a5 has run: with less it never can"
    )
    assert assess(STUCK, limits(A=8)).never_fits == ()
    assert assess(STUCK, limits(A=7)).never_fits == ("a5",)


def test_an_environment_is_kept_for_who_could_never_run() -> None:
    state = queue(16, waits("a5", "A", 8), waits("b5", "B", 7), A=reserves(8), B=lends(8))
    change = Change({TYPE: 7}, {"A": {"limits": {TYPE: 3}}, "B": {"limits": {TYPE: 4}}})
    assert assess(state, change).never_fits == ("a5", "b5")
    found = assess(state, change, allow_oversubscription=True).advice
    assert [one.data["jobs"] for one in found] == [["b5"]], "for a5 neither limit nor environment alone is enough"
    only_environment = Change({TYPE: 7})
    (keep,) = assess(state, only_environment, allow_oversubscription=True).advice
    assert keep.sentence == ("keep the environment at 8 ml.p4d.24xlarge until a5 has run: with less it never can")
    assert keep.data == {"environment": {TYPE: 8}, "jobs": ["a5"]}
    assert assess(state, Change({TYPE: 8})).never_fits == ()


def test_who_could_never_run_before_either_is_no_reason() -> None:
    assert given(queue(16, waits("a5", "A", 9), A=reserves(8), B=lends(8)), limits(A=6)) == {}


BUSY = queue(
    8, runs("a1", "A", 2, ends_in=3), runs("a2", "A", 1, ends_in=7), runs("b1", "B", 1), A=lends(4), B=lends(4)
)


def test_a_busy_share_is_disabled_before_it_is_removed() -> None:
    removal = Change(shares={"A": None})
    advice = given(BUSY, removal)
    assert list(advice) == ["disable_first", "wait"]
    assert advice["disable_first"].data == {
        "first": {"shares": {"A": {"state": "DISABLED"}}},
        "share": "A",
        "jobs": ["a1", "a2"],
    }
    assert assess(BUSY, parse_change(advice["disable_first"].data["first"])).verdict == "safe"  # type: ignore[arg-type]
    assert advice["wait"].data["wait_hours"] == 7.0
    assert assess(later(BUSY, NOW + 7 * HOUR)[0], removal).terminated == ()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(Change(), id="nothing changes"),
        pytest.param(limits(A=3), id="a cut that is harmless today"),
        pytest.param(limits(B=2), id="a cut of a share that is below it"),
    ],
)
def test_a_change_that_stops_nobody_needs_no_advice(change: Change) -> None:
    assert given(BUSY, change) == {}


def test_a_cut_below_what_is_used_waits_for_the_jobs_above_it() -> None:
    change = limits(A=1)
    assert assess(BUSY, change).verdict == "at_risk"
    (wait,) = given(BUSY, change).values()
    assert wait.sentence == (
        "wait 3h (until 2025-11-24 19:00 UTC) with the whole change: then it puts no running job at risk, if jobs "
        "end when expected and nothing new is submitted"
    )
    assert assess(later(BUSY, NOW + 3 * HOUR)[0], change).newly_eligible == ()


def test_hours_are_rounded_up() -> None:
    odd = replace(RACE, jobs=tuple(replace(j, expected_end=j.expected_end and j.expected_end + 1) for j in RACE.jobs))
    assert given(odd, TAKE_FROM_A)["order"].data["wait_hours"] == 5.01


def test_a_budget_that_is_used_up_gives_less_advice_and_no_wrong_one() -> None:
    assessment = assess(RACE, TAKE_FROM_A)
    for most_jobs in range(40):
        found = advise(RACE, TAKE_FROM_A, assessment, Knobs(), most_jobs)
        assert [one for one in found if one not in assessment.advice] == []
    assert advise(RACE, TAKE_FROM_A, assessment, Knobs(), most_jobs=len(RACE.jobs) - 1) == ()


def test_advice_is_written_flat() -> None:
    advice = Advice("wait", "wait 1 hour", {"wait_hours": 1.0})
    assert advice.to_dict() == {"kind": "wait", "sentence": "wait 1 hour", "wait_hours": 1.0}


def _with_priorities(state: "QueueState", priorities: dict[str, int]) -> "QueueState":
    return replace(state, jobs=tuple(replace(job, priority=priorities.get(job.id, job.priority)) for job in state.jobs))


def test_losses_are_those_of_the_assessment() -> None:
    lost = sum(upper_loss(job, NOW) for job in LOAN.jobs if job.id == "a2")
    assert gpu_hours(lost) == 96.0
