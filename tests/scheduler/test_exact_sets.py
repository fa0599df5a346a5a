"""The tables against a search, and against looking through every subset; bounds where the amounts are too large."""

from __future__ import annotations

import random

import pytest
from builders import NOON, queue, running, share, waiting
from hypothesis import given
from hypothesis import strategies as st
from scheduler import oracle
from scheduler_support import OTHER_TYPE, TYPE, examples, queues

from quota_scheduler import Knobs, assess, explain, parse_state
from quota_scheduler.candidates import Candidates
from quota_scheduler.cover_costs import outer_bounds
from quota_scheduler.job_index import JobIndex
from quota_scheduler.ledger import Ledger
from quota_scheduler.ruling import serve
from quota_scheduler.search_sets import fill_from_search
from quota_scheduler.targets import Targets


def rulings(state):
    """Give every waiting job that others are stopped for, with the books and the ruling."""
    for job in state.jobs:
        ledger = Ledger(state, JobIndex(state.jobs), Knobs())
        demand = ledger.demand(job)
        if job.is_waiting and demand.never is None:
            ruling = serve(ledger, job, demand, NOON)
            if ruling is not None and ruling.targets is not None:
                yield job, ledger, demand, ruling.targets


@examples
@given(queues(spare=st.integers(-3, 4), unknown_priorities=True))
def test_tables_and_search_find_the_same(state):
    for job, ledger, demand, targets in rulings(state):
        searched = Targets(targets.likely)
        fill_from_search(searched, ledger, job, demand, Candidates(ledger, job, demand), NOON)

        assert targets.is_exact
        assert searched.is_exact
        assert (targets.possible, targets.certain) == (searched.possible, searched.certain)
        assert (targets.least, targets.most) == (searched.least, searched.most)


def crowded(seed: int) -> dict[str, object]:
    """Give a queue of one type with many sizes, unfair borrowing, and a RESERVE share over its limit."""
    draw = random.Random(seed)
    shares = {
        f"s{number}": {
            "limits": {TYPE: draw.randint(1, 9)},
            "strategy": draw.choice(("RESERVE", "LEND", "LEND_AND_BORROW", "LEND_AND_BORROW")),
            "in_share_preemption": draw.random() < 0.7,
        }
        for number in range(draw.randint(2, 4))
    }
    total = sum(each["limits"][TYPE] for each in shares.values())
    jobs = []
    used = 0
    for number in range(draw.randint(4, 9)):
        size = draw.choice((1, 1, 2, 2, 3, 4, 5, 6))
        if used + size <= total:
            used += size
            jobs.append(
                {
                    "id": f"r{number}",
                    "share": draw.choice(sorted(shares)),
                    "uses": {TYPE: size},
                    "priority": draw.randint(0, 3),
                    "status": "RUNNING",
                    "created_at": "2026-11-28T00:00:00Z",
                    "started_at": f"2026-11-29T{draw.randint(0, 11):02d}:00:00Z",
                }
            )
    jobs.append(
        {
            "id": "w",
            "share": draw.choice(sorted(shares)),
            "uses": {TYPE: draw.randint(1, 7)},
            "priority": draw.randint(1, 4),
            "status": "RUNNABLE",
            "created_at": "2026-11-29T00:00:00Z",
        }
    )
    environment = {TYPE: max(1, total + draw.choice((0, 0, 0, -2, 2)))}
    return {"version": 1, "at": "2026-11-29T12:00:00Z", "environment": environment, "shares": shares, "jobs": jobs}


def compare(seed: int) -> int:
    """Compare one queue with looking through every subset; give 1 if somebody is stopped in it."""
    document = crowded(seed)
    state = parse_state(document)
    decision = explain(state, "w")
    assert decision.is_exact
    expected = oracle.explain(document, "w")
    assert {name: value for name, value in decision.to_dict().items() if name != "sentence"} == expected, seed
    assert assess(state, with_advice=False).bounds.to_dict() == oracle.sets_of(document)["bounds"], seed
    return int(decision.outcome == "preempt")


def test_small_queues_agree_with_looking_through_every_subset():
    assert sum(compare(seed) for seed in range(250)) > 40


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_many_queues_agree_with_looking_through_every_subset(block, capsys):
    first = 1_000_000 + block * 2_000
    preempting = sum(compare(seed) for seed in range(first, first + 2_000))
    with capsys.disabled():
        print(f"\n2000 queues from seed {first}, {preempting} of them with a preemption")  # noqa: T201  # read after a nightly run


@examples
@given(queues(unknown_priorities=True))
def test_outer_bounds_hold_the_exact_costs(state):
    for job, ledger, demand, targets in rulings(state):
        everyone = [each for roster in Candidates(ledger, job, demand).everyone for each in roster.jobs()]
        costs = [(each.uses[TYPE], ledger.index.cost(each, NOON)) for each in everyone]

        least, most = outer_bounds(min_needed(ledger, demand, targets), costs)

        assert all(outer <= exact for outer, exact in zip(least, targets.least, strict=True))
        assert all(outer >= exact for outer, exact in zip(most, targets.most, strict=True))


def min_needed(ledger, demand, targets):
    """Give an amount that every set gives back: that of the smallest one, in instances."""
    return max(1, targets.least[1] - max(each.uses[TYPE] for each in targets.likely) + 1)


def test_large_amounts_with_a_common_divisor_are_exact():
    thousand = 1000
    state = queue(
        share("a", 4 * thousand, "LEND_AND_BORROW"),
        share("b", 4 * thousand),
        running("a1", "a", 5 * thousand, hours=3),
        running("a2", "a", 1 * thousand, hours=1),
        waiting("b1", "b", 3 * thousand),
    )

    decision = explain(state, "b1")

    assert (decision.preempted, decision.possible, decision.is_exact) == (("a2",), ("a1", "a2"), True)


def test_amounts_beyond_the_tables_give_a_bound_that_says_so():
    state = queue(
        share("a", 2_000_003, "LEND_AND_BORROW"),
        share("b", 4_000_007),
        running("a1", "a", 2_000_001, hours=3),
        running("a2", "a", 1_000_003, hours=1),
        running("a3", "a", 1_000_001, hours=2),
        waiting("b1", "b", 3_000_001),
    )

    decision = explain(state, "b1")
    assessment = assess(state)

    assert not decision.is_exact
    assert set(decision.preempted) <= set(decision.possible)
    assert decision.certain == ()
    assert [each.affects for each in assessment.assumptions if each.knob == "exactness"] == [("a1", "a2", "a3")]
    assert assessment.bounds.jobs[0] <= len(decision.preempted) <= assessment.bounds.jobs[1]


def test_a_search_that_takes_too_long_gives_a_bound_that_says_so():
    jobs = [running(f"a{n}", "a", {TYPE: 1 + n, OTHER_TYPE: 40 - n}, hours=n) for n in range(24)]
    state = queue(
        share("a", {TYPE: 10, OTHER_TYPE: 10}, "LEND_AND_BORROW"),
        share("b", {TYPE: 400, OTHER_TYPE: 1000}),
        *jobs,
        waiting("b1", "b", {TYPE: 250, OTHER_TYPE: 600}),
    )

    decision = explain(state, "b1")

    assert (decision.outcome, decision.is_exact) == ("preempt", False)
    assert set(decision.preempted) <= set(decision.possible) == {job.id for job in jobs}
