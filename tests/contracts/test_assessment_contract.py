"""The assessment format: members, and each definition of the format worked out again from documents alone."""

from __future__ import annotations

import hashlib
import json
import math
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest
from contract_support import AT, G5, GPUS, P4D, after, full_change, full_state, random_change, random_state

from quota_scheduler import acknowledges, assess, parse_change, parse_state

CASES = json.loads((Path(__file__).parents[1] / "scheduler" / "cases" / "changes.json").read_text())
QUEUES = {case["id"]: (case["state"], case["change"]) for case in CASES} | {
    f"queue-{seed}": (random_state(seed), random_change(seed)) for seed in range(40)
}
every_queue = pytest.mark.parametrize("name", QUEUES)

MEMBERS = {
    *("version", "acknowledge", "verdict", "shares", "jobs", "eligible", "possible", "likely", "certain"),
    *("newly_eligible", "newly_possible", "terminated", "never_fits", "blocked_behind", "starts", "bounds"),
    *("over_after", "advice", "assumptions", "findings"),
}
IDS = (
    *("eligible", "possible", "likely", "certain", "newly_eligible", "newly_possible", "terminated", "never_fits"),
    *("blocked_behind", "starts"),
)
ROW = {"limit_before", "limit_after", "usage", "over_before", "over_after", "borrow_cap_after"}
JOB = {"share", "risk", "newly", "after_preemption", "loss_gpu_hours", "owner", "sentence"}
DISPATCHED = ("SCHEDULED", "STARTING", "RUNNING")


@cache
def documents(name):
    """Give the state, the change, the assessment without and with the change, all as JSON."""
    state, change = QUEUES[name]
    parsed = parse_state(state)
    with_change = assess(parsed, parse_change(change, parsed))
    return state, change, assess(parsed).to_dict(), json.loads(json.dumps(with_change.to_dict()))


def usage_of(state):
    used = {name: {} for name in state["shares"]}
    for job in state["jobs"]:
        if job["status"] in DISPATCHED:
            for unit, amount in job["uses"].items():
                used[job["share"]][unit] = used[job["share"]].get(unit, 0) + amount
    return used


def cap(share, unit):
    """Limit and allowance; None without limit."""
    limit = share["limits"].get(unit, 0)
    if share["strategy"] != "LEND_AND_BORROW":
        return limit
    percent = share.get("borrow_limit_percent", -1)
    return None if percent == -1 else limit + limit * percent // 100


def reach(state, name, unit):
    """The smallest of limit + allowance, limit + limits of the other lenders, environment."""
    share = state["shares"][name]
    lent = sum(
        other["limits"].get(unit, 0)
        for of, other in state["shares"].items()
        if of != name and other["strategy"] != "RESERVE"
    )
    most = [share["limits"].get(unit, 0) + lent, state["environment"].get(unit, 0)]
    return min(most if cap(share, unit) is None else [*most, cap(share, unit)])


def seconds(text):
    """Seconds since 1970."""
    return int(datetime.fromisoformat(text).timestamp())


def loss(job):
    """Instances, times GPUs per instance, times hours since the later of start and checkpoint."""
    if job["status"] not in DISPATCHED or not job.get("started_at"):
        return 0.0
    since = max(seconds(job["started_at"]), seconds(job.get("checkpointed_at") or job["started_at"]))
    return round(sum(n * GPUS[unit] for unit, n in job["uses"].items()) * (seconds(AT) - since) / 3600, 4)


@every_queue
def test_members(name):
    *_, document = documents(name)
    assert set(document) == MEMBERS
    assert document["version"] == 1
    assert document["verdict"] in ("safe", "notice", "at_risk", "disruptive", "destructive", "invalid")
    assert all(set(row) == ROW for rows in document["shares"].values() for row in rows.values())
    assert all(set(job) == JOB for job in document["jobs"].values())
    assert set(document["bounds"]) == {"jobs", "instances", "gpu_hours"}
    assert all({"kind", "sentence"} <= set(advice) for advice in document["advice"])
    assert all(set(assumption) == {"knob", "value", "affects"} for assumption in document["assumptions"])
    assert all(set(finding) == {"id", "severity", "where", "message"} for finding in document["findings"])
    assert all(finding["severity"] in ("error", "warning", "info") for finding in document["findings"])


@every_queue
def test_lists_are_sorted(name):
    *_, document = documents(name)
    lists = [document[member] for member in IDS] + [assumption["affects"] for assumption in document["assumptions"]]
    assert lists == [sorted(set(ids)) for ids in lists]


