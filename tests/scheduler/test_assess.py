"""What an assessment says: rows, risks, losses, bounds, verdicts; each in the smallest queue that shows it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from builders import TYPE, queue, running, share, waiting
from hypothesis import given
from scheduler_support import OTHER_TYPE, examples, queues

from quota_scheduler import VERDICTS, Assessment, Bounds, Change, DocumentError, JobRisk, assess


def limits(amount: int) -> dict[str, object]:
    return {"limits": {TYPE: amount}}


FULL = queue(share("a", 4), share("b", 4), running("a1", "a", 4), running("b1", "b", 2))

VERDICT_CASES = [
    ("more than the environment has", FULL, Change(shares={"a": limits(5)}), "invalid"),
    ("a share with work is removed", FULL, Change(shares={"a": None}), "destructive"),
    (
        "a waiting job can never run again",
        queue(share("a", 4), waiting("a1", "a", 4)),
        Change(shares={"a": limits(3)}),
        "destructive",
    ),
    (
        "an owner comes to claim what was cut",
        queue(share("a", 4), share("b", 4), running("a1", "a", 4), running("b1", "b", 4), waiting("b2", "b", 2)),
        Change(shares={"a": limits(2), "b": limits(6)}),
        "disruptive",
    ),
    (
        "in-share preemption is switched on with a higher priority waiting",
        queue(share("a", 1), running("a1", "a", priority=1), waiting("a2", "a", priority=2)),
        Change(shares={"a": {"in_share_preemption": True}}),
        "disruptive",
    ),
    ("a cut below the usage that nobody claims", FULL, Change(shares={"a": limits(3)}), "at_risk"),
    (
        "a share further above its limit",
        queue(share("a", 2, "LEND_AND_BORROW"), share("b", 4), running("a1", "a", 4)),
        Change(shares={"a": limits(1)}),
        "at_risk",
    ),
    (
        "a job would start before and not after",
        queue(share("a", 1, "LEND_AND_BORROW"), share("b", 2), waiting("a1", "a", 1), waiting("a2", "a", 1)),
        Change(shares={"a": {"borrow_limit_percent": 0}}),
        "notice",
    ),
    (
        "somebody is stopped with or without the change",
        queue(share("a", 1, "LEND_AND_BORROW"), share("b", 1), running("a1", "a", 2), waiting("b1", "b")),
        Change(environment={TYPE: 2}),
        "notice",
    ),
    (
        "the reach falls to the usage",
        queue(share("a", 2, "LEND_AND_BORROW"), share("b", 4), running("a1", "a", 2)),
        Change(shares={"a": {"strategy": "LEND"}}),
        "notice",
    ),
    (
        "a type is dropped that nobody uses",
        queue(share("a", {TYPE: 2, OTHER_TYPE: 1})),
        Change(shares={"a": limits(2)}),
        "notice",
    ),
    ("a raise", queue(share("a", 2), running("a1", "a", 2), environment=9), Change(shares={"a": limits(4)}), "safe"),
    ("nothing", FULL, Change(), "safe"),
    (
        "what was wrong before is no verdict",
        queue(share("a", 4), share("b", 4), environment=6),
        Change(shares={"a": {"in_share_preemption": True}}),
        "safe",
    ),
]


@pytest.mark.parametrize(
    ("state", "change", "want"), [case[1:] for case in VERDICT_CASES], ids=[case[0] for case in VERDICT_CASES]
)
def test_verdict(state, change, want):
    before = state.to_dict()

    assessment = assess(state, change)

    assert assessment.verdict == want
    assert state.to_dict() == before
    json.dumps(assessment.to_dict(), allow_nan=False)


def test_every_verdict_has_a_case():
    assert {case[3] for case in VERDICT_CASES} == set(VERDICTS)


def test_oversubscription_is_no_error_where_it_is_allowed():
    change = Change(shares={"a": limits(5)})

    assert assess(FULL, change, allow_oversubscription=True).verdict == "safe"


def test_rows_tell_limits_and_usage_before_and_after():
    state = queue(
        share("a", {TYPE: 4, OTHER_TYPE: 1}, "LEND_AND_BORROW", borrow=50),
        share("old", 2),
        share("free", 1, "LEND_AND_BORROW"),
        running("a1", "a", 5),
        running("old1", "old", 3),
        environment={TYPE: 20, OTHER_TYPE: 4},
    )
    change = Change(shares={"a": limits(3), "old": None, "new": {"limits": {TYPE: 1}, "strategy": "RESERVE"}})

    assessment = assess(state, change)

    def row(*values: int | None) -> dict[str, int | None]:
        names = ("limit_before", "limit_after", "usage", "over_before", "over_after", "borrow_cap_after")
        return dict(zip(names, values, strict=True))

    assert assessment.to_dict()["shares"] == {
        "a": {TYPE: row(4, 3, 5, 1, 2, 4), OTHER_TYPE: row(1, 0, 0, 0, 0, 0)},
        "free": {TYPE: row(1, 1, 0, 0, 0, None)},
        "new": {TYPE: row(None, 1, 0, 0, 0, 1)},
        "old": {TYPE: row(2, None, 0, 1, 0, None)},
    }
    assert assessment.over_after == {"a": 2}


def test_every_job_has_the_first_risk_that_holds():
    state = queue(
        share("a", 1, "LEND_AND_BORROW"),
        share("b", 4),
        share("c", 1),
        share("d", 1),
        share("gone", 1),
        running("leaving", "d", 1, stopping_for="b1"),
        running("taken", "a", 3, hours=2, owner="ann"),
        running("left", "a", 2, hours=4, checkpoint_hours=1, priority=9, retries=0),
        running("going", "a", 1, stopping_for="b1"),
        running("fine", "b", 1),
        running("removed", "gone", 1),
        waiting("b1", "b", 2),
        waiting("huge", "c", 2, priority=9),
        waiting("behind", "c", 1),
        environment=8,
    )

    jobs = assess(state, Change(shares={"gone": None})).jobs

    assert {name: job.risk for name, job in jobs.items()} == {
        "b1": "safe",
        "behind": "blocked",
        "fine": "safe",
        "going": "eligible",
        "huge": "never_fits",
        "leaving": "stopping",
        "left": "eligible",
        "removed": "terminated",
        "taken": "eligible",
    }
    assert jobs["going"].sentence == jobs["leaving"].sentence == "is being stopped for b1"
    assert jobs["taken"] == JobRisk(
        "a",
        "eligible",
        newly=False,
        after_preemption="requeued",
        loss_gpu_hours=(0.0, 6.0),
        owner="ann",
        sentence=f"could be stopped: a uses 6 of 1 {TYPE}, but nothing that waits now claims it",
    )
    assert (jobs["left"].after_preemption, jobs["left"].loss_gpu_hours) == ("failed", (2.0, 2.0))
    assert (jobs["removed"].newly, jobs["huge"].newly, jobs["b1"].after_preemption) == (True, False, None)
    assert jobs["behind"].sentence == "waits behind huge, which can never run"


def test_bounds_count_every_type_and_the_upper_loss():
    state = queue(
        share("a", {TYPE: 1, OTHER_TYPE: 4}, "LEND_AND_BORROW"),
        share("b", 4),
        running("wide", "a", {TYPE: 3, OTHER_TYPE: 2}, hours=1),
        running("small", "a", 2, hours=2, checkpoint_hours=1),
        waiting("b1", "b", 2),
        environment={TYPE: 5, OTHER_TYPE: 4},
    )

    assessment = assess(state)

    assert assessment.bounds == Bounds((1, 1), (2, 5), (2.0, 19.0))
    assert assessment.possible == ("small", "wide")


def test_a_job_that_has_not_started_loses_nothing():
    state = queue(share("a", 2), running("a1", "a", status="STARTING"), running("a2", "a", status="SCHEDULED"))

    assert {job.loss_gpu_hours for job in assess(state).jobs.values()} == {(0.0, 0.0)}


def test_an_unknown_type_counts_in_instance_hours():
    state = queue(share("a", {"ml.new.48xlarge": 2}), running("a1", "a", {"ml.new.48xlarge": 2}, hours=3))

    assert assess(state).jobs["a1"].loss_gpu_hours == (0.0, 6.0)


def test_what_is_certain_ends_with_the_first_choice_of_a_type():
    """b1 has a choice between two; c1 then takes the only one left, which is certain no more."""
    shares = (share("a", 1, "LEND_AND_BORROW"), share("b", 1), share("c", 1))
    jobs = (running("a1", "a", 1, hours=1), running("a2", "a", 2, hours=2), waiting("b1", "b", hours=2))

    assessment = assess(queue(*shares, *jobs, waiting("c1", "c")))

    assert (assessment.likely, assessment.certain) == (("a1", "a2"), ())


def test_two_steps_without_a_choice_are_certain_both():
    shares = (share("a", 1, "LEND_AND_BORROW"), share("d", 1, "RESERVE", in_share=True), share("b", 1))
    jobs = (running("a1", "a", 2), running("d1", "d", priority=1), waiting("b1", "b"), waiting("d2", "d"))

    assert assess(queue(*shares, *jobs)).certain == ("a1", "d1")


def test_jobs_in_other_statuses_are_ignored():
    jobs = tuple(
        replace(waiting(status, "a", 9), status=status) for status in ("SUBMITTED", "PENDING", "SUCCEEDED", "FAILED")
    )

    assessment = assess(queue(share("a", 1), *jobs), Change(shares={"a": None}))

    assert (assessment.jobs, assessment.terminated) == ({}, ())


def test_fails_for_a_change_of_another_queue():
    with pytest.raises(DocumentError, match=r"\$.shares.x: there is no share of this name to remove"):
        assess(FULL, Change(shares={"x": None}))


@examples
@given(queues(units=(TYPE, OTHER_TYPE), unknown_priorities=True))
def test_lists_are_sorted_and_the_document_is_json(state):
    assessment = assess(state, Change(shares={"s0": {"strategy": "RESERVE", "borrow_limit_percent": -1}}))
    document = assessment.to_dict()

    assert isinstance(assessment, Assessment)
    assert document == json.loads(json.dumps(document, allow_nan=False))
    for value in document.values():
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            assert value == sorted(value)
    assert list(document["jobs"]) == sorted(document["jobs"])
