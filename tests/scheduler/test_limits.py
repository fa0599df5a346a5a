"""Where exact answers would take too long: the answer is a bound, comes quickly, and says so."""

from __future__ import annotations

import pickle

import pytest
from builders import queue, running, share, waiting

from quota_scheduler import Bounds, Change, Knobs, assess, explain

SIZES = [7 * number % 101 + 1 for number in range(1, 61)]


def crowd(priority: int = 1):
    """Give sixty jobs of as many sizes in one share, and one that waits for half of their room."""
    jobs = [running(f"a{n}", "a", size, hours=n, priority=priority) for n, size in enumerate(SIZES)]
    return queue(
        share("a", 1, "LEND_AND_BORROW", in_share=True),
        share("b", sum(SIZES) - 1),
        *jobs,
        waiting("b1", "b", sum(SIZES) // 2),
    )


def test_prices_that_grow_too_large_leave_the_sets_exact_and_bound_the_cost():
    state = crowd()

    assessment = assess(state, with_advice=False)

    assert set(assessment.likely) <= set(assessment.possible) == {f"a{n}" for n in range(len(SIZES))}
    low, high = assessment.bounds.jobs
    assert 1 < low <= len(assessment.likely) <= high <= len(SIZES)
    low, high = assessment.bounds.instances
    assert low == sum(SIZES) // 2 <= sum(SIZES[int(name[1:])] for name in assessment.likely) <= high


def test_a_reduction_of_many_sizes_is_bounded_likewise():
    state = queue(
        share("a", sum(SIZES) // 2, "RESERVE"), *[running(f"a{n}", "a", size, hours=n) for n, size in enumerate(SIZES)]
    )

    assessment = assess(state, knobs=Knobs(reduction_mode="eager"), with_advice=False)

    low, high = assessment.bounds.jobs
    assert low <= len(assessment.likely) <= high
    assert assessment.bounds.instances[0] == sum(SIZES) - sum(SIZES) // 2


def test_a_reduction_of_huge_amounts_is_bounded_likewise():
    state = queue(
        share("a", 5_000_000, "RESERVE"), running("a1", "a", 4_000_001, hours=1), running("a2", "a", 4_000_003, hours=2)
    )

    assessment = assess(state, knobs=Knobs(reduction_mode="eager"), with_advice=False)

    assert (assessment.likely, assessment.possible, assessment.certain) == (("a1",), ("a1", "a2"), ())


def test_a_large_job_of_a_reserve_share_over_its_limit_is_bounded():
    state = queue(
        share("r", 2, "RESERVE"),
        share("b", 4000),
        running("r1", "r", 600, hours=1),
        running("r2", "r", 601, hours=2),
        running("b1", "b", 2000),
        waiting("b2", "b", 2000),
    )

    decision = explain(state, "b2")

    assert (decision.outcome, decision.possible, decision.is_exact) == ("preempt", ("r1", "r2"), False)


def test_a_knob_that_would_start_hundreds_of_jobs_is_cut_short_and_says_so():
    jobs = [waiting(f"j{n:03d}", "a", 1, priority=n, hours=1) for n in range(700)]
    state = queue(share("a", 1000), running("a0", "a", 300), waiting("first", "a", 800, priority=900), *jobs)

    named = {each.knob: each for each in assess(state).assumptions}

    assert "head_blocking" in named["budget"].value
    assert 20 < len(named["head_blocking"].affects) < 700


@pytest.mark.parametrize(
    "change", [Change(), Change(shares={}), Change({"t": 1}, {"a": None, "b": {"limits": {"t": 1}}})]
)
def test_a_change_is_the_same_in_another_process(change):
    copy = pickle.loads(pickle.dumps(change))

    assert (copy, copy.to_dict()) == (change, change.to_dict())


def test_bounds_are_a_value():
    assert Bounds((0, 1), (0, 1), (0.0, 1.0)).to_dict() == {
        "jobs": [0, 1],
        "instances": [0, 1],
        "gpu_hours": [0.0, 1.0],
    }
