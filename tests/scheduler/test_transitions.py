"""What decisions do to a state: who starts at once, who waits for room, and who gets what a stopped job frees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import NOON, queue, running, share, waiting
from scheduler_support import jobs_by_id

from quota_scheduler import Knobs, apply_decisions, cycle, end_stopped
from quota_scheduler.transitions import dispatched, requeued


def statuses(state):
    return {job.id: (job.status, job.stopping_for) for job in state.jobs}


def test_a_job_that_fits_is_scheduled_now():
    state = queue(share("a", 2), waiting("a1", "a"))
    before = state.to_dict()

    after = apply_decisions(state, cycle(state))

    job = jobs_by_id(after)["a1"]
    assert (job.status, job.scheduled_at, job.started_at) == ("SCHEDULED", NOON, None)
    assert state.to_dict() == before


def test_jobs_to_be_stopped_hold_their_room_until_they_end():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"), share("b", 3), running("a1", "a", 4), waiting("b1", "b"), waiting("a2", "a")
    )

    after = apply_decisions(state, cycle(state))

    assert statuses(after) == {"a1": ("RUNNING", "b1"), "b1": ("RUNNABLE", None), "a2": ("RUNNABLE", None)}
    assert statuses(end_stopped(after, "a1")) == {
        "a1": ("RUNNABLE", None),
        "b1": ("SCHEDULED", None),
        "a2": ("RUNNABLE", None),
    }


def test_what_the_first_of_two_frees_is_held_until_the_second_has_ended():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"),
        share("b", 3),
        running("a1", "a", 2, hours=2),
        running("a2", "a", 2, hours=1),
        waiting("b1", "b", 3),
    )
    both = apply_decisions(state, cycle(state))

    first = end_stopped(both, "a1")
    last = end_stopped(first, "a2")

    assert statuses(first) == {
        "a1": ("RUNNABLE", None),
        "a2": ("RUNNING", "b1"),
        "b1": ("RUNNABLE", None),
        "a1/held": ("RUNNING", "b1"),
    }
    assert [(each.job, each.outcome) for each in cycle(first)] == [("b1", "dispatch"), ("a1", "wait")]
    assert statuses(apply_decisions(first, cycle(first))) == statuses(first)
    assert statuses(last) == {"a1": ("RUNNABLE", None), "a2": ("RUNNABLE", None), "b1": ("SCHEDULED", None)}


def test_the_room_is_free_for_all_when_the_preemptor_is_gone():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"), share("b", 1), running("a1", "a", 2, stopping_for="gone"), waiting("b1", "b")
    )

    after = end_stopped(state, "a1")

    assert statuses(after) == {"a1": ("RUNNABLE", None), "b1": ("RUNNABLE", None)}


@pytest.mark.parametrize(
    ("retries", "count", "want"),
    [(None, 9, "RUNNABLE"), (0, 0, "FAILED"), (2, 0, "RUNNABLE"), (2, 1, "RUNNABLE"), (2, 2, "FAILED")],
)
def test_a_stopped_job_waits_again_until_its_retries_are_used_up(retries, count, want):
    job = requeued(running("a1", "a", retries=retries, preempted=count), NOON)

    assert (job.status, job.preempted_attempt_count) == (want, count + 1)
    assert (job.scheduled_at, job.started_at, job.stopping_for, job.expected_end) == (None, None, None, None)


def test_a_stopped_job_queues_by_its_submission_or_by_its_preemption():
    job = running("a1", "a", hours=2)

    assert requeued(job, NOON).created_at == job.created_at
    assert requeued(job, NOON, Knobs(requeue_time="preempted_at")).created_at == NOON


def test_a_job_that_starts_anew_has_no_known_checkpoint():
    again = requeued(running("a1", "a", hours=2, checkpoint_hours=1), NOON)

    assert again.checkpointed_at is None
    assert dispatched(replace(again, checkpointed_at=NOON), NOON + 1).checkpointed_at is None


@pytest.mark.parametrize("job_id", ["a1", "a2", "none"])
def test_fails_for_a_job_that_is_not_being_stopped(job_id):
    state = queue(share("a", 2), running("a1", "a"), waiting("a2", "a"))

    with pytest.raises(ValueError, match=f"job {job_id} is not being stopped"):
        end_stopped(state, job_id)
