"""The decision format (`explain --format json`): members, reason codes and what goes with each outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from contract_support import P4D, random_state

from quota_scheduler import explain, parse_state

CASES = json.loads((Path(__file__).parents[1] / "scheduler" / "cases" / "decisions.json").read_text())

MEMBERS = {
    "version", "job", "outcome", "preempted", "possible", "certain", "borrowing", "reason", "sentence", "needs"
}  # fmt: skip
REASONS = {
    "dispatch": {"within_limit", "borrow"},
    "preempt": {"reclaim", "in_share", "mixed"},
    "wait": {
        *("no_capacity", "borrow_limit", "limit_now", "no_candidates", "cannot_help"),
        *("would_borrow", "larger_than_limit", "head_blocked"),
    },
    "never_fits": {"limit", "borrow_limit", "borrowable_pool", "environment", "type_not_listed"},
}


def check(document, state):
    used = {name: {} for name in state["shares"]}
    uses_of = {job["id"]: job for job in state["jobs"]}
    for job in state["jobs"]:
        if job["status"] in ("SCHEDULED", "STARTING", "RUNNING"):
            for unit, amount in job["uses"].items():
                used[job["share"]][unit] = used[job["share"]].get(unit, 0) + amount
    job = uses_of[document["job"]]
    assert set(document) == MEMBERS
    assert document["version"] == 1
    assert document["reason"] in REASONS[document["outcome"]]
    lists = [document[name] for name in ("preempted", "possible", "certain")]
    assert lists == [sorted(ids) for ids in lists]
    if document["outcome"] == "preempt":
        assert document["preempted"]
        assert set(document["certain"]) <= set(document["preempted"]) <= set(document["possible"])
    else:
        assert lists == [[], [], []]
    if document["outcome"] in ("dispatch", "never_fits"):
        assert document["needs"] == {}
    else:
        assert set(document["needs"]) == set(job["uses"])
        assert all(type(amount) is int and amount >= 0 for amount in document["needs"].values())
    if document["outcome"] in ("wait", "never_fits"):
        assert document["borrowing"] == 0
    if document["outcome"] == "dispatch":
        assert document["borrowing"] == sum(
            max(0, used[job["share"]].get(unit, 0) + n - state["shares"][job["share"]]["limits"][unit])
            for unit, n in job["uses"].items()
        )
        assert (document["borrowing"] > 0) == (document["reason"] == "borrow")
    assert document["sentence"] == document["sentence"].strip()
    assert "\n" not in document["sentence"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_case_has_the_members_of_the_format(case):
    document = explain(parse_state(case["state"]), case["job"]).to_dict()
    check(document, case["state"])
    assert {name: document[name] for name in case["expect"]} == case["expect"]


@pytest.mark.parametrize("seed", range(40))
def test_every_waiting_job_of_any_queue_has_a_decision(seed):
    state = random_state(seed)
    for job in state["jobs"]:
        if job["status"] == "RUNNABLE":
            check(explain(parse_state(state), job["id"]).to_dict(), state)
        else:
            with pytest.raises(ValueError, match="only a waiting job"):
                explain(parse_state(state), job["id"])


NEVER = {
    "type_not_listed": ("LEND", 4, {"ml.g4dn.xlarge": 1}),
    "limit": ("RESERVE", 4, {P4D: 5}),
    "borrow_limit": ("LEND_AND_BORROW", 4, {P4D: 9}),
    "borrowable_pool": ("LEND_AND_BORROW", 4, {P4D: 8}),
    "environment": ("LEND_AND_BORROW", 6, {P4D: 8}),
}


@pytest.mark.parametrize(("reason", "queue"), NEVER.items())
def test_the_reason_of_what_can_never_run(reason, queue):
    """Share `a` has 4 and may borrow 100 %; `b` lends `other`; the environment has 7."""
    strategy, other, uses = queue
    state = parse_state(
        {
            "version": 1,
            "at": "2026-11-29T12:00:00Z",
            "environment": {P4D: 7},
            "shares": {
                "a": {"limits": {P4D: 4}, "strategy": strategy}
                | ({"borrow_limit_percent": 100} if strategy == "LEND_AND_BORROW" else {}),
                "b": {"limits": {P4D: other - 1 if reason == "borrowable_pool" else other}, "strategy": "LEND"},
            },
            "jobs": [{"id": "j", "share": "a", "uses": uses, "status": "RUNNABLE"}],
        }
    )
    decision = explain(state, "j").to_dict()
    assert (decision["outcome"], decision["reason"], decision["needs"]) == ("never_fits", reason, {})
