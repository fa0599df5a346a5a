"""Changes: read, written exactly as given, and applied to a state."""

from __future__ import annotations

import json

import pytest
from builders import TYPE, queue, running, share, waiting

from quota_scheduler import Change, DocumentError, Share, apply_change, parse_change

STATE = queue(
    share("a", 4, "LEND_AND_BORROW", borrow=50, in_share=True), share("b", 4), running("b1", "b"), waiting("a1", "a")
)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"shares": {}},
        {"environment": {TYPE: 9}},
        {"shares": {"a": {}, "b": None, "c": {"limits": {TYPE: 1}, "strategy": "LEND"}}},
        {"shares": {"a": {"limits": {TYPE: 2}, "borrow_limit_percent": 0, "state": "DISABLED"}}},
    ],
    ids=["nothing", "no shares", "environment", "shares", "members"],
)
def test_a_change_is_written_as_it_was_given(given):
    assert parse_change(json.dumps({"version": 1, **given}), STATE).to_dict() == given
    assert parse_change(given, STATE).to_dict() == given


def test_only_what_is_given_changes():
    before = STATE.to_dict()

    after = apply_change(STATE, Change({TYPE: 9}, {"a": {"limits": {TYPE: 2}}}))

    assert after.environment == {TYPE: 9}
    assert after.shares["a"] == Share("a", {TYPE: 2}, "LEND_AND_BORROW", 50, True)
    assert (after.shares["b"], after.jobs) == (STATE.shares["b"], STATE.jobs)
    assert STATE.to_dict() == before


def test_a_removed_share_is_gone_with_its_jobs():
    after = apply_change(STATE, Change(shares={"b": None}))

    assert (list(after.shares), [job.id for job in after.jobs]) == (["a"], ["a1"])


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"strategy": "LEND"}, -1),
        ({"strategy": "RESERVE", "borrow_limit_percent": 50}, 50),
        ({"strategy": "LEND_AND_BORROW"}, 50),
        ({"borrow_limit_percent": 200}, 200),
    ],
    ids=["it borrows no more", "it is given", "it goes on", "it changes"],
)
def test_a_borrow_limit_ends_with_the_borrowing(members, want):
    assert apply_change(STATE, Change(shares={"a": members})).shares["a"].borrow_limit_percent == want


def test_a_new_share_has_the_defaults_of_the_service():
    after = apply_change(STATE, Change(shares={"c": {"limits": {TYPE: 1}, "strategy": "LEND_AND_BORROW"}}))

    assert after.shares["c"] == Share("c", {TYPE: 1}, "LEND_AND_BORROW", -1, False, "ENABLED")


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ([], ["$: must be an object, got a list"]),
        ({"version": 2}, ["$.version: must be 1, got 2"]),
        ({"share": {}}, ["$.share: unknown member; did you mean shares?; known are version, environment, shares"]),
        ({"environment": None}, ["$.environment: must be an object of instance types and amounts, got null"]),
        ({"shares": {"x": None}}, ["$.shares.x: there is no share of this name to remove"]),
        ({"shares": {"x": {"strategy": "LEND"}}}, ["$.shares.x: a new share needs limits"]),
        ({"shares": {"x": {}}}, ["$.shares.x: a new share needs limits and strategy"]),
        (
            {"shares": {"a": {"limits": {TYPE: -1}, "state": "OFF"}}},
            [
                f'$.shares.a.limits["{TYPE}"]: must be 0 to 2147483647, got -1',
                '$.shares.a.state: must be one of ENABLED, DISABLED, got "OFF"',
            ],
        ),
    ],
)
def test_fails_with_all_problems_of_a_change(given, want):
    with pytest.raises(DocumentError) as caught:
        parse_change(given, STATE)

    assert [str(problem) for problem in caught.value.problems] == want


def test_fails_to_apply_what_does_not_belong_to_the_state():
    change = parse_change({"shares": {"x": None, "y": {"limits": {}}}})

    with pytest.raises(DocumentError) as caught:
        apply_change(STATE, change)

    assert [problem.path for problem in caught.value.problems] == ["$.shares.x", "$.shares.y"]
