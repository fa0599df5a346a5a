"""Knobs: their tokens, and what each of them changes in one small queue."""

from __future__ import annotations

from dataclasses import fields

import pytest
from builders import TYPE, queue, running, share, waiting
from scheduler_support import OTHER_TYPE

from quota_scheduler import Knobs, assess, explain, parse_knobs
from quota_scheduler.knobs import VALUES, token_of


def test_the_first_token_of_a_knob_is_its_default():
    assert {name: tokens[0] for name, tokens in VALUES.items()} == {
        field.name: token_of(getattr(Knobs(), field.name)) for field in fields(Knobs) if field.name in VALUES
    }
    assert set(Knobs().to_dict()) == {*VALUES, "preemption_delay"}


@pytest.mark.parametrize(("name", "token"), [(name, token) for name, tokens in VALUES.items() for token in tokens])
def test_every_token_is_read(name, token):
    assert token_of(getattr(parse_knobs([f"{name}={token}"]), name)) == token


def test_the_last_setting_of_a_knob_holds():
    knobs = parse_knobs(["head_blocking=backfill", "preemption_delay=20", "head_blocking=strict"])

    assert knobs == Knobs(preemption_delay=20)


@pytest.mark.parametrize(
    ("settings", "want"),
    [
        (["head_blocking"], "knob must be name=value, got head_blocking"),
        (["head_blocking=loose"], "knob head_blocking is one of strict, backfill, got loose"),
        (
            ["borrow_rounding=flor"],
            "knob borrow_rounding is one of floor, ceil, nearest, got flor; did you mean floor?",
        ),
        (["preemption_delay=-1"], "knob preemption_delay is a whole number of seconds, got -1"),
        (["allow_mixd=true"], f"unknown knob allow_mixd; did you mean allow_mixed?; known are {', '.join(VALUES)}"),
        (["a", "b"], "knob must be name=value, got a\nknob must be name=value, got b"),
    ],
)
def test_fails_for_what_is_no_knob(settings, want):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is compared as a whole
        parse_knobs(settings)

    assert str(caught.value) == want


def test_fails_for_a_value_that_no_knob_has():
    with pytest.raises(ValueError, match="knob allow_mixed is one of true, false, got maybe"):
        Knobs(allow_mixed="maybe")


OWNER = (share("a", 4, "LEND_AND_BORROW", in_share=True), share("b", 4))
FULL_RESERVE = (share("a", 2, "LEND_AND_BORROW"), share("b", 2), share("r", 2, "RESERVE"))

EFFECTS = [
    (
        "victim_pool=newest",
        queue(*OWNER, running("old", "a", 3, hours=9, priority=1), running("new", "a", 3), running("b1", "b", 2),
              waiting("j", "b", 2)),
        ("preempt", "reclaim", ("new", "old")),
        ("preempt", "reclaim", ("new",)),
    ),
    (
        "reclaim_scope=headroom",
        queue(share("a", 10, "LEND_AND_BORROW"), share("b", 10, "LEND_AND_BORROW"), share("c", 10),
              running("a1", "a", 16), waiting("j", "b", 16)),
        ("wait", "would_borrow", ()),
        ("preempt", "reclaim", ("a1",)),
    ),
    (
        "preemptor_must_fit_limit=false",
        queue(share("a", 2, "LEND_AND_BORROW", in_share=True), share("b", 2), running("a1", "a"), running("b1", "b"),
              waiting("j", "a", 3, priority=9)),
        ("wait", "larger_than_limit", ()),
        ("preempt", "in_share", ("a1",)),
    ),
    (
        "allow_mixed=false",
        queue(*OWNER, running("b1", "b", 5), running("a1", "a", 3, priority=1), waiting("j", "a", 4)),
        ("preempt", "mixed", ("a1", "b1")),
        ("wait", "cannot_help", ()),
    ),
    (
        "in_share_while_borrowing=false",
        queue(*OWNER, running("a1", "a", 3, priority=1), running("a2", "a", 3, priority=9), running("b1", "b", 2),
              waiting("j", "a", 3)),
        ("preempt", "in_share", ("a1",)),
        ("wait", "cannot_help", ()),
    ),
    (
        "surplus_borrowable=true",
        queue(share("a", 2, "LEND_AND_BORROW"), running("a1", "a", 2), waiting("j", "a"), environment=4),
        ("wait", "no_capacity", ()),
        ("dispatch", "borrow", ()),
    ),
    (
        "reserve_floor=borrowers",
        queue(*FULL_RESERVE, running("a1", "a", 4), waiting("j", "b", 2)),
        ("preempt", "reclaim", ("a1",)),
        ("dispatch", "within_limit", ()),
    ),
    (
        "borrow_rounding=ceil",
        queue(share("a", 3, "LEND_AND_BORROW", borrow=50), share("b", 4), running("a1", "a", 4), waiting("j", "a")),
        ("wait", "borrow_limit", ()),
        ("dispatch", "borrow", ()),
    ),
    (
        "borrow_unlisted_type=true",
        queue(share("a", 1, "LEND_AND_BORROW"), share("b", {OTHER_TYPE: 2}), waiting("j", "a", {OTHER_TYPE: 1})),
        ("never_fits", "type_not_listed", ()),
        ("dispatch", "borrow", ()),
    ),
    (
        "reduction_trigger_own=any",
        queue(share("a", 2, "RESERVE"), running("a1", "a", 2, priority=1), running("a2", "a", 1, priority=9),
              waiting("j", "a"), environment=9),
        ("wait", "limit_now", ()),
        ("preempt", "in_share", ("a1",)),
    ),
    (
        "hold_idle_for_blocked_owner=true",
        queue(share("a", 5, "LEND_AND_BORROW"), share("b", 5, "LEND_AND_BORROW"), running("a1", "a", 8),
              waiting("big", "b", 8, hours=9), waiting("j", "a", 2)),
        ("dispatch", "borrow", ()),
        ("wait", "no_capacity", ()),
    ),
    (
        "head_blocking=backfill",
        queue(share("a", 4), running("a1", "a", 3), waiting("first", "a", 4, hours=9), waiting("j", "a")),
        ("wait", "head_blocked", ()),
        ("dispatch", "within_limit", ()),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "state", "want", "want_other"), EFFECTS, ids=[case[0] for case in EFFECTS])
