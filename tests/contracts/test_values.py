"""The values of the model can be kept, copied, compared and sent to another process; a use never changes them."""

from __future__ import annotations

import copy
import pickle

import pytest
from contract_support import G5, full_change, full_state

from quota_scheduler import Change, Knobs, Share, assess, cycle, explain, explain_submission, parse_change, parse_state

STATE = parse_state(full_state())
VALUES = {
    "state": STATE,
    "share": STATE.shares["research"],
    "job": STATE.jobs[0],
    "change": parse_change(full_change()),
    "change of nothing": Change(),
    "change of no environment": Change(environment={}),
    "change of no shares": Change(shares={}),
    "knobs": Knobs(allow_mixed=False),
    "decision": explain(STATE, "v1"),
    "assessment": assess(STATE, parse_change(full_change())),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_copies_are_equal(value):
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (type(again), again) == (type(value), value)
        if hasattr(value, "to_dict"):
            assert again.to_dict() == value.to_dict()


def test_an_acknowledgement_survives_the_way_to_another_process():
    for change in (Change(), Change(shares={}), parse_change(full_change())):
        assessment = assess(STATE, change)
        assert pickle.loads(pickle.dumps(assessment)).acknowledge == assessment.acknowledge
    assert len({assess(STATE, change).acknowledge for change in (Change(), Change(shares={}))}) == 2


def test_nothing_changes_a_state():
    before, text = copy.deepcopy(STATE), str(STATE.to_dict())
    assess(STATE, parse_change(full_change()))
    explain(STATE, "v1")
    cycle(STATE)
    explain_submission(STATE, STATE.jobs[0].__class__("new", "vision", {G5: 1}, "RUNNABLE"))
    assert (STATE, str(STATE.to_dict())) == (before, text)
    with pytest.raises(TypeError):
        STATE.shares["research"].limits[G5] = 1  # type: ignore[index]
    with pytest.raises(AttributeError):
        STATE.at = 0  # type: ignore[misc]


def test_a_mapping_that_was_given_can_change_without_harm():
    limits = {G5: 1}
    share = Share("a", limits, "LEND")
    change = Change(shares={"a": {"limits": limits}})
    limits[G5] = 5
    assert share.limits == {G5: 1}
    assert change.to_dict() == {"shares": {"a": {"limits": {G5: 1}}}}


@pytest.mark.parametrize("amount", [0, -1, 1.5, True, "1", None])
def test_a_submission_made_by_hand_asks_for_whole_instances(amount):
    job = STATE.jobs[0].__class__("new", "vision", {G5: amount}, "RUNNABLE")
    with pytest.raises(ValueError, match="at least 1 instance"):
        explain_submission(STATE, job)


def test_a_knob_may_be_given_as_its_token():
    """The text `false` would count as true."""
    assert Knobs(allow_mixed="false") == Knobs(allow_mixed=False)  # type: ignore[arg-type]
    for wrong in (0, 1, "no", None):
        with pytest.raises(ValueError, match="knob allow_mixed is one of true, false"):
            Knobs(allow_mixed=wrong)  # type: ignore[arg-type]
