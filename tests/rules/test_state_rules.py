"""The rules on the state of a queue, on a submitted job, and what counts as an error of a change."""

import pytest

from quota_scheduler.job import Job
from quota_scheduler.rules import (
    UNKNOWN,
    Finding,
    JobConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    check_job,
    check_state,
    introduced_errors,
)
from quota_scheduler.share import Share
from quota_scheduler.state import QueueState, TimeLimitAction

G5 = "ml.g5.xlarge"

# The walkthrough of the service's own sample: three shares of one instance.
SAMPLE = QueueState(
    0,
    {G5: 3},
    {
        "QS1": Share("QS1", {G5: 1}, "LEND_AND_BORROW", 200, in_share_preemption=True),
        "QS2": Share("QS2", {G5: 1}, "LEND"),
        "QS3": Share("QS3", {G5: 1}, "RESERVE"),
    },
    (),
)


def oversubscribed(environment: int = 2, **more: int) -> QueueState:
    return QueueState(0, {G5: environment, **more}, SAMPLE.shares, ())


def found(state: QueueState, allow_oversubscription: bool = False) -> list[tuple[str, str]]:
    return [(finding.id, finding.where) for finding in check_state(state, allow_oversubscription)]


def test_the_sample_has_no_error_and_one_hint() -> None:
    assert [str(finding) for finding in check_state(SAMPLE)] == [
        (
            "shares.QS1.borrow_limit_percent: the borrow limit of share QS1 allows 2 ml.g5.xlarge, the other lending "
            "shares own 1: no more than that can be borrowed [QS019]"
        )
    ]


def test_oversubscription_is_an_error_unless_allowed() -> None:
    assert found(oversubscribed()) == [("QS009", f"environment.{G5}"), ("QS019", "shares.QS1.borrow_limit_percent")]
    assert found(oversubscribed(), allow_oversubscription=True) == [
        ("QS019", "shares.QS1.borrow_limit_percent"),
        ("QS041", f"environment.{G5}"),
    ]


def test_a_share_that_does_not_borrow_has_no_borrow_limit() -> None:
    reserve = Share("a", {G5: 1}, "RESERVE", 50)
    assert found(QueueState(0, {G5: 1}, {"a": reserve}, ())) == [("QS004", "shares.a.borrow_limit_percent")]


def test_priorities_that_no_job_can_have_and_time_limits() -> None:
    state = QueueState(
        0,
        {G5: 1},
        {"a": Share("a", {G5: 1}, "RESERVE")},
        tuple(
            Job(f"j{number}", "a", {G5: 1}, "RUNNABLE", priority=priority)
            for number, priority in enumerate((None, 0, 9999, 10_000, -1))
        ),
        time_limit_actions=(TimeLimitAction("CAPACITY", 60, "CANCEL"),),
    )
    assert found(state) == [
        ("QS025", "time_limit_actions.0.reason"),
        ("QS026", "time_limit_actions.0.max_time_seconds"),
        ("QS027", "time_limit_actions.0.action"),
        ("QS036", "jobs.j3.priority"),
        ("QS036", "jobs.j4.priority"),
    ]


def test_only_errors_that_are_new_count() -> None:
    before, after = check_state(oversubscribed(2)), check_state(oversubscribed(1))
    assert introduced_errors((), before) == tuple(finding for finding in before if finding.id == "QS009")
    assert introduced_errors(before, after) == (), "the sum was too high before"
    assert introduced_errors(after, check_state(SAMPLE)) == (), "errors that went away"


def test_a_second_error_beside_an_old_one_is_new() -> None:
    old = Finding("QS009", "error", f"environment.{G5}", "too much")
    new = Finding("QS009", "error", "environment.ml.p5.48xlarge", "too much")
    hint = Finding("QS010", "warning", "environment.ml.m5.large", "too little")
    assert introduced_errors((old,), (hint, new, old)) == (new,)


QUEUE = QueueConfiguration(shares=(ShareConfiguration(name="research", limits=()), ShareConfiguration(name="vision")))


@pytest.mark.parametrize(
    ("job", "want"),
    [
        pytest.param(JobConfiguration(name="train", share="research", priority=5, tags={"team": "x"}), [], id="a job"),
        pytest.param(JobConfiguration(name="train", share="research", priority=None), [], id="without priority"),
        pytest.param(
            JobConfiguration(name="a b", share="Vision", priority=-1, attempts=0, preemption_retries=-1, tags={"": ""}),
            [
                "job.name",
                "job.tags.",
                "job.priority",
                "job.preemption_retries_before_termination",
                "job.attempts",
                "job.share",
            ],
            id="everything wrong at once",
        ),
        pytest.param(JobConfiguration(share=None), ["job.share"], id="no share"),
        pytest.param(JobConfiguration(name=UNKNOWN, share=UNKNOWN), [], id="nothing known"),
    ],
)
def test_check_job_finds_what_is_wrong_with_the_job_alone(job: JobConfiguration, want: list[str]) -> None:
    assert [finding.where for finding in check_job(job, QUEUE)] == want


def test_check_job_without_a_queue_does_not_know_its_shares() -> None:
    assert check_job(JobConfiguration(name="train", share="anything")) == ()
