"""What a change of the input does to the answer, and six claims that sound right and are false (F1 to F6)."""

from __future__ import annotations

from dataclasses import replace

from builders import TYPE, queue, running, share, waiting
from hypothesis import given
from hypothesis import strategies as st
from scheduler_support import examples, queues

from quota_scheduler import Change, Job, Knobs, QueueState, assess, explain
from quota_scheduler.eligibility import eligible_jobs
from quota_scheduler.job_index import JobIndex
from quota_scheduler.ledger import Ledger


def eligible(state: QueueState) -> set[str]:
    """Give the jobs that are eligible by AWS's rule alone, whatever a pass may reach."""
    return eligible_jobs(Ledger(state, JobIndex(state.jobs), Knobs()))[0]


def with_share(state: QueueState, name: str, **members: object) -> QueueState:
    return replace(state, shares={**state.shares, name: replace(state.shares[name], **members)})


def of_share(state: QueueState, name: str, ids: set[str]) -> set[str]:
    return {job.id for job in state.jobs if job.share == name and job.id in ids}


def without_in_share(state: QueueState) -> QueueState:
    shares = {name: replace(each, in_share_preemption=False) for name, each in state.shares.items()}
    return replace(state, shares=shares)


@examples
@given(queues(), st.integers(1, 5))
def test_raising_a_limit_never_makes_a_job_of_that_share_eligible_for_others(state, more):
    state = without_in_share(state)
    for name, each in state.shares.items():
        raised = with_share(state, name, limits={TYPE: each.limits[TYPE] + more})
        assert of_share(state, name, eligible(raised)) <= of_share(state, name, eligible(state))


@examples
@given(queues(unknown_priorities=True), st.integers(1, 9))
def test_raising_a_running_jobs_priority_never_makes_it_eligible(state, more):
    for job in state.jobs:
        if job.is_dispatched and job.priority is not None:
            raised = tuple(
                replace(other, priority=job.priority + more) if other.id == job.id else other for other in state.jobs
            )
            assert job.id in eligible(state) or job.id not in eligible(replace(state, jobs=raised))


@examples
@given(queues())
def test_without_in_share_preemption_no_share_stops_its_own_jobs(state):
    off = without_in_share(state)
    for job in off.jobs:
        if job.is_waiting:
            stopped = {other.id: other.share for other in off.jobs}
            assert job.share not in {stopped[name] for name in explain(off, job.id).possible}


@examples
@given(queues(unknown_priorities=True), st.integers(1, 6), st.integers(0, 6))
def test_one_more_waiting_job_never_shrinks_what_is_eligible(state, amount, priority):
    for name in state.shares:
        more = replace(state, jobs=(*state.jobs, Job("more", name, {TYPE: amount}, "RUNNABLE", priority=priority)))
        assert eligible(state) <= eligible(more)


@examples
@given(queues(unknown_priorities=True))
def test_a_change_of_nothing_is_new_to_nobody(state):
    assessment = assess(state, Change())

    assert (assessment.newly_eligible, assessment.newly_possible, assessment.terminated) == ((), (), ())
    assert assessment.verdict in ("notice", "safe")
    assert not any(job.newly for job in assessment.jobs.values())


def test_f1_raising_a_limit_can_make_a_job_of_that_share_stoppable():
    jobs = (running("a1", "a", priority=1), running("a2", "a", priority=1), waiting("a3", "a", 3, priority=5))
    low = queue(share("a", 2, "RESERVE", in_share=True), *jobs)
    high = queue(share("a", 3, "RESERVE", in_share=True), *jobs)

    assert (explain(low, "a3").outcome, explain(low, "a3").preempted) == ("never_fits", ())
    assert explain(high, "a3").certain == ("a1", "a2")


def test_f2_a_smaller_need_can_have_a_larger_possible_set():
    def asking(amount: int) -> QueueState:
        return queue(
            share("a", 4, "LEND_AND_BORROW"),
            share("b", 4),
            running("two", "a", 2),
            running("three", "a", 3),
            running("more", "a", 3),
            waiting("b1", "b", amount),
            environment=8,
        )

    assert explain(asking(3), "b1").possible == ("more", "three")
    assert explain(asking(2), "b1").possible == ("more", "three", "two")


def test_f3_the_job_of_lowest_priority_can_be_spared():
    state = queue(
        share("a", 6, "RESERVE", in_share=True),
        running("low", "a", 1, priority=1),
        running("mid", "a", 2, priority=2),
        running("high", "a", 3, priority=3),
        waiting("new", "a", 2, priority=3),
    )

    assert explain(state, "new").preempted == ("mid",)


def test_f4_the_default_set_is_not_always_the_smallest():
    state = queue(
        share("alpha", 50, "LEND_AND_BORROW", borrow=100),
        share("beta", 50, "LEND_AND_BORROW", borrow=20, in_share=True),
        running("low-1", "beta", 30, priority=4),
        running("low-2", "beta", 10, priority=3),
        running("borrower", "alpha", 60, priority=5),
        waiting("new", "beta", 20, priority=5),
    )

    assert explain(state, "new").preempted == ("borrower", "low-2")
    assert (assess(state).bounds.jobs, assess(state).bounds.instances) == ((1, 2), (30, 70))


def test_f5_raising_a_limit_can_hurt_others():
    jobs = (running("a1", "a", 4), waiting("a2", "a", 2))
    shares = (share("a", 4, "LEND_AND_BORROW"), share("b", 4))

    before = queue(*shares, share("c", 2, "RESERVE"), *jobs, environment=10)
    after = queue(*shares, share("c", 6, "RESERVE"), *jobs, environment=10)

    assert (explain(before, "a2").outcome, explain(after, "a2").outcome) == ("dispatch", "wait")


def test_f6_the_share_that_loses_a_job_can_borrow_what_is_left_over():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"),
        share("b", 9),
        running("big", "a", 10, priority=1),
        waiting("b1", "b", 1),
        waiting("a2", "a", 3),
    )

    assessment = assess(state)

    assert (assessment.certain, assessment.starts) == (("big",), ("a2", "b1"))