def test_a_knob_changes_the_answer_and_is_named_among_the_assumptions(setting, state, want, want_other):
    before = state.to_dict()
    decisions = [explain(state, "j", knobs) for knobs in (Knobs(), parse_knobs([setting]))]

    assert [(each.outcome, each.reason, each.possible) for each in decisions] == [want, want_other]
    name = setting.partition("=")[0]
    assumed = {each.knob: (each.value, each.affects) for each in assess(state).assumptions}
    value, affected = assumed[name]
    assert value == VALUES[name][0]
    assert {"j", *want[2], *want_other[2]} & set(affected)
    assert state.to_dict() == before


def test_a_knob_that_makes_no_difference_is_not_named():
    state = queue(share("a", 4), running("a1", "a", 2), waiting("j", "a", 2))

    assert assess(state).assumptions == ()


def test_an_unknown_priority_is_named():
    state = queue(share("a", 1, in_share=True), running("a1", "a", priority=None), waiting("j", "a"))

    named = [each.to_dict() for each in assess(state).assumptions]

    assert {"knob": "unknown_priority", "value": "0", "affects": ["a1"]} in named


def test_borrowers_queue_by_the_knob():
    shares = (share("a", 1, "LEND_AND_BORROW"), share("b", 1, "LEND_AND_BORROW"), share("c", 1))
    jobs = (running("a1", "a"), running("b1", "b"), waiting("late", "a", hours=1), waiting("early", "b", hours=2))
    state = queue(*shares, *jobs)

    assert assess(state).starts == ("early",)
    assert assess(state, knobs=Knobs(fifo_key="share_order")).starts == ("late",)


def test_a_borrower_that_does_not_fit_is_skipped_or_blocks_by_the_knob():
    shares = (share("a", 1, "LEND_AND_BORROW"), share("b", 1, "LEND_AND_BORROW"), share("c", 1))
    jobs = (running("a1", "a"), running("b1", "b"), waiting("big", "a", 2, hours=9), waiting("small", "b", hours=1))
    state = queue(*shares, *jobs)

    assert assess(state).starts == ("small",)
    assert assess(state, knobs=Knobs(fifo_blocking="block")).starts == ()


def test_in_share_first_is_taken_before_other_shares_by_the_knob():
    state = queue(*OWNER, running("a1", "a", 2, priority=1), running("b1", "b", 6), waiting("j", "a", 2))
    other = explain(state, "j", Knobs(order_of_remedies="in_share_first"))

    assert (explain(state, "j").preempted, other.preempted) == (("b1",), ("a1",))
    assert explain(state, "j").possible == other.possible


def test_the_type_of_the_builders_has_one_gpu():
    assert assess(queue(share("a", 1), running("a1", "a", hours=2))).jobs["a1"].loss_gpu_hours == (0.0, 2.0)
    assert TYPE == "ml.g5.xlarge"
