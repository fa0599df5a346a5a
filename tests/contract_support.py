"""Documents for the contract tests, as a user writes them: plain JSON, never values of the model."""

from __future__ import annotations

import copy
import random
from typing import Any

G5 = "ml.g5.xlarge"
P4D = "ml.p4d.24xlarge"
GPUS = {G5: 1, P4D: 8}
AT = "2026-11-29T12:00:00Z"

Json = Any


def full_state() -> dict[str, Json]:
    """Give a state in which every member of the format is there."""
    return {
        "version": 1,
        "at": AT,
        "queue": "ml-training",
        "region": "eu-west-1",
        "account": "111122223333",
        "environment": {G5: 4, P4D: 2},
        "shares": {
            "research": {
                "limits": {G5: 2, P4D: 1},
                "strategy": "LEND_AND_BORROW",
                "borrow_limit_percent": 200,
                "in_share_preemption": True,
                "state": "ENABLED",
            },
            "vision": {"limits": {G5: 2}, "strategy": "LEND"},
        },
        "time_limit_actions": [
            {
                "reason": "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED",
                "max_time_seconds": 600,
                "action": "TERMINATE",
            }
        ],
        "jobs": [
            {
                "id": "r1",
                "name": "pretrain",
                "share": "research",
                "uses": {G5: 3},
                "priority": 10,
                "status": "RUNNING",
                "created_at": "2026-11-29T09:00:00Z",
                "scheduled_at": "2026-11-29T09:10:00Z",
                "started_at": "2026-11-29T09:20:00Z",
                "checkpointed_at": "2026-11-29T11:00:00Z",
                "expected_end": "2026-11-29T18:00:00Z",
                "stopping_for": None,
                "preemption_retries_before_termination": 2,
                "preempted_attempt_count": 1,
                "owner": "ada",
            },
            {
                "id": "v1",
                "share": "vision",
                "uses": {G5: 2},
                "status": "RUNNABLE",
                "created_at": "2026-11-29T11:00:00Z",
            },
        ],
    }


def small_queue(waiting: int = 1) -> dict[str, Json]:
    """Give two lenders of an environment of 4: `a` uses 3 of 3, `b` uses 1 of 1, and some of b's jobs wait."""
    jobs = [
        {"id": "a1", "share": "a", "uses": {G5: 3}, "status": "RUNNING", "started_at": "2026-11-29T10:00:00Z"},
        {"id": "b1", "share": "b", "uses": {G5: 1}, "status": "RUNNING", "started_at": "2026-11-29T10:00:00Z"},
    ]
    jobs += [
        {"id": f"w{n}", "share": "b", "uses": {G5: 1}, "status": "RUNNABLE", "priority": 1} for n in range(waiting)
    ]
    shares = {"a": {"limits": {G5: 3}, "strategy": "LEND"}, "b": {"limits": {G5: 1}, "strategy": "LEND"}}
    return {"version": 1, "at": AT, "environment": {G5: 4}, "shares": shares, "jobs": jobs}


def full_change() -> dict[str, Json]:
    """Give a change with every member of the format: of a share that is there, of a new one, and a removal."""
    return {
        "version": 1,
        "environment": {G5: 5, P4D: 2},
        "shares": {
            "research": {"limits": {G5: 1}, "strategy": "LEND", "in_share_preemption": False, "state": "DISABLED"},
            "speech": {
                "limits": {G5: 1},
                "strategy": "LEND_AND_BORROW",
                "borrow_limit_percent": 0,
                "in_share_preemption": True,
                "state": "ENABLED",
            },
            "vision": None,
        },
    }