@every_queue
def test_rows_of_shares(name):
    state, change, _, document = documents(name)
    then, used, used_then = after(state, change), usage_of(state), usage_of(after(state, change))
    want = {}
    for share in {**state["shares"], **then["shares"]}:
        old, new = state["shares"].get(share), then["shares"].get(share)
        units = {*(old or {"limits": {}})["limits"], *(new or {"limits": {}})["limits"], *used.get(share, {})}
        want[share] = {
            unit: {
                "limit_before": None if old is None else old["limits"].get(unit, 0),
                "limit_after": None if new is None else new["limits"].get(unit, 0),
                "usage": used_then.get(share, {}).get(unit, 0),
                "over_before": max(0, used.get(share, {}).get(unit, 0) - old["limits"].get(unit, 0)) if old else 0,
                "over_after": max(0, used_then[share].get(unit, 0) - new["limits"].get(unit, 0)) if new else 0,
                "borrow_cap_after": None if new is None else cap(new, unit),
            }
            for unit in units
        }
    assert document["shares"] == want
    over = {share: sum(row["over_after"] for row in rows.values()) for share, rows in want.items()}
    assert document["over_after"] == {share: amount for share, amount in over.items() if amount}


@every_queue
def test_jobs(name):
    """All unfinished jobs, each with the first risk that holds, and what is lost with it."""
    state, change, before, document = documents(name)
    jobs = {job["id"]: job for job in state["jobs"] if job["status"] in (*DISPATCHED, "RUNNABLE")}
    gone = [share for share, members in change.get("shares", {}).items() if members is None]
    assert document["terminated"] == sorted(job_id for job_id, job in jobs.items() if job["share"] in gone)
    assert list(document["jobs"]) == sorted(jobs)
    for job_id, risk in document["jobs"].items():
        job = jobs[job_id]
        is_waiting = job["status"] == "RUNNABLE"
        order = ["terminated", "never_fits", "certain", "likely", "possible", "eligible"]
        holds = [word for word in order if job_id in document[word]]
        holds += ["stopping"] if job.get("stopping_for") and not is_waiting else []
        holds += ["blocked"] if job_id in document["blocked_behind"] else []
        assert risk["risk"] == [*holds, "safe"][0]
        retries = job.get("preemption_retries_before_termination")
        fails = retries is not None and job.get("preempted_attempt_count", 0) >= retries
        assert risk["after_preemption"] == (None if is_waiting else "failed" if fails else "requeued")
        most = loss(job)
        assert risk["loss_gpu_hours"] == [most if job.get("checkpointed_at") else 0.0, most]
        assert risk["newly"] == (
            job_id in document["newly_eligible"] + document["newly_possible"] + document["terminated"]
            or (job_id in document["never_fits"] and job_id not in before["never_fits"])
        )
        assert (risk["share"], risk["owner"]) == (job["share"], job.get("owner"))


@every_queue
def test_sets(name):
    state, _, before, document = documents(name)
    assert set(document["certain"]) <= set(document["likely"]) <= set(document["possible"]) <= set(document["eligible"])
    for of in ("eligible", "possible"):
        assert document[f"newly_{of}"] == sorted(set(document[of]) - set(before[of]))
    waiting = {job["id"] for job in state["jobs"] if job["status"] == "RUNNABLE"}
    assert {*document["starts"], *document["never_fits"], *document["blocked_behind"]} <= waiting
    assert not set(document["never_fits"]) & {*document["starts"], *document["blocked_behind"]}
    gone = set(document["terminated"])
    assert not any(gone & set(document[member]) for member in IDS if member != "terminated")
    for low, high in document["bounds"].values():
        assert 0 <= low <= high
    assert (document["bounds"]["jobs"][1] > 0) == bool(document["possible"])
    assert all(round(hours, 4) == hours for hours in document["bounds"]["gpu_hours"])


