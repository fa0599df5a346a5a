"""A change cut in two: what takes away first, what gives later, and both together are the whole change."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quota_scheduler.advice.phases import cuts_and_grants
from quota_scheduler.change import Change, apply_change
from quota_scheduler.share import STRATEGIES, Share
from quota_scheduler.state import QueueState

G5, P5 = "ml.g5.xlarge", "ml.p5.48xlarge"


def state(**shares: Share) -> QueueState:
    return QueueState(0, {G5: 16, P5: 16}, shares, ())


A = Share("a", {G5: 8}, "LEND")
B = Share("b", {G5: 8, P5: 2}, "LEND_AND_BORROW", 100)

SPLITS = [
    pytest.param(
        Change(shares={"a": {"limits": {G5: 4}}, "b": {"limits": {G5: 12, P5: 2}}}),
        Change(shares={"a": {"limits": {G5: 4}}}),
        Change(shares={"b": {"limits": {G5: 12, P5: 2}}}),
        id="one share is cut for another",
    ),
    pytest.param(
        Change(shares={"b": {"limits": {G5: 4, P5: 4}}}),
        Change(shares={"b": {"limits": {G5: 4, P5: 2}}}),
        Change(shares={"b": {"limits": {G5: 4, P5: 4}}}),
        id="one type is cut for another in the same share",
    ),
    pytest.param(
        Change(environment={G5: 12, P5: 20}, shares={"a": {"limits": {G5: 4}}}),
        Change({G5: 12, P5: 16}, {"a": {"limits": {G5: 4}}}),
        Change({G5: 12, P5: 20}, {}),
        id="the environment loses one type and gains another",
    ),
    pytest.param(
        Change(shares={"b": {"borrow_limit_percent": 0}, "a": {"strategy": "LEND_AND_BORROW"}}),
        Change(shares={"b": {"strategy": "LEND_AND_BORROW", "borrow_limit_percent": 0}}),
        Change(shares={"a": {"strategy": "LEND_AND_BORROW", "borrow_limit_percent": -1}}),
        id="who may borrow changes",
    ),
    pytest.param(
        Change(shares={"a": None, "c": {"limits": {G5: 8}, "strategy": "LEND"}}),
        Change(shares={"a": None}),
        Change(shares={"c": {"limits": {G5: 8}, "strategy": "LEND"}}),
        id="one share goes, another comes",
    ),
]


@pytest.mark.parametrize(("change", "want_cuts", "want_grants"), SPLITS)
def test_splits(change: Change, want_cuts: Change, want_grants: Change) -> None:
    phases = cuts_and_grants(state(a=A, b=B), change)
    assert phases is not None
    cuts, grants = phases
    assert (cuts.to_dict().get("shares", {}), cuts.environment) == (
        want_cuts.to_dict()["shares"],
        want_cuts.environment,
    )
    assert (grants.to_dict().get("shares", {}), grants.environment) == (
        want_grants.to_dict()["shares"],
        want_grants.environment,
    )


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(Change(), id="nothing changes"),
        pytest.param(Change(shares={"a": {"limits": {G5: 4}}}), id="only a cut"),
        pytest.param(Change(shares={"a": {"limits": {G5: 9}}}), id="only a grant"),
        pytest.param(Change(shares={"a": {"limits": {P5: 4}}}), id="a share would have no type in between"),
    ],
)
def test_has_no_two_parts(change: Change) -> None:
    assert cuts_and_grants(state(a=A, b=B), change) is None


amounts = st.dictionaries(st.sampled_from((G5, P5, "ml.m5.large")), st.integers(1, 9), min_size=1)
members = st.fixed_dictionaries(
    {},
    optional={
        "limits": amounts,
        "strategy": st.sampled_from(STRATEGIES),
        "in_share_preemption": st.booleans(),
        "state": st.sampled_from(("ENABLED", "DISABLED")),
        "borrow_limit_percent": st.sampled_from((-1, 0, 50, 100)),
    },
)
changes = st.builds(
    Change,
    st.none() | amounts,
    st.fixed_dictionaries(
        {},
        optional={
            "a": st.none() | members,
            "b": members,
            "c": st.fixed_dictionaries({"limits": amounts, "strategy": st.sampled_from(STRATEGIES)}),
        },
    ),
)


@settings(deadline=None)
@given(changes)
def test_both_parts_together_are_the_change(change: Change) -> None:
    before = state(a=A, b=B)
    phases = cuts_and_grants(before, change)
    if phases is None:
        return
    cuts, grants = phases
    between = apply_change(before, cuts)
    assert apply_change(between, grants) == apply_change(before, change)


@settings(deadline=None)
@given(changes)
def test_the_first_part_gives_nobody_more(change: Change) -> None:
    before = state(a=A, b=B)
    phases = cuts_and_grants(before, change)
    if phases is None:
        return
    between = apply_change(before, phases[0])
    assert set(between.shares) <= set(before.shares)
    for name, share in between.shares.items():
        old: Any = before.shares[name]
        assert all(amount <= old.limits[unit] for unit, amount in share.limits.items())
        assert share.in_share_preemption <= old.in_share_preemption
    assert all(amount <= before.environment[unit] for unit, amount in between.environment.items())