def paths_of(document: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List the places of a document, the root first."""
    found = [path]
    items: list[tuple[str | int, Json]] = []
    if isinstance(document, dict):
        items = list(document.items())
    elif isinstance(document, list):
        items = list(enumerate(document))
    for name, value in items:
        found += paths_of(value, (*path, name))
    return found


def at_path(document: Json, path: tuple[str | int, ...]) -> Json:
    """Give what is at a place."""
    for step in path:
        document = document[step]
    return document


def changed(document: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """Give a copy with another value at a place."""
    if not path:
        return value
    document = copy.deepcopy(document)
    at_path(document, path[:-1])[path[-1]] = value
    return document


def without(document: Json, path: tuple[str | int, ...]) -> Json:
    """Give a copy in which a member is missing."""
    document = copy.deepcopy(document)
    del at_path(document, path[:-1])[path[-1]]
    return document


def json_path(path: tuple[str | int, ...]) -> str:
    """Write a place as a JSON path; a name with dots or other signs stands in brackets."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if step.replace("_", "").isalnum() else f'["{step}"]'
    return text


def random_state(seed: int) -> dict[str, Json]:
    """Give a queue that a seed decides, with all kinds of jobs."""
    draw = random.Random(seed)
    shares: dict[str, Json] = {}
    for name in ("a", "b", "c")[: draw.randint(1, 3)]:
        share: dict[str, Json] = {
            "limits": {unit: draw.randint(1, 4) for unit in draw.choice(([G5], [G5], [P4D], [G5, P4D]))},
            "strategy": draw.choice(("RESERVE", "LEND", "LEND_AND_BORROW")),
            "in_share_preemption": draw.random() < 0.5,
        }
        if share["strategy"] == "LEND_AND_BORROW" and draw.random() < 0.8:
            share["borrow_limit_percent"] = draw.choice((-1, 0, 50, 100, 200))
        shares[name] = share
    environment = {
        unit: sum(share["limits"].get(unit, 0) for share in shares.values()) + draw.choice((0, 0, 0, 1, -1))
        for unit in (G5, P4D)
    }
    return {
        "version": 1,
        "at": AT,
        "environment": {unit: amount for unit, amount in environment.items() if amount > 0},
        "shares": shares,
        "jobs": [_random_job(draw, f"j{number}", sorted(shares)) for number in range(draw.randint(0, 9))],
    }


_STATUSES = ("RUNNING", "RUNNING", "RUNNING", "SCHEDULED", "STARTING", "RUNNABLE", "RUNNABLE", "SUBMITTED", "SUCCEEDED")


def _random_job(draw: random.Random, name: str, shares: list[str]) -> dict[str, Json]:
    status = draw.choice(_STATUSES)
    job: dict[str, Json] = {
        "id": name,
        "share": draw.choice(shares),
        "uses": {draw.choice((G5, G5, P4D)): draw.randint(1, 3)},
        "status": status,
        "priority": draw.choice((1, 2, 3, None)),
        "created_at": f"2026-11-29T0{draw.randint(1, 9)}:00:00Z",
        "owner": draw.choice((None, "ada")),
    }
    if status == "RUNNING":
        job["started_at"] = f"2026-11-29T10:{draw.randint(10, 59)}:0{draw.randint(0, 9)}Z"
        if draw.random() < 0.5:
            job["checkpointed_at"] = draw.choice(("2026-11-29T10:05:00Z", "2026-11-29T11:17:13Z"))
    if draw.random() < 0.4:
        job["preemption_retries_before_termination"] = draw.randint(0, 2)
        job["preempted_attempt_count"] = draw.randint(0, 2)
    return job


def random_change(seed: int) -> dict[str, Json]:
    """Give a change of the queue of the same seed."""
    draw = random.Random(seed + 1_000_000)
    state = random_state(seed)
    change: dict[str, Json] = {}
    if draw.random() < 0.4:
        change["environment"] = {
            unit: max(0, amount + draw.randint(-1, 2)) for unit, amount in state["environment"].items()
        }
    shares: dict[str, Json] = {}
    for name, share in state["shares"].items():
        kind = draw.random()
        if kind < 0.1:
            shares[name] = None
        elif kind < 0.5:
            shares[name] = {"limits": {unit: max(1, n + draw.randint(-2, 1)) for unit, n in share["limits"].items()}}
        elif kind < 0.6:
            shares[name] = {"strategy": draw.choice(("RESERVE", "LEND", "LEND_AND_BORROW"))}
        elif kind < 0.7:
            shares[name] = {"in_share_preemption": not share["in_share_preemption"]}
    if draw.random() < 0.1:
        shares["new"] = {"limits": {G5: 1}, "strategy": "LEND"}
    if shares or draw.random() < 0.5:
        change["shares"] = shares
    return change


def after(state: dict[str, Json], change: dict[str, Json]) -> dict[str, Json]:
    """Apply a change to a document, as the format of changes says."""
    result = copy.deepcopy(state)
    result["environment"] = change.get("environment", result["environment"])
    for name, members in change.get("shares", {}).items():
        if members is None:
            del result["shares"][name]
        else:
            share = result["shares"].setdefault(name, {})
            share.update(members)
            if share["strategy"] != "LEND_AND_BORROW" and "borrow_limit_percent" not in members:
                share.pop("borrow_limit_percent", None)
    result["jobs"] = [job for job in result["jobs"] if job["share"] in result["shares"]]
    return result
