"""Whatever is advised holds: applied to the state, it gives what it promises."""

from dataclasses import replace
from typing import TYPE_CHECKING

from advice_support import NOW, TYPE, later
from hypothesis import given, settings
from hypothesis import strategies as st

from quota_scheduler.assess import assess
from quota_scheduler.change import Change, apply_change, parse_change
from quota_scheduler.job import Job
from quota_scheduler.share import STRATEGIES, Share
from quota_scheduler.state import QueueState
from quota_scheduler.timestamp import parse_timestamp

if TYPE_CHECKING:
    from quota_scheduler.advice import Advice

HALF_HOUR = 1_800_000
NAMES = ("A", "B", "C")
share_members = st.fixed_dictionaries(
    {},
    optional={
        "limits": st.integers(1, 6).map(lambda amount: {TYPE: amount}),
        "strategy": st.sampled_from(STRATEGIES),
        "in_share_preemption": st.booleans(),
    },
)
jobs = st.builds(
    lambda share, amount, priority, is_waiting, age, ends: Job(
        "",
        share,
        {TYPE: amount},
        "RUNNABLE" if is_waiting else "RUNNING",
        priority=priority,
        created_at=NOW - (age + 1) * HALF_HOUR,
        started_at=None if is_waiting else NOW - age * HALF_HOUR,
        expected_end=None if is_waiting or ends is None else NOW + ends * HALF_HOUR,
    ),
    st.sampled_from(NAMES),
    st.integers(1, 4),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 20),
    st.none() | st.integers(1, 9),
)


@st.composite
def states(draw: st.DrawFn) -> QueueState:
    """A queue whose dispatched jobs fit the environment, over or within the limits of their shares."""
    shares = {
        name: Share(
            name,
            {TYPE: draw(st.integers(1, 5))},
            draw(st.sampled_from(STRATEGIES)),
            in_share_preemption=draw(st.booleans()),
        )
        for name in NAMES
    }
    environment = sum(share.limits[TYPE] for share in shares.values())
    kept: list[Job] = []
    used = 0
    for number, job in enumerate(draw(st.lists(jobs, min_size=1, max_size=8))):
        if job.is_dispatched:
            if used + job.uses[TYPE] > environment:
                continue
            used += job.uses[TYPE]
        kept.append(replace(job, id=f"j{number}"))
    return QueueState(NOW, {TYPE: environment}, shares, tuple(kept))


changes = st.builds(
    Change,
    st.none() | st.integers(1, 14).map(lambda amount: {TYPE: amount}),
    st.dictionaries(st.sampled_from(NAMES), st.none() | share_members, max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(states(), changes)
def test_advice_holds(state: QueueState, change: Change) -> None:
    unchanged = replace(state)
    assessment = assess(state, change)
    for advice in assessment.advice:
        CHECKS[advice.kind](state, change, advice)
        assert advice.sentence
        assert not advice.sentence.endswith(".")
    assert state == unchanged


def _holds_wait(state: QueueState, change: Change, advice: "Advice") -> None:
    then, _ = later(state, _at(advice))
    assessment = assess(then, change)
    if assess(state, change).verdict == "at_risk":
        assert assessment.verdict in ("notice", "safe")
    else:
        assert (assessment.possible, assessment.terminated, assessment.bounds.jobs) == ((), (), (0, 0))


def _holds_order(state: QueueState, change: Change, advice: "Advice") -> None:
    first, then = _change(advice, "first"), _change(advice, "then")
    now = assess(state, first)
    assert (now.possible, now.terminated) == ((), ())
    between, stopped = later(apply_change(state, first), _at(advice))
    assert stopped == set()
    granted = assess(between, then)
    assert (granted.possible, granted.terminated) == ((), ())
    assert apply_change(apply_change(state, first), then) == apply_change(state, change)


def _holds_priority(state: QueueState, change: Change, advice: "Advice") -> None:
    edits = advice.data["priorities"]
    assert isinstance(edits, dict)
    edited = replace(state, jobs=tuple(replace(job, priority=edits.get(job.id, job.priority)) for job in state.jobs))
    before, after = assess(state, change), assess(edited, change)
    assert after.starts == before.starts
    assert list(after.likely) == advice.data["likely"]
    lost = round(sum(after.jobs[job_id].loss_gpu_hours[1] for job_id in after.likely), 3)
    assert lost < round(sum(before.jobs[job_id].loss_gpu_hours[1] for job_id in before.likely), 3)
    assert (lost <= round(before.bounds.gpu_hours[0], 3)) == advice.data["is_lower_bound"]
    assert set(assess(edited).likely) - set(assess(state).possible) == set(), "nobody is stopped by the edit itself"


def _holds_keep_limit(state: QueueState, change: Change, advice: "Advice") -> None:
    ids = advice.data["jobs"]
    assert isinstance(ids, list)
    kept = change
    if "environment" in advice.data:
        kept = Change(parse_change({"environment": advice.data["environment"]}).environment, change.shares)
    else:
        name = advice.data["share"]
        assert isinstance(name, str)
        members = {**(change.shares[name] or {}), "limits": advice.data["limits"]}
        kept = Change(change.environment, {**change.shares, name: members})
    assert set(ids) <= set(assess(state, change).never_fits)
    assert set(ids).isdisjoint(assess(state, kept).never_fits)


def _holds_disable_first(state: QueueState, change: Change, advice: "Advice") -> None:
    name = advice.data["share"]
    assert isinstance(name, str)
    assert change.shares[name] is None
    first = assess(state, _change(advice, "first"))
    assert (first.terminated, first.newly_possible) == ((), ())
    done = replace(state, jobs=tuple(job for job in state.jobs if job.share != name))
    assert assess(done, Change(shares={name: None})).terminated == ()


CHECKS = {
    "wait": _holds_wait,
    "order": _holds_order,
    "priority": _holds_priority,
    "keep_limit": _holds_keep_limit,
    "disable_first": _holds_disable_first,
}


def _at(advice: "Advice") -> int:
    at = advice.data["at"]
    assert isinstance(at, str)
    return parse_timestamp(at)


def _change(advice: "Advice", part: str) -> Change:
    document = advice.data[part]
    assert isinstance(document, dict)
    return parse_change(document)
