"""A queue at the moments at which its jobs end, with what starts and stops on the way."""

from quota_scheduler.advice.outlook import outlook, settle
from quota_scheduler.job import Job
from quota_scheduler.knobs import Knobs
from quota_scheduler.share import Share
from quota_scheduler.state import QueueState

G5 = "ml.g5.xlarge"
HOUR = 3_600_000
NOW = 1000 * HOUR


def running(job_id: str, share: str, amount: int, ends_in: int | None = None) -> Job:
    """A job that began ten hours ago and ends in some hours, if that is known."""
    return Job(
        job_id,
        share,
        {G5: amount},
        "RUNNING",
        priority=5,
        created_at=NOW - 11 * HOUR,
        started_at=NOW - 10 * HOUR,
        expected_end=None if ends_in is None else NOW + ends_in * HOUR,
    )


def waiting(job_id: str, share: str, amount: int, priority: int = 5) -> Job:
    return Job(job_id, share, {G5: amount}, "RUNNABLE", priority=priority, created_at=NOW - HOUR)


def queue(*jobs: Job, **shares: Share) -> QueueState:
    return QueueState(
        NOW, {G5: 8}, shares or {"a": Share("a", {G5: 4}, "LEND"), "b": Share("b", {G5: 4}, "LEND")}, jobs
    )


def statuses(state: QueueState) -> dict[str, str]:
    return {job.id: job.status for job in state.jobs}


def test_moments_are_the_expected_ends_in_order() -> None:
    jobs = (running("a1", "a", 2, 5), running("a2", "a", 2, 1), running("b1", "b", 4))
    moments = list(outlook(queue(*jobs), Knobs()))
    assert [(moment.state.at - NOW) // HOUR for moment in moments] == [1, 5]
    assert [sorted(statuses(moment.state)) for moment in moments] == [["a1", "b1"], ["b1"]]


def test_who_waits_starts_as_soon_as_there_is_room() -> None:
    state = queue(running("a1", "a", 3, 2), running("a2", "a", 1), waiting("a3", "a", 3))
    (moment,) = outlook(state, Knobs())
    assert statuses(moment.state) == {"a2": "RUNNING", "a3": "RUNNING"}
    started = next(job for job in moment.state.jobs if job.id == "a3")
    assert (started.started_at, started.expected_end) == (NOW + 2 * HOUR, None)


def test_an_end_that_is_over_is_no_end() -> None:
    assert list(outlook(queue(running("a1", "a", 2, -1)), Knobs())) == []


def test_a_stopped_job_is_put_back_and_told() -> None:
    shares = {"a": Share("a", {G5: 4}, "LEND_AND_BORROW"), "b": Share("b", {G5: 4}, "LEND")}
    before = queue(running("a1", "a", 4), running("a2", "a", 4), waiting("b1", "b", 4), **shares)
    moment = settle(before, Knobs())
    assert moment.stopped == {"a1"} or moment.stopped == {"a2"}
    (stopped,) = moment.stopped
    assert statuses(moment.state)[stopped] == "RUNNABLE"
    assert statuses(moment.state)["b1"] == "RUNNING"
    assert statuses(before) == {"a1": "RUNNING", "a2": "RUNNING", "b1": "RUNNABLE"}, "the state before is as it was"


def test_a_job_without_retries_left_fails() -> None:
    shares = {"a": Share("a", {G5: 4}, "LEND_AND_BORROW"), "b": Share("b", {G5: 4}, "LEND")}
    last = Job("a1", "a", {G5: 8}, "RUNNING", priority=5, started_at=NOW, preemption_retries_before_termination=0)
    assert statuses(settle(queue(last, waiting("b1", "b", 4), **shares), Knobs()).state)["a1"] == "FAILED"


def test_a_job_that_is_being_stopped_leaves_when_its_successor_starts() -> None:
    shares = {"a": Share("a", {G5: 4}, "LEND_AND_BORROW"), "b": Share("b", {G5: 4}, "LEND")}
    leaving = Job("a1", "a", {G5: 8}, "RUNNING", priority=5, started_at=NOW, stopping_for="b1")
    moment = settle(queue(leaving, waiting("b1", "b", 4), **shares), Knobs())
    assert statuses(moment.state) == {"a1": "RUNNABLE", "b1": "RUNNING"}
    assert moment.stopped == frozenset()
