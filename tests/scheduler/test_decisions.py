"""Decisions in words and numbers: every reason, with its sentence, in the smallest queue that shows it."""

from __future__ import annotations

import pytest
from builders import TYPE, queue, running, share, waiting
from scheduler_support import OTHER_TYPE

from quota_scheduler import Job, cycle, explain, explain_submission
from quota_scheduler.sentences import REASONS

LENDING = (share("a", 2, "LEND_AND_BORROW", borrow=100, in_share=True), share("b", 4))

CASES = [
    (
        "within_limit",
        queue(share("a", 2), waiting("j", "a")),
        "dispatch",
        {},
        0,
        f"starts: a uses 0 of 2 {TYPE} and the job asks for 1",
    ),
    (
        "borrow",
        queue(*LENDING, running("a1", "a", 2), waiting("j", "a")),
        "dispatch",
        {},
        1,
        f"starts: a uses 2 of 2 {TYPE} and the job asks for 1; it will be 1 over its limit",
    ),
    (
        "reclaim",
        queue(*LENDING, running("a1", "a", 4), waiting("j", "b", 3)),
        "preempt",
        {TYPE: 1},
        0,
        (
            f"starts after a stop: b uses 0 of 4 {TYPE} and the job asks for 3 of its own back; likely stops "
            "1 job (a1) of shares over their limits"
        ),
    ),
    (
        "in_share",
        queue(share("a", 2, in_share=True), running("a1", "a", 2, priority=1), waiting("j", "a")),
        "preempt",
        {TYPE: 1},
        0,
        (
            f"starts after a stop: a uses 2 of 2 {TYPE} and the job asks for 1; likely stops 1 job (a1) of "
            "lower priority in its share"
        ),
    ),
    (
        "mixed",
        queue(
            share("a", 4, "LEND_AND_BORROW", in_share=True),
            share("b", 4, "LEND_AND_BORROW"),
            running("a1", "a", 3, priority=1),
            running("b1", "b", 5),
            waiting("j", "a", 4),
        ),
        "preempt",
        {TYPE: 4},
        0,
        (
            f"starts after a stop: a uses 3 of 4 {TYPE} and the job asks for 4; likely stops 2 jobs (a1, "
            "b1), of its own share and of others over their limits"
        ),
    ),
    (
        "no_capacity",
        queue(*LENDING, running("a1", "a", 2), running("b1", "b", 4), waiting("j", "a")),
        "wait",
        {TYPE: 1},
        0,
        (
            f"waits: a uses 2 of 2 {TYPE} and may take 2 more with its borrow limit, but lenders have 0 "
            "idle; the job asks for 1"
        ),
    ),
    (
        "borrow_limit",
        queue(*LENDING, running("a1", "a", 4), waiting("j", "a")),
        "wait",
        {TYPE: 0},
        0,
        f"waits: a uses 4 of 2 {TYPE} and may hold 4 with its borrow limit; the job asks for 1",
    ),
    (
        "limit_now",
        queue(share("a", 2), share("b", 4), running("a1", "a", 2), waiting("j", "a")),
        "wait",
        {TYPE: 0},
        0,
        f"waits: a uses 2 of 2 {TYPE} and the job asks for 1; it does not borrow, and in-share preemption is off",
    ),
    (
        "no_candidates",
        queue(share("a", 2, in_share=True), running("a1", "a", 2), waiting("j", "a")),
        "wait",
        {TYPE: 1},
        0,
        f"waits: a uses 2 of 2 {TYPE} and the job asks for 1; none of its dispatched jobs has a lower priority",
    ),
    (
        "cannot_help",
        queue(
            share("a", 2, in_share=True),
            running("a1", "a", 1, priority=1),
            running("a2", "a", 1, priority=9),
            waiting("j", "a", 2),
        ),
        "wait",
        {TYPE: 2},
        0,
        (
            f"waits: a uses 2 of 2 {TYPE} and the job asks for 2; stopping all jobs that could be stopped "
            "would not be enough"
        ),
    ),
    (
        "would_borrow",
        queue(
            share("a", 2, "LEND_AND_BORROW"),
            share("b", 2, "LEND_AND_BORROW"),
            running("a1", "a", 4),
            waiting("j", "b", 3),
        ),
        "wait",
        {TYPE: 3},
        0,
        (
            f"waits: b uses 0 of 2 {TYPE} and the job asks for 3; it would have to borrow, and no job is "
            "stopped for a loan"
        ),
    ),
    (
        "larger_than_limit",
        queue(*LENDING, running("a1", "a", 1, priority=1), running("b1", "b", 3), waiting("j", "a", 3)),
        "wait",
        {TYPE: 1},
        0,
        f"waits: a uses 1 of 2 {TYPE} and the job asks for 3; a job larger than the limit of its share stops no other",
    ),
    (
        "head_blocked",
        queue(share("a", 2), waiting("first", "a", 1, hours=2), waiting("j", "a")),
        "wait",
        {TYPE: 0},
        0,
        "waits: another waiting job of a comes first",
    ),
    (
        "limit",
        queue(share("a", 2), waiting("j", "a", 3), environment=9),
        "never_fits",
        {},
        0,
        f"can never run: the job asks for 3 {TYPE}, the limit of a is 2",
    ),
    (
        "borrow_limit",
        queue(*LENDING, waiting("j", "a", 5)),
        "never_fits",
        {},
        0,
        f"can never run: the job asks for 5 {TYPE}, a may hold 4 with its borrow limit",
    ),
    (
        "borrowable_pool",
        queue(share("a", 2, "LEND_AND_BORROW"), share("r", 4, "RESERVE"), waiting("j", "a", 3)),
        "never_fits",
        {},
        0,
        f"can never run: the job asks for 3 {TYPE}, a and all shares that lend have 2 together",
    ),
    (
        "environment",
        queue(share("a", 4), waiting("j", "a", 4), environment=3),
        "never_fits",
        {},
        0,
        f"can never run: the job asks for 4 {TYPE}, the environment has 3",
    ),
    (
        "type_not_listed",
        queue(share("a", 4), share("b", {OTHER_TYPE: 1}), waiting("j", "a", {TYPE: 1, OTHER_TYPE: 1})),
        "never_fits",
        {},
        0,
        f"can never run: a has no limit for {OTHER_TYPE}",
    ),
]


