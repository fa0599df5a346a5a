"""Who may be stopped until the queue comes to rest: everybody who really is, and the guarantee that AWS states."""

from __future__ import annotations

from builders import queue, running, share, waiting
from hypothesis import given
from scheduler_support import examples, queues

from quota_scheduler import apply_decisions, assess, cycle, eligible_until_settled, end_stopped


@examples
@given(queues(fits_environment=False, unknown_priorities=True))
def test_nobody_else_is_stopped_until_the_queue_is_at_rest(state):
    closed = eligible_until_settled(state)
    dispatched = {job.id for job in state.jobs if job.is_dispatched}

    assert set(assess(state).possible) <= closed
    for _ in range(len(state.jobs) + 1):
        after = apply_decisions(state, cycle(state))
        stopped = {job.id for job in after.jobs if job.stopping_for is not None}
        assert stopped & dispatched <= closed
        dispatched -= stopped
        for name in sorted(stopped):
            after = end_stopped(after, name)
        state = after


def test_a_stopped_job_may_have_another_stopped_in_its_share():
    """b1 takes a2's room; a2 waits again and has a higher priority than a1."""
    state = queue(
        share("a", 2, "LEND_AND_BORROW", in_share=True),
        share("b", 2),
        running("a1", "a", 2, priority=1, hours=9),
        running("a2", "a", 1, priority=5),
        running("b1", "b"),
        waiting("b2", "b"),
    )

    assert eligible_until_settled(state) == {"a1", "a2"}


def test_a_share_within_its_limits_that_does_not_borrow_is_safe_from_others():
    state = queue(
        share("a", 2, "LEND_AND_BORROW"),
        share("b", 2, "RESERVE"),
        share("c", 2, "LEND"),
        running("a1", "a", 3),
        running("b1", "b", 2),
        running("c1", "c", 1),
        waiting("c2", "c"),
        waiting("a2", "a"),
        waiting("b2", "b"),
    )

    assert eligible_until_settled(state) == {"a1"}


def test_a_borrower_within_its_limits_is_safe_until_it_borrows():
    shares = (share("a", 2, "LEND_AND_BORROW"), share("b", 2), share("c", 2))
    jobs = (running("a1", "a", 2), running("b1", "b", 1), waiting("b2", "b", 1))

    assert eligible_until_settled(queue(*shares, *jobs)) == frozenset()
    assert eligible_until_settled(queue(*shares, *jobs, waiting("a2", "a"))) == {"a1"}
