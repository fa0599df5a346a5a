"""The sentences about a verdict, which guard, plan and every report say alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from quota_constructs.report.assessed import Assessed
from quota_constructs.report.text import short
from quota_live.plan import Intermediate, QueuePlan
from quota_live.sentences import headline
from quota_scheduler import Change, Job, QueueState, Share, assess
from quota_scheduler.consequences import consequences, consequences_on_the_way, main_consequences
from quota_scheduler.differences import Difference, differences
from quota_scheduler.rules import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

G5 = "ml.g5.xlarge"
G6 = "ml.g6.xlarge"
HOUR = 3_600_000
BECOMES = "becomes eligible for preemption"
LATER = "nothing that waits now would claim this room; work that is submitted later may"


def job(name: str, of: str, status: str = "RUNNING", size: int = 1) -> Job:
    began = None if status == "RUNNABLE" else 0
    return Job(name, of, {G5: size}, status, name=name, priority=0, created_at=0, scheduled_at=began, started_at=began)


def on(unit: str, given: Job) -> Job:
    return replace(given, uses={unit: 1})


def queue(limits: Mapping[str, int], *jobs: Job, environment: int = 4) -> QueueState:
    shares = {name: Share(name, {G5: limit}, "LEND") for name, limit in limits.items()}
    return QueueState(2 * HOUR, {G5: environment}, shares, jobs, queue="training")


def limits(**amounts: int) -> Change:
    return Change(None, {name: {"limits": {G5: amount}} for name, amount in amounts.items()})


BUSY = queue({"A": 2, "B": 2}, job("a1", "A"), job("a2", "A"))
ASKED = queue(
    {"A": 2, "B": 1}, job("a1", "A"), job("a2", "A"), job("b1", "B"), job("w", "B", "RUNNABLE"), environment=3
)
QUIET = "no running or waiting job is put at risk"

CASES: dict[str, tuple[QueueState, Change, tuple[str, ...]]] = {
    "safe": (BUSY, limits(A=2, B=1), (QUIET,)),
    "no change": (BUSY, Change(), (f"nothing changes, and {QUIET}",)),
    "safe, with jobs above their limit": (
        queue({"A": 1, "B": 2}, job("a1", "A"), job("a2", "A")),
        limits(B=1),
        ("no further job is put at risk; 2 running jobs are eligible for preemption already",),
    ),
    "no change, with a job above its limit": (
        queue({"A": 2, "B": 2}, job("a1", "A", size=3)),
        Change(),
        ("nothing changes, and no further job is put at risk; 1 running job is eligible for preemption already",),
    ),
    "at risk": (
        BUSY,
        limits(A=1, B=2),
        ("2 running jobs become eligible for preemption: a1, a2 (above its limit: A by 1)", LATER),
    ),
    "further above": (
        queue({"A": 2, "B": 2}, job("a1", "A", size=3)),
        limits(A=1),
        (
            f"no running job {BECOMES} that was not, but 1 share is further above its limit: A by 2, 1 before",
            LATER,
        ),
    ),
    "at risk, while others are stopped anyway": (
        QueueState(
            2 * HOUR,
            {G5: 3, G6: 2},
            {"A": Share("A", {G5: 1}, "LEND"), "B": Share("B", {G6: 2}, "LEND"), "C": Share("C", {G5: 2}, "LEND")},
            (job("a1", "A", size=3), job("w", "C", "RUNNABLE"), *(on(G6, job(name, "B")) for name in ("b1", "b2"))),
        ),
        Change(None, {"B": {"limits": {G6: 1}}}),
        (
            "2 running jobs become eligible for preemption: b1, b2 (above their limits: A by 2, B by 1)",
            "what waits now stops no further job because of this change; work that is submitted later may",
            "work that waits now would stop 1 running job (3 instances, up to 6 GPU-hours)",
            "1 waiting job would start: w",
        ),
    ),
    "disruptive": (
        ASKED,
        limits(A=1, B=2),
        (
            "with this change, work that waits now would stop 1 running job (1 instance, up to 2 GPU-hours)",
            "1 waiting job would start: w",
        ),
    ),
    "two shares go": (
        queue({"A": 1, "B": 1, "C": 1}, job("a1", "A"), job("b1", "B")),
        Change(None, {"A": None, "B": None}),
        ("removing shares A, B ends 2 unfinished jobs: a1, b1 (4 GPU-hours lost)",),
    ),
    "all shares go": (
        BUSY,
        Change(None, {"A": None, "B": None}),
        ("removing all shares ends 2 unfinished jobs: a1, a2 (4 GPU-hours lost)",),
    ),
    "never": (
        queue({"A": 2}, job("w", "A", "RUNNABLE", 2)),
        limits(A=1),
        ("1 waiting job of share A could never run any more: w",),
    ),
    "with or without": (
        queue({"A": 1, "B": 2}, job("a1", "A", size=2), job("b", "B"), job("w", "B", "RUNNABLE"), environment=3),
        Change(None, {"B": {"in_share_preemption": True}}),
        (
            "1 running job may be stopped by work that waits now, with or without this change: a1",
            "work that waits now would stop 1 running job (2 instances, up to 4 GPU-hours)",
            "1 waiting job would start: w",
        ),
    ),
    "later": (
        queue({"A": 3, "B": 1}, job("a1", "A", size=2)),
        limits(A=2),
        ("no running job is put at risk, but work starts later than it would, or only when usage has fallen",),
    ),
}


@pytest.mark.parametrize(("state", "change", "want"), CASES.values(), ids=CASES)
def test_consequences(state: QueueState, change: Change, want: tuple[str, ...]) -> None:
    assert want == consequences(assess(state, change), state)


def plan_and_report(state: QueueState, change: Change, **more: Any) -> tuple[str, str]:
    """The guard's sentence and the report's lines about the same change."""
    outcome = assess(state, change)
    steps = more.pop("intermediate", ())
    plan = QueuePlan("Stack/Q", "arn", state, change, outcome, steps, **more)
    on_the_way = tuple((step.label, step.verdict, step.assessment) for step in steps)
    return headline(plan), short(
        Assessed(outcome, state, change, label="Stack/Q", on_the_way=on_the_way, verdict=plan.verdict, **more)
    )


@pytest.mark.parametrize(("state", "change"), [case[:2] for case in CASES.values()], ids=CASES)
def test_the_guard_says_the_sentences_of_the_report(state: QueueState, change: Change) -> None:
    guard, report = plan_and_report(state, change)
    for sentence in main_consequences(assess(state, change), state):
        assert sentence in guard
        assert sentence in report


def test_the_guard_says_the_report_s_sentence_about_a_state_on_the_way() -> None:
    step = Intermediate("environment changed, shares not yet", assess(BUSY, limits(A=1, B=2)), "at_risk")
    guard, report = plan_and_report(BUSY, limits(B=1), intermediate=(step,))
    want = (
        f"on the way ({step.label}): 2 running jobs become eligible for preemption: a1, a2 (above its limit: A by 1); "
    )
    assert f"queue training: share B: {G5} 2 to 1: {want}{LATER}" == guard
    assert want in report
    assert consequences_on_the_way(step.assessment, BUSY, [("end", "at_risk", step.assessment)]) == ()


def test_the_guard_says_the_report_s_sentence_about_what_is_declared_wrongly() -> None:
    declared = (
        Finding("QS001", "error", "shares.A", "given twice"),
        Finding("QS002", "error", "shares.B", "odd\nname"),
    )
    guard, report = plan_and_report(BUSY, limits(B=1), declared=declared)
    want = "the queue would not be valid: given twice [QS001]; odd name [QS002]"
    assert f"queue training: {want}" == guard
    assert report.splitlines()[:2] == [f"Stack/Q: INVALID: {want}", f"  {QUIET}"]


def test_a_state_on_the_way_that_can_lose_more_is_told() -> None:
    end, step = assess(BUSY, limits(A=1)), assess(ASKED, limits(A=1, B=2))
    assert consequences_on_the_way(end, BUSY, [("limits first", "at_risk", step)]) == (
        "on the way (limits first): work that waits now would stop 1 running job (1 instance, up to 2 GPU-hours)",
    )
    assert consequences_on_the_way(step, ASKED, [("limits first", "at_risk", end)]) == ()


def test_only_errors_that_the_change_introduces_are_named() -> None:
    was_wrong = queue({"A": 4, "B": 1}, environment=4)
    change = Change(None, {"B": {"limits": {G5: 0}}})
    outcome = assess(was_wrong, change)
    (sentence,) = main_consequences(outcome, was_wrong)
    assert sentence.startswith("the queue would not be valid: ")
    introduced = {item.id for item in outcome.findings if item.severity == "error" and "B" in item.where}
    assert introduced == {part.partition("]")[0] for part in sentence.split("[")[1:]}


def test_the_few_lines_at_synth_have_the_notes() -> None:
    told = short(Assessed(assess(BUSY, Change()), BUSY, Change(), label="Stack/Q", notes=("one", "two")))
    assert told.splitlines()[1:] == ["  note: one", "  note: two"]


def test_differences_are_a_line_a_member() -> None:
    change = Change(
        {G5: 5},
        {
            "A": {"limits": {G6: 1}, "in_share_preemption": True},
            "B": None,
            "C": {"limits": {G5: 1}, "strategy": "LEND_AND_BORROW", "borrow_limit_percent": -1, "state": "ENABLED"},
        },
    )
    assert differences(BUSY, change) == [
        Difference("~", "environment", G5, "4", "5"),
        Difference("-", "share A", G5, "2", "none"),
        Difference("+", "share A", G6, "", "1"),
        Difference("~", "share A", "in_share_preemption", "off", "on"),
        Difference("-", "share B", "", f"2 × {G5}", "removed"),
        Difference("+", "share C", G5, "", "1"),
        Difference("+", "share C", "strategy", "", "LEND_AND_BORROW"),
        Difference("+", "share C", "borrow_limit_percent", "", "unlimited"),
    ]
