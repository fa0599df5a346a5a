"""Reading queue states: what is right survives, what is wrong is told all at once, with its path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import TYPE, queue, running, share, waiting
from hypothesis import given
from hypothesis import strategies as st
from scheduler_support import OTHER_TYPE, examples, queues

from quota_scheduler import DocumentError, Job, Problem, QueueState, Share, TimeLimitAction, parse_state
from quota_scheduler.timestamp import parse_timestamp

AT = "2026-11-29T12:00:00Z"
JOB = {"id": "j", "share": "a", "uses": {TYPE: 1}, "status": "RUNNABLE"}


def document(**members):
    whole = {
        "version": 1,
        "at": AT,
        "environment": {TYPE: 4},
        "shares": {"a": {"limits": {TYPE: 4}, "strategy": "LEND"}},
        "jobs": [],
    }
    return whole | members


def problems(given):
    with pytest.raises(DocumentError) as caught:
        parse_state(given)
    return [str(problem) for problem in caught.value.problems]


def test_every_member_is_read():
    given = document(
        queue="training",
        region="eu-west-1",
        account="111122223333",
        shares={
            "a": {
                "limits": {TYPE: 6},
                "strategy": "LEND_AND_BORROW",
                "borrow_limit_percent": 200,
                "in_share_preemption": True,
                "state": "DISABLED",
            }
        },
        time_limit_actions=[{"reason": "R", "max_time_seconds": 600, "action": "TERMINATE"}],
        jobs=[
            JOB
            | {
                "name": "n",
                "priority": 3,
                "status": "RUNNING",
                "created_at": "2026-11-29T10:00:00Z",
                "scheduled_at": "2026-11-29T10:30:00.250Z",
                "started_at": "2026-11-29T11:00:00+00:00",
                "checkpointed_at": "2026-11-29T11:30:00Z",
                "expected_end": "2026-11-30T00:00:00Z",
                "stopping_for": "other",
                "preemption_retries_before_termination": 2,
                "preempted_attempt_count": 1,
                "owner": "me",
            }
        ],
    )

    state = parse_state(json.dumps(given).encode())

    assert state == QueueState(
        parse_timestamp(AT),
        {TYPE: 4},
        {"a": Share("a", {TYPE: 6}, "LEND_AND_BORROW", 200, True, "DISABLED")},
        (
            Job(
                "j",
                "a",
                {TYPE: 1},
                "RUNNING",
                "n",
                3,
                parse_timestamp("2026-11-29T10:00:00Z"),
                parse_timestamp("2026-11-29T10:30:00Z") + 250,
                parse_timestamp("2026-11-29T11:00:00Z"),
                parse_timestamp("2026-11-29T11:30:00Z"),
                parse_timestamp("2026-11-30T00:00:00Z"),
                "other",
                2,
                1,
                "me",
            ),
        ),
        "training",
        "eu-west-1",
        "111122223333",
        (TimeLimitAction("R", 600, "TERMINATE"),),
    )


def test_defaults_are_those_of_the_service():
    given = document(shares={"a": {"limits": {TYPE: 1}, "strategy": "LEND_AND_BORROW"}}, jobs=[JOB])

    state = parse_state(given)

    assert state.shares["a"] == Share("a", {TYPE: 1}, "LEND_AND_BORROW", -1, False, "ENABLED")
    assert state.jobs == (Job("j", "a", {TYPE: 1}, "RUNNABLE"),)


@examples
@given(queues(units=(TYPE, OTHER_TYPE), unknown_priorities=True))
def test_states_survive_being_written_and_read(state):
    assert state == parse_state(json.dumps(state.to_dict()))


def test_a_share_over_its_cap_and_a_job_larger_than_everything_are_states():
    state = queue(share("a", 1), running("r", "a", 5), waiting("w", "a", 9), environment=2)

    assert state == parse_state(state.to_dict())


WRONG = json.loads((Path(__file__).parent / "cases" / "wrong_states.json").read_text())


@pytest.mark.parametrize("case", WRONG, ids=[case["name"] for case in WRONG])
def test_fails_with_the_path_of_the_problem(case):
    given = case.get("document", case.get("text"))

    assert problems(case["latin1"].encode("latin1") if given is None else given) == case["problems"]


def test_fails_for_a_number_of_five_thousand_digits():
    want = "$: not usable: it has a number of more than 4,300 digits"

    assert problems('{"at": ' + "9" * 5000 + "}") == [want]


def test_fails_with_all_problems_at_once():
    given = {
        "version": 1,
        "at": AT,
        "enviroment": {},
        "shares": {"a": {"limits": {TYPE: "4"}, "strategy": "LEND"}},
        "jobs": [{"id": "j", "share": "c", "uses": {TYPE: 0}}, 7, JOB | {"id": "j"}],
    }

    assert problems(given) == [
        (
            "$.enviroment: unknown member; did you mean environment?; known are version, at, queue, region, account, "
            "environment, shares, time_limit_actions, jobs"
        ),
        "$: member environment is missing",
        f'$.shares.a.limits["{TYPE}"]: must be a whole number, got "4"',
        "$.jobs[0]: member status is missing",
        '$.jobs[0].share: must be one of the shares, got "c"',
        f'$.jobs[0].uses["{TYPE}"]: must be 1 to 2147483647, got 0',
        "$.jobs[1]: must be an object, got 7",
        '$.jobs[2].id: job "j" is there twice; the first is $.jobs[0]',
    ]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("[" * 5_000_000 + "]" * 5_000_000, "$[0][0][0][0]"),
        ('{"jobs": [1, ' + "[" * 5_000_000, "$.jobs[1][0][0]"),
        ('{"a": ' * 1_500_000, "$.a.a.a.a"),
        ('{"x": "\\\\\\"{[", "y": {"z": ' + "[" * 5_000_000, "$.y.z[0][0]"),
    ],
    ids=["lists", "in a job", "objects", "behind brackets in a text"],
)
def test_fails_with_one_line_for_ten_megabytes_of_nesting(given, path):
    assert problems(given) == [f"{path}: nested deeper than 100 levels; a document of this kind has at most 4"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(("version", "at", "environment", "shares", "jobs", "time_limit_actions", "queue", "other")),
)
@examples
def test_any_value_anywhere_is_read_or_named(value, member):
    found: list[Problem] = []
    try:
        state = parse_state(json.dumps(document(**{member: value})))
    except DocumentError as error:
        found = list(error.problems)
        state = parse_state(document())

    assert all(problem.path.startswith("$") and "\n" not in problem.message for problem in found)
    assert state == parse_state(state.to_dict())
