"""What the eager knobs would cut at once: exactly the jobs above what a share may hold, or above the environment."""

from __future__ import annotations

from builders import queue, running, share

from quota_scheduler import Change, Knobs, assess

EAGER = Knobs(reduction_mode="eager")
STATE = queue(
    share("a", 4, "RESERVE"),
    share("b", 4),
    running("old", "a", 2, hours=9, priority=5),
    running("new", "a", 1, hours=1, priority=5),
    running("low", "a", 1, hours=5, priority=1),
    running("b1", "b", 1),
)
CUT = Change(shares={"a": {"limits": {"ml.g5.xlarge": 2}}})


def test_by_default_a_cut_stops_nobody():
    assessment = assess(STATE, CUT)

    assert (assessment.verdict, assessment.possible) == ("at_risk", ())


def test_an_eager_cut_stops_what_is_above_the_limit():
    assessment = assess(STATE, CUT, EAGER)

    assert assessment.verdict == "disruptive"
    assert (assessment.possible, assessment.likely, assessment.certain) == (
        ("low", "new", "old"),
        ("low", "new"),
        (),
    )
    assert (assessment.bounds.jobs, assessment.bounds.instances) == ((1, 2), (2, 2))
    assert assessment.bounds.gpu_hours == (6.0, 18.0)


def test_the_default_names_the_jobs_that_an_eager_cut_would_stop():
    assumed = {each.knob: each.affects for each in assess(STATE, CUT).assumptions}

    assert assumed["reduction_mode"] == ("low", "new", "old")


def test_a_borrower_is_cut_down_to_what_it_may_hold():
    state = queue(
        share("a", 2, "LEND_AND_BORROW", borrow=50), share("b", 8), running("a1", "a", 2), running("a2", "a", 2)
    )

    assert assess(state, knobs=EAGER).possible == ("a1", "a2")
    assert assess(state, Change(shares={"a": {"borrow_limit_percent": 100}}), EAGER).possible == ()


def test_an_eager_environment_stops_the_lowest_priority_of_all_shares():
    change = Change(environment={"ml.g5.xlarge": 4})

    eager = assess(STATE, change, Knobs(env_reduction="eager"), allow_oversubscription=True)
    by_default = assess(STATE, change, allow_oversubscription=True)

    assert (eager.likely, eager.bounds.jobs) == (("low",), (1, 1))
    assert by_default.possible == ()
