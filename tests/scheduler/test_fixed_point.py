"""With no new arrivals the queue comes to rest, from any state: nobody is stopped back and forth."""

from __future__ import annotations

from builders import TYPE, queue, running, share, waiting
from hypothesis import given
from hypothesis import strategies as st
from scheduler_support import OTHER_TYPE, examples, jobs_by_id, queues

from quota_scheduler import QueueState, cycle
from quota_scheduler.transitions import apply_decisions, end_stopped


def stopping(state: QueueState) -> list[str]:
    return sorted(job.id for job in state.jobs if job.stopping_for is not None and not job.id.endswith("/held"))


def settle(state: QueueState) -> int:
    """Decide, apply and let the stopped jobs end until nothing changes; give the number of steps that changed."""
    for step in range(len(state.jobs) + 2):
        after = apply_decisions(state, cycle(state))
        for name in stopping(after):
            after = end_stopped(after, name)
        if after == state:
            return step
        state = after
    raise AssertionError(f"not at rest after {len(state.jobs) + 2} steps")


@examples
@given(queues(units=(TYPE, OTHER_TYPE), fits_environment=False, unknown_priorities=True))
def test_every_queue_comes_to_rest_within_jobs_and_one_steps(state):
    assert settle(state) <= len(state.jobs) + 1


@examples
@given(queues(fits_environment=False), st.randoms(use_true_random=False))
def test_every_queue_comes_to_rest_when_jobs_stop_at_different_times(state, random):
    """Between two ends everybody decides anew; what the first one freed is held for the job it was stopped for."""
    moves = 0
    stops = 0
    while True:
        before = state
        state = apply_decisions(state, cycle(state))
        names = stopping(state)
        stops += len(set(names) - set(stopping(before)))
        if names:
            state = end_stopped(state, random.choice(names))
        if state == before:
            break
        moves += 1
        assert moves <= 2 * (len(state.jobs) + 1) ** 2
    assert stops <= len(state.jobs) ** 2
    assert not any(job.stopping_for for job in state.jobs)


def test_two_stopped_jobs_that_end_apart_free_their_room_for_the_owner_only():
    """a1 ends first; without the hold a9 would borrow its room, and a third job would be stopped for b1."""
    state = queue(
        share("a", 1, "LEND_AND_BORROW"),
        share("b", 3, "LEND"),
        running("a1", "a", 1, hours=3),
        running("a2", "a", 1, hours=1),
        running("a3", "a", 2, hours=2),
        waiting("a9", "a", 1, hours=9),
        waiting("b1", "b", 2, hours=1),
    )
    first = apply_decisions(state, cycle(state))
    assert stopping(first) == ["a2", "a3"] or stopping(first) == ["a3"]

    state = first
    while names := stopping(state):
        state = end_stopped(state, names[0])
        state = apply_decisions(state, cycle(state))
        assert jobs_by_id(state)["a9"].status != "SCHEDULED" or jobs_by_id(state)["b1"].status == "SCHEDULED"

    assert jobs_by_id(state)["b1"].status == "SCHEDULED"
    assert not any(job.id.endswith("/held") for job in state.jobs)