@every_queue
def test_the_acknowledgement(name):
    """Hash of the compact, key-sorted JSON of [change, terminated], most jobs, most GPU-hours rounded up."""
    state, change, _, document = documents(name)
    given = {member: value for member, value in change.items() if member != "version"}
    text = json.dumps([given, document["terminated"]], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    jobs, hours = document["bounds"]["jobs"][1], math.ceil(document["bounds"]["gpu_hours"][1])
    assert document["acknowledge"] == f"{digest}-{jobs}-{hours}"
    assessment = assess(parse_state(state), parse_change(change))
    for given_text, passes in {
        f"{digest}-{jobs}-{hours}": True,
        f"other, {digest}-{jobs + 1}-{hours + 7} ,": True,
        f"{digest}-{jobs - 1}-{hours}": False,
        f"{digest}-{jobs}-{hours - 1}": False,
        f"{digest[::-1]}-{jobs}-{hours}": digest == digest[::-1],
        digest: False,
        "": False,
        f"{digest}-{'9' * 5000}-{hours}": False,
        f"{digest}-٣-{hours}": False,
    }.items():
        assert acknowledges(given_text, assessment) is passes, given_text


def verdict(state, change, before, document):
    """The first that holds."""
    then = after(state, change)
    used = usage_of(then)
    errors = [
        [(f["id"], f["where"]) for f in one["findings"] if f["severity"] == "error"] for one in (before, document)
    ]
    if set(errors[1]) - set(errors[0]):
        return "invalid"
    if document["terminated"] or set(document["never_fits"]) - set(before["never_fits"]):
        return "destructive"
    grew = any(
        new > old
        for of in ("jobs", "instances")
        for old, new in zip(before["bounds"][of], document["bounds"][of], strict=True)
    )
    if document["newly_possible"] or grew:
        return "disruptive"
    rows = [row for units in document["shares"].values() for row in units.values()]
    if document["newly_eligible"] or any(row["over_after"] > row["over_before"] for row in rows):
        return "at_risk"
    stuck = any(
        reach(then, name, unit) < reach(state, name, unit) and used[name].get(unit, 0) >= reach(then, name, unit)
        for name in set(then["shares"]) & set(state["shares"])
        for unit in {*then["shares"][name]["limits"], *state["shares"][name]["limits"], *used[name]}
    )
    if document["possible"] or set(before["starts"]) - set(document["starts"]) or stuck:
        return "notice"
    return "safe"


@every_queue
def test_the_verdict_is_the_first_that_holds(name):
    state, change, before, document = documents(name)
    assert document["verdict"] == verdict(state, change, before, document)


def test_every_verdict_occurs():
    assert {documents(name)[3]["verdict"] for name in QUEUES} == {
        "invalid",
        "destructive",
        "disruptive",
        "at_risk",
        "notice",
        "safe",
    }


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_cases(case):
    *_, document = documents(case["id"])
    document = document | {"gpu_hours": document["bounds"]["gpu_hours"]}
    assert {name: document[name] for name in case["expect"]} == case["expect"]


def test_hours_are_rounded_to_four_decimals():
    """10 seconds of 3 GPUs are 0.008333… hours."""
    state = full_state() | {"environment": {G5: 3}, "jobs": [full_state()["jobs"][0]]}
    state["jobs"][0] |= {"started_at": "2026-11-29T11:59:50Z"}
    assert assess(parse_state(state)).to_dict()["jobs"]["r1"]["loss_gpu_hours"] == [0.0083, 0.0083]
    state["jobs"][0]["checkpointed_at"] = None
    assert assess(parse_state(state)).to_dict()["jobs"]["r1"]["loss_gpu_hours"] == [0.0, 0.0083]


def test_work_before_the_start_and_after_the_picture_is_not_lost():
    state = full_state()
    state["jobs"][0] |= {"started_at": "2026-11-29T12:00:10Z", "checkpointed_at": None}
    assert assess(parse_state(state)).to_dict()["jobs"]["r1"]["loss_gpu_hours"] == [0.0, 0.0]
    state["jobs"][0] |= {"status": "STARTING", "started_at": None}
    assert assess(parse_state(state)).to_dict()["jobs"]["r1"]["loss_gpu_hours"] == [0.0, 0.0]


def test_an_unknown_type_counts_one_gpu_and_is_said():
    state = full_state()
    state["environment"] = {"ml.future.48xlarge": 4}
    state["shares"] = {"research": {"limits": {"ml.future.48xlarge": 4}, "strategy": "LEND"}}
    state["jobs"] = [{**state["jobs"][0], "uses": {"ml.future.48xlarge": 3}, "checkpointed_at": "2026-11-29T11:00:00Z"}]
    document = assess(parse_state(state)).to_dict()
    assert document["jobs"]["r1"]["loss_gpu_hours"] == [3.0, 3.0]
    assert any(
        finding["severity"] == "warning" and "ml.future.48xlarge" in finding["message"]
        for finding in document["findings"]
    )


def test_gpus_per_instance_count():
    state = full_state()
    state["jobs"] = [{**state["jobs"][0], "uses": {P4D: 2}}]
    assert assess(parse_state(state)).to_dict()["jobs"]["r1"]["loss_gpu_hours"] == [16.0, 16.0]


def test_a_removed_share_has_no_limit_after_and_its_jobs_are_gone():
    state = parse_state(full_state())
    document = assess(state, parse_change({"shares": {"research": None}}, state)).to_dict()
    assert document["shares"]["research"][G5] | {"over_before": None} == {
        "limit_before": 2,
        "limit_after": None,
        "usage": 0,
        "over_before": None,
        "over_after": 0,
        "borrow_cap_after": None,
    }
    assert (document["verdict"], document["terminated"], document["jobs"]["r1"]["risk"]) == (
        "destructive",
        ["r1"],
        "terminated",
    )


def test_what_was_wrong_before_is_a_finding_not_a_verdict():
    state = full_state()
    state["environment"] = {G5: 3, P4D: 2}
    document = assess(parse_state(state), parse_change({})).to_dict()
    assert any(finding["severity"] == "error" for finding in document["findings"])
    assert document["verdict"] != "invalid"


def test_more_than_the_environment_is_invalid_unless_it_is_allowed():
    state = parse_state(full_state() | {"jobs": []})
    change = parse_change({"shares": {"vision": {"limits": {G5: 3}}}}, state)
    assert assess(state, change).verdict == "invalid"
    assert assess(state, change, allow_oversubscription=True).verdict != "invalid"


def test_a_whole_change_can_be_assessed():
    state = parse_state(full_state())
    assert assess(state, parse_change(full_change(), state)).verdict in ("invalid", "destructive")
