"""Cases as data: AWS's documented examples, Kueue's scheduler tests translated, and changes with what they do.

Each case says where it comes from. Compared are exactly the members that a case expects.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quota_scheduler import acknowledges, assess, explain, parse_change, parse_state

CASES = Path(__file__).parent / "cases"
DECISIONS = json.loads((CASES / "decisions.json").read_text())
CHANGES = json.loads((CASES / "changes.json").read_text())


@pytest.mark.parametrize("case", DECISIONS, ids=[case["id"] for case in DECISIONS])
def test_decision(case):
    state = parse_state(case["state"])
    before = state.to_dict()

    decision = explain(state, case["job"]).to_dict()

    assert case["expect"] == {name: decision[name] for name in case["expect"]}
    assert set(decision["certain"]) <= set(decision["preempted"]) <= set(decision["possible"])
    assert before == state.to_dict()


@pytest.mark.parametrize("case", CHANGES, ids=[case["id"] for case in CHANGES])
def test_change(case):
    state = parse_state(case["state"])
    before = state.to_dict()

    assessment = assess(state, parse_change(case["change"], state))

    document = assessment.to_dict() | {"gpu_hours": list(assessment.bounds.gpu_hours)}
    assert case["expect"] == {name: document[name] for name in case["expect"]}
    assert acknowledges(assessment.acknowledge, assessment)
    assert json.loads(json.dumps(assessment.to_dict())) == assessment.to_dict()
    assert before == state.to_dict()


@pytest.mark.parametrize("case", [*DECISIONS, *CHANGES], ids=[case["id"] for case in [*DECISIONS, *CHANGES]])
def test_states_survive_being_written_and_read(case):
    state = parse_state(json.dumps(case["state"]))

    assert state == parse_state(json.dumps(state.to_dict()))


def test_there_are_as_many_cases_as_were_collected():
    assert (len(DECISIONS), len(CHANGES)) == (73, 11)
