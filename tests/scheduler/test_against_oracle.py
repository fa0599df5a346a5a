"""The model gives what a naive second implementation gives, on random queues and changes.

The oracle looks through every subset of the candidates; the generator aims at ties, unknown values, several instance
types and broken pools. A failure names the seed: `random_queues.pair(seed)` is the instance.
"""

import json

import pytest
from scheduler import oracle, random_queues

from quota_scheduler import assess, cycle, explain, explain_submission, parse_change, parse_state

FREE_WORDING = ("sentence", "advice", "assumptions", "findings")


def plain(document):
    """A document of the model as JSON gives it back, without the members whose wording is free."""
    kept = {name: value for name, value in json.loads(json.dumps(document)).items() if name not in FREE_WORDING}
    if "jobs" in kept:
        kept["jobs"] = {
            one: {name: value for name, value in row.items() if name not in FREE_WORDING}
            for one, row in kept["jobs"].items()
        }
    return kept


def waiting_ids(state):
    return [job["id"] for job in state["jobs"] if job["status"] == "RUNNABLE"]


def submissions(state):
    """Every waiting job of an enabled share as if it were not submitted yet: the state without it, and the job."""
    for one in state["jobs"]:
        if one["status"] == "RUNNABLE" and state["shares"][one["share"]].get("state") != "DISABLED":
            yield state | {"jobs": [job for job in state["jobs"] if job is not one]}, {"created_at": state["at"]} | one


def submission_to_model(state, job):
    parsed = next(one for one in parse_state(state | {"jobs": [*state["jobs"], job]}).jobs if one.id == job["id"])
    return plain(explain_submission(parse_state(state), parsed).to_dict())


def decisions_by_model(state):
    parsed = parse_state(state)
    return {
        "explained": [plain(explain(parsed, one).to_dict()) for one in waiting_ids(state)],
        "submitted": [submission_to_model(*one) for one in submissions(state)],
        "served": [plain(one.to_dict()) for one in cycle(parsed) if one.outcome in ("dispatch", "preempt")],
    }


def decisions_by_oracle(state):
    return {
        "explained": [oracle.explain(state, one) for one in waiting_ids(state)],
        "submitted": [
            oracle.explain(rest | {"jobs": [*rest["jobs"], job]}, job["id"]) for rest, job in submissions(state)
        ],
        "served": oracle.served(state),
    }


def assessment_by_model(state, change, allow):
    parsed = parse_state(state)
    return plain(assess(parsed, parse_change(change, parsed), allow_oversubscription=allow).to_dict())


def compare(seed):
    """Compare everything about one random pair; give the number of documents compared."""
    state, change = random_queues.pair(seed)
    allow = seed % 4 == 0
    expected = oracle.assess(state, change, allow_oversubscription=allow)
    assert assessment_by_model(state, change, allow) == expected, f"assessment of seed {seed}"
    compared = 1
    for when, one in (("before", state), ("after", oracle.apply_change(state, change))):
        decisions = decisions_by_oracle(one)
        assert decisions_by_model(one) == decisions, f"decisions {when} the change of seed {seed}"
        compared += sum(len(documents) for documents in decisions.values())
    return compared


@pytest.mark.parametrize("block", range(8))
def test_model_agrees_with_the_oracle(block):
    for seed in range(block * 40, block * 40 + 40):
        compare(seed)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("block", range(20))
def test_model_agrees_with_the_oracle_on_many_instances(block, capsys):
    first = 100_000 + block * 1_000
    documents = sum(compare(seed) for seed in range(first, first + 1_000))
    with capsys.disabled():
        print(f"\n1000 instances from seed {first}: {documents} documents compared")  # noqa: T201  # the number is what a nightly run is read for


def test_generator_reaches_every_outcome_reason_and_verdict():
    """The comparison above means something only if the instances differ enough."""
    decisions, verdicts, risks = set(), set(), set()
    for seed in range(400):
        state, change = random_queues.pair(seed)
        assessment = oracle.assess(state, change)
        verdicts.add(assessment["verdict"])
        risks.update(row["risk"] for row in assessment["jobs"].values())
        for one in waiting_ids(state):
            decision = oracle.explain(state, one)
            decisions.add((decision["outcome"], decision["reason"]))
    assert verdicts == {"invalid", "destructive", "disruptive", "at_risk", "notice", "safe"}
    assert risks == {
        *("terminated", "never_fits", "certain", "likely", "possible", "eligible", "stopping", "blocked", "safe"),
    }
    assert decisions == {
        *(("dispatch", reason) for reason in ("within_limit", "borrow")),
        *(("preempt", reason) for reason in ("reclaim", "in_share", "mixed")),
        *(("wait", reason) for reason in ("head_blocked", "would_borrow", "larger_than_limit", "cannot_help")),
        *(("wait", reason) for reason in ("borrow_limit", "no_candidates", "limit_now", "no_capacity")),
        *(("never_fits", reason) for reason in ("limit", "borrow_limit", "borrowable_pool", "environment")),
        ("never_fits", "type_not_listed"),
    }
