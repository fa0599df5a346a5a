"""V1 to V15: what holds for every queue, whatever AWS's heuristic is.

Each property names its precondition in the queues it draws; the numbers are those of docs/model.md.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import TYPE, queue, running, share, waiting
from hypothesis import assume, given
from hypothesis import strategies as st
from scheduler_support import (
    OTHER_TYPE,
    cap,
    examples,
    jobs_by_id,
    limit,
    over,
    owns_everything,
    pool_holds,
    queues,
    total_usage,
    usage,
    waiting_of,
    without,
)

from quota_scheduler import Job, QueueState, assess, cycle, explain
from quota_scheduler.job_index import JobIndex, share_order
from quota_scheduler.loss import upper_loss
from quota_scheduler.transitions import apply_decisions, end_stopped

BOTH = (TYPE, OTHER_TYPE)
whole = st.just(0)
full_or_more = st.integers(0, 3)


def explained(state):
    return [(jobs_by_id(state)[job.id], explain(state, job.id)) for job in waiting_of(state)]


def preemptions(state):
    return [(job, decision) for job, decision in explained(state) if decision.outcome == "preempt"]


@examples
@given(queues(units=BOTH, fits_environment=False))
def test_v1_usage_stays_within_the_environment_and_does_not_grow_above_it(state):
    after = apply_decisions(state, cycle(state))

    for unit in BOTH:
        assert total_usage(after, unit) <= max(state.environment[unit], total_usage(state, unit))


@examples
@given(queues(units=BOTH))
def test_v2_no_dispatch_takes_a_share_above_its_cap(state):
    for job, decision in explained(state):
        if decision.outcome == "dispatch":
            for unit, amount in job.uses.items():
                used = usage(state)[job.share].get(unit, 0) + amount
                assert used <= cap(state.shares[job.share], unit)


@examples
@given(queues(units=BOTH, spare=whole))
def test_v3_the_pool_holds_as_long_as_the_environment_has_what_all_own(state):
    assume(all(pool_holds(state, unit) and is_within_caps(state, unit) for unit in BOTH))

    after = apply_decisions(state, cycle(state))

    assert all(pool_holds(after, unit) for unit in BOTH)


def is_within_caps(state: QueueState, unit: str) -> bool:
    """Say whether no share is above what it may hold, as a reduction leaves it."""
    return all(usage(state)[name].get(unit, 0) <= cap(share, unit) for name, share in state.shares.items())


def test_v3_does_not_hold_where_the_environment_has_more_than_all_own():
    """An owner starts in room that nobody owns, and what was lent of its limit is covered by nobody any more."""
    state = queue(
        share("a", 1, "LEND_AND_BORROW"), share("b", 1), running("a1", "a", 2), waiting("b1", "b"), environment=3
    )
    assert pool_holds(state, TYPE)

    after = apply_decisions(state, cycle(state))

    assert jobs_by_id(after)["b1"].status == "SCHEDULED"
    assert not pool_holds(after, TYPE)


@examples
@given(queues(fits_environment=False))
def test_v3_no_borrower_starts_while_the_pool_is_broken(state):
    if pool_holds(state, TYPE):
        return

    assert [decision for _, decision in explained(state) if decision.outcome == "dispatch" and decision.borrowing] == []


@examples
@given(queues(spare=full_or_more))
def test_v3_the_head_of_a_reserve_share_starts_at_once_within_its_limit(state):
    assume(pool_holds(state, TYPE) and owns_everything(state, TYPE))

    for job, decision in explained(state):
        entitled = usage(state)[job.share].get(TYPE, 0) + job.uses[TYPE] <= limit(state, job.share, TYPE)
        if state.shares[job.share].strategy == "RESERVE" and entitled and decision.reason != "head_blocked":
            assert (decision.outcome, decision.reason) == ("dispatch", "within_limit")


@examples
@given(queues(spare=full_or_more))
def test_v4_an_owner_starts_or_takes_back_what_it_owns(state):
    for job, decision in explained(state):
        entitled = usage(state)[job.share].get(TYPE, 0) + job.uses[TYPE] <= limit(state, job.share, TYPE)
        if entitled and decision.reason != "head_blocked":
            assert decision.outcome in ("dispatch", "preempt")


def test_v4_fails_where_more_is_promised_than_there_is():
    """Limits 2 and 2, environment 3, usage 1 and 2: the owner of one more waits, and nobody is over."""
    state = queue(
        share("a", 2), share("b", 2), running("a1", "a"), running("b1", "b", 2), waiting("a2", "a"), environment=3
    )

    decision = explain(state, "a2")

    assert (decision.outcome, decision.reason, assess(state).eligible) == ("wait", "no_capacity", ())


@examples
@given(queues(units=BOTH))
def test_v5_nobody_is_stopped_for_nothing(state):
    for _, decision in explained(state):
        if decision.outcome != "preempt":
            assert (decision.preempted, decision.possible, decision.certain) == ((), (), ())
        else:
            assert explain(without(state, decision.preempted), decision.job).outcome == "dispatch"


@examples
@given(queues())
def test_v6_only_jobs_of_shares_over_their_limit_are_taken_by_others(state):
    for job, decision in preemptions(state):
        for stopped in (jobs_by_id(state)[name] for name in decision.possible):
            if stopped.share != job.share:
                assert over(state, stopped.share, TYPE) > 0


@examples
@given(queues(units=BOTH))
def test_v7_own_jobs_are_stopped_only_by_higher_priority_and_where_that_is_on(state):
    for job, decision in preemptions(state):
        for stopped in (jobs_by_id(state)[name] for name in decision.possible):
            assert set(stopped.uses) & set(job.uses)
            if stopped.share == job.share:
                assert state.shares[job.share].in_share_preemption
                assert stopped.priority < job.priority


@examples
@given(queues())
def test_v8_a_reclaim_leaves_everybody_near_the_limit(state):
    for job, decision in preemptions(state):
        after = without(state, decision.preempted)
        others = [jobs_by_id(state)[name] for name in decision.preempted if jobs_by_id(state)[name].share != job.share]
        if others:
            assert usage(after)[job.share].get(TYPE, 0) + job.uses[TYPE] <= limit(state, job.share, TYPE)
        for name in {stopped.share for stopped in others}:
            largest = max(stopped.uses[TYPE] for stopped in others if stopped.share == name)
            assert usage(after)[name].get(TYPE, 0) >= limit(state, name, TYPE) - (largest - 1)


@examples
@given(queues())
def test_v9_the_likely_set_is_enough_minimal_and_obeys_the_stop_rule(state):
    for job, decision in preemptions(state):
        stopped = [jobs_by_id(state)[name] for name in decision.preempted]
        for spared in stopped:
            left = [other for other in stopped if other is not spared]
            assert not is_enough(state, job, left)
        assert is_enough(state, job, stopped)
        for name in {other.share for other in stopped} - {job.share}:
            sizes = [other.uses[TYPE] for other in stopped if other.share == name]
            assert sum(sizes) - max(sizes) < over(state, name, TYPE)


def is_enough(state: QueueState, job: Job, stopped: list[Job]) -> bool:
    """Say whether the job starts without these; within its limit if jobs of others are among them."""
    decision = explain(without(state, {other.id for other in stopped}), job.id)
    crosses = any(other.share != job.share for other in stopped)
    return decision.outcome == "dispatch" and not (crosses and decision.borrowing)


@examples
@given(queues(units=BOTH, unknown_priorities=True))
def test_v10_the_four_sets_are_nested_and_the_bounds_hold_the_likely_cost(state):
    assessment = assess(state)

    assert set(assessment.certain) <= set(assessment.likely) <= set(assessment.possible) <= set(assessment.eligible)
    likely = [jobs_by_id(state)[name] for name in assessment.likely]
    low, high = assessment.bounds.jobs
    assert low <= len(likely) <= high
    low, high = assessment.bounds.instances
    assert low <= sum(sum(job.uses.values()) for job in likely) <= high
    lost = sum(upper_loss(job, state.at) for job in likely) / 3_600_000
    low, high = assessment.bounds.gpu_hours
    assert low - 0.001 <= lost <= high + 0.001


@examples
@given(queues())
def test_v11_the_first_borrower_that_fits_starts_first(state):
    heads = [min(jobs, key=share_order) for jobs in JobIndex(state.jobs).waiting.values()]
    decisions = {job.id: explain(state, job.id) for job in heads}
    borrowers = [job for job in heads if decisions[job.id].outcome == "dispatch"]

    def place(job: Job) -> tuple[bool, int, str]:
        below = usage(state)[job.share].get(TYPE, 0) < limit(state, job.share, TYPE)
        return (not below, job.created_at or 0, job.share)

    all_would_borrow = all(
        decision.outcome != "preempt" and decision.reason != "within_limit" for decision in decisions.values()
    )
    if borrowers and all_would_borrow:
        assert min(borrowers, key=place).id == cycle(state)[0].job


@examples
@given(queues(units=BOTH))
def test_v12_no_job_starts_before_one_of_higher_priority_in_its_share(state):
    served = [decision.job for decision in cycle(state) if decision.outcome in ("dispatch", "preempt")]
    for name in state.shares:
        in_order = sorted(
            [job for job in waiting_of(state) if job.share == name],
            key=lambda job: (-(job.priority or 0), job.created_at or 0, job.id),
        )
        started = [job_id for job_id in served if jobs_by_id(state)[job_id].share == name]
        assert started == [job.id for job in in_order][: len(started)]


@examples
@given(queues(), st.integers(0, 1), st.integers(0, 2))
def test_v13_a_stopped_job_waits_again_or_fails_and_the_preemptor_gets_the_room(state, retries, count):
    jobs = tuple(
        replace(job, preemption_retries_before_termination=retries, preempted_attempt_count=count)
        if job.is_dispatched
        else job
        for job in state.jobs
    )
    state = replace(state, jobs=jobs)
    first = next((decision for decision in cycle(state) if decision.outcome == "preempt"), None)
    if first is None:
        return

    after = apply_decisions(state, [first])
    for name in first.preempted:
        after = end_stopped(after, name)

    for name in first.preempted:
        stopped = jobs_by_id(after)[name]
        assert ("FAILED" if count >= retries else "RUNNABLE", count + 1) == (
            stopped.status,
            stopped.preempted_attempt_count,
        )
    assert jobs_by_id(after)[first.job].status == "SCHEDULED"
    assert set(jobs_by_id(after)) == set(jobs_by_id(state))


@examples
@given(queues(unknown_priorities=True), st.randoms(use_true_random=False), st.integers(2, 3))
def test_v14_names_order_and_scale_do_not_matter(state, random, factor):
    names = {name: f"z{position}" for position, name in enumerate(sorted(state.shares, reverse=True))}
    ids = {job.id: f"{9 - position}" for position, job in enumerate(state.jobs)}
    share_values = [
        replace(share, name=names[name], limits={unit: n * factor for unit, n in share.limits.items()})
        for name, share in state.shares.items()
    ]
    random.shuffle(share_values)
    jobs = [
        replace(job, id=ids[job.id], share=names[job.share], uses={unit: n * factor for unit, n in job.uses.items()})
        for job in state.jobs
    ]
    random.shuffle(jobs)
    environment = {unit: amount * factor for unit, amount in state.environment.items()}
    other = QueueState(state.at, environment, {share.name: share for share in share_values}, tuple(jobs))
    # A borrow limit that gives a fraction is rounded after the limit is multiplied.
    assume(
        all(
            share.limits[TYPE] * share.borrow_limit_percent % 100 == 0
            for share in state.shares.values()
            if share.borrow_limit_percent > 0
        )
    )

    for job, decision in explained(state):
        same = explain(other, ids[job.id])
        if (decision.reason == "head_blocked") != (same.reason == "head_blocked"):
            continue  # ids break ties between equal jobs of a share
        assert (decision.outcome, decision.reason) == (same.outcome, same.reason)
        assert {ids[name] for name in decision.possible} == set(same.possible)
        assert {ids[name] for name in decision.certain} == set(same.certain)


@examples
@given(queues())
def test_v14_dispatched_jobs_of_other_types_do_not_matter(state):
    shares = {name: replace(share, limits={**share.limits, OTHER_TYPE: 1}) for name, share in state.shares.items()}
    first = min(shares)
    more = (
        *state.jobs,
        Job("other1", first, {OTHER_TYPE: 3}, "RUNNING", priority=0, started_at=0),
        Job("other2", first, {OTHER_TYPE: 1}, "STARTING", priority=9),
    )
    other = QueueState(state.at, {**state.environment, OTHER_TYPE: 2}, shares, more)

    for job, decision in explained(state):
        assert decision == explain(other, job.id)


@pytest.mark.parametrize("priority", [0, 2, 9])
@examples
@given(state=queues())
def test_v15_the_priority_of_an_owner_does_not_change_what_it_may_take_from_others(priority, state):
    for job, decision in preemptions(state):
        alone = replace(state, jobs=tuple(other for other in state.jobs if other.is_dispatched or other.id == job.id))
        changed = replace(
            alone,
            jobs=tuple(replace(other, priority=priority) if other.id == job.id else other for other in alone.jobs),
        )
        share = replace(state.shares[job.share], in_share_preemption=False)
        alone, changed = (replace(each, shares={**each.shares, job.share: share}) for each in (alone, changed))

        assert explain(alone, job.id).possible == explain(changed, job.id).possible
        assert decision.job == job.id