@pytest.mark.parametrize(
    ("reason", "state", "outcome", "needs", "borrowing", "sentence"),
    CASES,
    ids=[f"{case[2]}-{case[0]}" for case in CASES],
)
def test_decision_says_why(reason, state, outcome, needs, borrowing, sentence):
    before = state.to_dict()

    decision = explain(state, "j")

    assert (decision.outcome, decision.reason, dict(decision.needs)) == (outcome, reason, needs)
    assert (decision.borrowing, decision.sentence) == (borrowing, sentence)
    assert state.to_dict() == before


def test_every_reason_has_a_case():
    assert {case[0] for case in CASES} == set(REASONS)


def test_a_job_of_two_types_tells_the_numbers_of_the_one_it_is_short_of():
    state = queue(
        share("a", {TYPE: 4, OTHER_TYPE: 2}),
        running("a1", "a", {OTHER_TYPE: 2}),
        waiting("j", "a", {TYPE: 1, OTHER_TYPE: 1}),
    )

    decision = explain(state, "j")

    assert (decision.reason, dict(decision.needs)) == ("no_capacity", {TYPE: 0, OTHER_TYPE: 1})
    assert decision.sentence.startswith(f"waits: a uses 2 of 2 {OTHER_TYPE}")


def test_the_cycle_gives_those_who_start_first_and_then_the_others():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"),
        share("b", 2),
        running("a1", "a", 2),
        waiting("a2", "a"),
        waiting("a3", "a", hours=0.2),
        waiting("b1", "b", 2),
    )

    assert [(each.job, each.outcome, each.reason) for each in cycle(state)] == [
        ("b1", "preempt", "reclaim"),
        ("a2", "dispatch", "within_limit"),
        ("a3", "wait", "no_capacity"),
    ]
    longer = queue(*state.shares.values(), *state.jobs, waiting("a4", "a", hours=0.1))
    assert [each.job for each in cycle(longer, heads_only=True)] == ["b1", "a2", "a3"]


def test_a_submission_is_decided_as_if_it_were_there():
    state = queue(share("a", 2), running("a1", "a"))
    submitted = Job("new", "a", {TYPE: 1}, "SUBMITTED")

    assert explain_submission(state, submitted).outcome == "dispatch"
    assert len(state.jobs) == 1


@pytest.mark.parametrize(
    ("job", "want"),
    [
        (Job("new", "x", {TYPE: 1}, "RUNNABLE"), "there is no share x; shares are a, off"),
        (Job("new", "off", {TYPE: 1}, "RUNNABLE"), "share off is DISABLED and takes no new jobs; enable it first"),
        (Job("new", "a", {}, "RUNNABLE"), "job new must ask for at least 1 instance of a type"),
        (Job("new", "a", {TYPE: 0}, "RUNNABLE"), "job new must ask for at least 1 instance of a type"),
        (Job("a1", "a", {TYPE: 1}, "RUNNABLE"), "there is a job a1 already; take another id"),
    ],
)
def test_fails_for_a_submission_that_the_service_refuses(job, want):
    state = queue(share("a", 2), share("off", 1, state="DISABLED"), running("a1", "a"))

    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is compared as a whole
        explain_submission(state, job)

    assert str(caught.value) == want


@pytest.mark.parametrize(
    ("job_id", "want"),
    [
        ("train-2", "there is no job train-2; did you mean train-1?"),
        ("train-1", "job train-1 is RUNNING; only a waiting job (RUNNABLE) can be explained"),
    ],
)
def test_fails_for_a_job_that_does_not_wait(job_id, want):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        explain(queue(share("a", 2), running("train-1", "a")), job_id)

    assert str(caught.value) == want
