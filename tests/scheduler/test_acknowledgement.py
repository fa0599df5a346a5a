"""An acknowledgement lets exactly the loss through that somebody has seen."""

from __future__ import annotations

import hashlib
import json

import pytest
from builders import TYPE, queue, running, share, waiting

from quota_scheduler import Bounds, Change, acknowledgement, acknowledges, assess

STATE = queue(
    share("a", 1, "LEND_AND_BORROW"),
    share("b", 2),
    share("c", 1),
    running("a1", "a", 3, hours=1.5),
    running("c1", "c"),
    waiting("b1", "b", 2),
)
CHANGE = Change(shares={"c": None})


def test_it_is_the_hash_of_change_and_terminated_jobs_with_the_most_that_is_lost():
    text = json.dumps([{"shares": {"c": None}}, ["c1"]], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]

    assert assess(STATE, CHANGE).acknowledge == f"{digest}-1-5"


@pytest.mark.parametrize(("hours", "want"), [(0.0, 0), (2.0, 2), (2.0001, 3), (95.5, 96)])
def test_hours_are_rounded_up(hours, want):
    bounds = Bounds((0, 4), (0, 9), (0.0, hours))

    assert acknowledgement(Change(), (), bounds).split("-")[1:] == ["4", str(want)]


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("{digest}-1-5", True),
        ("{digest}-9-900", True),
        ("other-9-900, {digest}-1-5 ,x", True),
        ("{digest}-0-5", False),
        ("{digest}-1-4", False),
        ("0123456789ab-9-900", False),
        ("{digest}", False),
        ("{digest}-1", False),
        ("{digest}-1-5-9", False),
        ("{digest}--1-5", False),
        ("{digest}-1-⁵", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_it_passes_while_no_more_is_lost_than_was_accepted(given, want):
    assessment = assess(STATE, CHANGE)
    digest = assessment.acknowledge.split("-")[0]

    assert acknowledges(given.format(digest=digest), assessment) is want


def test_it_does_not_pass_for_another_change_nor_for_other_terminated_jobs():
    given = assess(STATE, CHANGE).acknowledge
    more = queue(*STATE.shares.values(), *STATE.jobs, running("c2", "c", hours=0))

    assert not acknowledges(given, assess(more, CHANGE))
    assert not acknowledges(given, assess(STATE, Change(environment={TYPE: 4}, shares={"c": None})))
