"""The change format: exactly the members given, whole new maps, null removes, and what cannot be is refused."""

from __future__ import annotations

import json

import pytest
from contract_support import (
    G5,
    P4D,
    Json,
    after,
    changed,
    full_change,
    full_state,
    json_path,
    random_change,
    random_state,
    without,
)

from quota_scheduler import Change, DocumentError, apply_change, assess, parse_change, parse_state

STATE = parse_state(full_state())


def problems_of(document: object) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_change(document, STATE)  # type: ignore[arg-type]  # anything can come
    return [problem.path for problem in caught.value.problems]


def test_the_version_may_be_left_out():
    assert parse_change(without(full_change(), ("version",)), STATE) == parse_change(full_change(), STATE)


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_another_version_is_refused(version):
    assert problems_of(changed(full_change(), ("version",), version)) == ["$.version"]


@pytest.mark.parametrize(
    "document",
    [{}, {"shares": {}}, {"environment": {}}, {"environment": {G5: 1}, "shares": {"vision": None}}, full_change()],
)
def test_it_has_exactly_the_members_given(document):
    given = {name: value for name, value in document.items() if name != "version"}
    assert parse_change(json.dumps(document), STATE).to_dict() == given


@pytest.mark.parametrize("seed", range(30))
def test_it_is_applied_as_the_format_says(seed):
    """Maps are whole new maps, other members of a share stay, null removes a share with its jobs."""
    state, change = parse_state(random_state(seed)), random_change(seed)
    assert apply_change(state, parse_change(change, state)) == parse_state(after(random_state(seed), change))


WRONG: dict[tuple[str | int, ...], list[Json]] = {
    (): [None, True, 0, "x", []],
    ("environment",): [None, True, 0, "x", []],
    ("environment", G5): [None, -1, 0.5, 1.0, float("nan"), True, "1", [], {}, 2**31],
    ("shares",): [None, True, 0, "x", []],
    ("shares", "research"): [True, 0, "x", []],
    ("shares", "research", "limits"): [None, True, 0, "x", []],
    ("shares", "research", "limits", G5): [None, -1, 0.5, 1.0, float("nan"), True, "1", [], {}, 2**31],
    ("shares", "research", "strategy"): [None, True, "", "lend", [], {}],
    ("shares", "research", "in_share_preemption"): [None, 0, 1, "true", [], {}],
    ("shares", "research", "state"): [None, True, "", "DELETED", [], {}],
    ("shares", "speech", "borrow_limit_percent"): [None, -2, 0.5, True, "200", [], {}, 2**31],
}


@pytest.mark.parametrize("path", WRONG, ids=json_path)
def test_a_wrong_value_is_refused_at_its_path(path):
    for value in WRONG[path]:
        assert json_path(path) in problems_of(changed(full_change(), path, value)), value


@pytest.mark.parametrize("path", [(), ("shares", "research"), ("shares", "speech")], ids=json_path)
def test_an_unknown_member_is_refused_with_its_path(path):
    assert problems_of(changed(full_change(), (*path, "colour"), "red")) == [json_path((*path, "colour"))]


REFUSED = {
    "the removal of a share that is not there": {"shares": {"nobody": None}},
    "a new share without limits": {"shares": {"nobody": {"strategy": "LEND"}}},
    "a new share without a strategy": {"shares": {"nobody": {"limits": {G5: 1}}}},
    "a new share without anything": {"shares": {"nobody": {}}},
}


@pytest.mark.parametrize("document", REFUSED.values(), ids=REFUSED)
def test_it_must_fit_the_state(document):
    assert problems_of(document) == ["$.shares.nobody"]
    with pytest.raises(DocumentError):
        apply_change(STATE, parse_change(document))


def test_a_share_cannot_be_there_twice():
    assert problems_of('{"shares": {"vision": null, "vision": {}}}') == ["$.shares.vision"]


BY_HAND = {
    "an unknown member": ({"research": {"limit": {G5: 1}}}, "$.shares.research.limit"),
    "an unknown member of a new share": (
        {"new": {"limits": {G5: 1}, "strategy": "LEND", "borrow_limit": 5}},
        "$.shares.new.borrow_limit",
    ),
    "an amount that is none": ({"research": {"limits": {G5: -1}}}, f'$.shares.research.limits["{G5}"]'),
    "a strategy that is none": ({"vision": {"strategy": "GIVE"}}, "$.shares.vision.strategy"),
}


@pytest.mark.parametrize(("shares", "path"), BY_HAND.values(), ids=BY_HAND)
def test_a_change_made_by_hand_is_checked_too(shares, path):
    for use in (apply_change, assess):
        with pytest.raises(DocumentError) as caught:
            use(STATE, Change(shares=shares))
        assert [problem.path for problem in caught.value.problems] == [path]


def test_an_environment_made_by_hand_is_checked_too():
    with pytest.raises(DocumentError, match=r"must be 0 to 2147483647, got -1"):
        assess(STATE, Change(environment={G5: -1}))


def test_the_state_stays_as_it_was():
    before = json.dumps(STATE.to_dict())
    apply_change(STATE, parse_change(full_change(), STATE))
    assess(STATE, parse_change(full_change(), STATE))
    assert json.dumps(STATE.to_dict()) == before


def test_a_share_that_stops_borrowing_loses_its_borrow_limit():
    """Back at LEND_AND_BORROW it has the default again, no limit."""
    stopped = apply_change(STATE, parse_change({"shares": {"research": {"strategy": "LEND"}}}, STATE))
    again = apply_change(stopped, parse_change({"shares": {"research": {"strategy": "LEND_AND_BORROW"}}}, stopped))
    assert "borrow_limit_percent" not in stopped.to_dict()["shares"]["research"]
    assert again.to_dict()["shares"]["research"]["borrow_limit_percent"] == -1
    assert again.to_dict()["shares"]["research"]["limits"] == {G5: 2, P4D: 1}
