"""Small random queues and changes that hit the corners of the contract; the same seed gives the same pair."""

from __future__ import annotations

from random import Random
from typing import Any

Document = dict[str, Any]

TYPES = ("ml.g5.xlarge", "ml.p4d.24xlarge", "ml.g5.12xlarge", "ml.zz9.large")
STRATEGIES = ("RESERVE", "LEND", "LEND_AND_BORROW", "LEND_AND_BORROW")
PERCENTS = (-1, -1, 0, 33, 50, 100, 150, 200)
DISPATCHED = ("RUNNING", "RUNNING", "RUNNING", "STARTING", "SCHEDULED")


def time(random: Random, *, first: int = 0, last: int = 11) -> str:
    """One of few times of the day, so that equal ones are frequent."""
    return f"2026-11-29T{random.randint(first, last):02}:{random.choice((0, 0, 30)):02}:{random.choice((0, 0, 7)):02}Z"


def share_of(random: Random, types: list[str]) -> Document:
    listed = [kind for kind in types if random.random() < 0.9] or [types[0]]
    strategy = random.choice(STRATEGIES)
    share: Document = {"limits": {kind: random.randint(1, 4) for kind in listed}, "strategy": strategy}
    percent = random.choice(PERCENTS)
    if strategy == "LEND_AND_BORROW" and (percent != -1 or random.random() < 0.5):
        share["borrow_limit_percent"] = percent
    if random.random() < 0.6:
        share["in_share_preemption"] = random.random() < 0.75
    if random.random() < 0.1:
        share["state"] = "DISABLED"
    return share


def environment_of(random: Random, types: list[str], shares: dict[str, Document]) -> dict[str, int]:
    result = {}
    for kind in types:
        total = sum(share["limits"].get(kind, 0) for share in shares.values())
        result[kind] = max(1, total + random.choice((0, 0, 0, 0, 1, 2, 4, -1, -2, -3)))
    if len(result) > 1 and random.random() < 0.05:
        del result[random.choice(types)]
    return result


def uses_of(random: Random, types: list[str], limits: dict[str, int]) -> dict[str, int]:
    """Mostly of types the share lists and within its limits, as other jobs could never run."""
    kinds = types if random.random() < 0.04 else sorted(limits)
    chosen = random.sample(kinds, min(len(kinds), random.choice((1, 1, 1, 2, 2, 3))))
    most = {kind: limits.get(kind, 2) if random.random() < 0.85 else 4 for kind in chosen}
    return {kind: min(random.choice((1, 1, 1, 2, 2, 3, 4)), most[kind]) for kind in chosen}


def job_of(random: Random, number: int, share: str, uses: dict[str, int], status: str, unknown: float) -> Document:
    job: Document = {"id": f"j{number:02}", "share": share, "uses": uses, "status": status}
    if random.random() >= unknown:
        job["priority"] = random.choice((0, 1, 1, 2, 2, 3, 5))
    if random.random() < 0.97:
        job["created_at"] = time(random)
    if status in DISPATCHED:
        if random.random() < 0.5:
            job["scheduled_at"] = time(random)
        if status == "RUNNING" and random.random() < 0.95:
            job["started_at"] = time(random)
            if random.random() < 0.4:
                job["checkpointed_at"] = time(random)
        if random.random() < 0.3:
            job["preemption_retries_before_termination"] = random.randint(0, 2)
    if random.random() < 0.2:
        job["preempted_attempt_count"] = random.randint(0, 3)
    if random.random() < 0.3:
        job["owner"] = random.choice(("ann", "bob"))
    return job


def jobs_of(random: Random, types: list[str], shares: dict[str, Document], room: dict[str, int]) -> list[Document]:
    """Dispatched jobs until the environment is about full, then waiting ones, in any order."""
    unknown = random.choice((0.0, 0.0, 0.0, 0.3))
    left = dict(room)
    jobs: list[Document] = []
    names = sorted(shares)
    favourite = random.choice(names)
    most = random.choice((3, 5, 6, 7))
    for _ in range(12):
        if len(jobs) == most:
            break
        share = favourite if random.random() < 0.45 else random.choice(names)
        uses = uses_of(random, types, shares[share]["limits"])
        if any(n > left.get(kind, 0) for kind, n in uses.items()) and random.random() < 0.97:
            continue
        for kind, n in uses.items():
            left[kind] = left.get(kind, 0) - n
        jobs.append(job_of(random, len(jobs), share, uses, random.choice(DISPATCHED), unknown))
    for _ in range(random.choice((1, 2, 2, 3, 4))):
        share = random.choice(names)
        uses = uses_of(random, types, shares[share]["limits"])
        status = "RUNNABLE" if random.random() < 0.92 else random.choice(("SUBMITTED", "PENDING"))
        jobs.append(job_of(random, len(jobs), share, uses, status, unknown))
    waiting = [job["id"] for job in jobs if job["status"] == "RUNNABLE"]
    if random.random() < 0.25:
        for job in jobs:
            if job["status"] in DISPATCHED and random.random() < 0.25:
                job["stopping_for"] = random.choice([*waiting, "gone"])
    random.shuffle(jobs)
    return jobs


def state_of(random: Random) -> Document:
    types = random.sample(TYPES, random.choice((1, 1, 1, 2, 2, 3)))
    shares = {f"S{number}": share_of(random, types) for number in range(random.choice((1, 2, 2, 3, 3, 4)))}
    environment = environment_of(random, types, shares)
    return {
        "version": 1,
        "at": "2026-11-29T12:00:00Z",
        "environment": environment,
        "shares": shares,
        "jobs": jobs_of(random, types, shares, environment),
    }


def members_of(random: Random, share: Document, types: list[str]) -> Document:
    """Some members of a share, changed."""
    new = share_of(random, types)
    if random.random() < 0.6:
        limits = {kind: max(1, n + random.choice((-3, -2, -1, -1, 1, 1, 2))) for kind, n in share["limits"].items()}
        return {"limits": limits}
    members = {name: value for name, value in new.items() if name != "borrow_limit_percent" and random.random() < 0.5}
    strategy = members.get("strategy", share["strategy"])
    if strategy == "LEND_AND_BORROW" and random.random() < 0.5:
        members["borrow_limit_percent"] = random.choice(PERCENTS)
    return members or {"in_share_preemption": not share.get("in_share_preemption", False)}


def change_of(random: Random, state: Document) -> Document:
    types = sorted(state["environment"])
    shares: dict[str, Document | None] = {}
    for name, share in state["shares"].items():
        chance = random.random()
        if chance < 0.5:
            shares[name] = members_of(random, share, types)
        elif chance < 0.57:
            shares[name] = None
    if random.random() < 0.15:
        shares["T"] = share_of(random, types)
    change: Document = {"shares": shares} if shares or random.random() < 0.3 else {}
    if random.random() < 0.1:
        change["version"] = 1
    if random.random() < 0.5:
        left = {name: state["shares"].get(name, {}) | (shares.get(name) or {}) for name in {*state["shares"], *shares}}
        gone = {name for name, members in shares.items() if members is None}
        after = {name: share for name, share in left.items() if name not in gone}
        if random.random() < 0.8:
            change["environment"] = environment_of(random, types, after)
        else:
            change["environment"] = {
                kind: max(1, n + random.choice((-2, -1, 0, 1))) for kind, n in state["environment"].items()
            }
    return change


def wide_of(random: Random) -> Document:
    """One type, greater limits and jobs of many sizes: many victim sets."""
    kind = random.choice(TYPES)
    shares = {f"S{number}": share_of(random, [kind]) for number in range(random.choice((2, 2, 3)))}
    for one in shares.values():
        one["limits"] = {kind: random.randint(2, 9)}
    environment = environment_of(random, [kind], shares)
    left = environment[kind] + random.choice((0, 0, 0, 2))
    unknown = random.choice((0.0, 0.0, 0.2))
    jobs: list[Document] = []
    busy = random.choice(sorted(shares))
    while left > 0 and len(jobs) < 9:
        n = min(left, random.choice((1, 1, 2, 2, 3, 4, 5)))
        left -= n
        share = busy if random.random() < 0.6 else random.choice(sorted(shares))
        jobs.append(job_of(random, len(jobs), share, {kind: n}, random.choice(DISPATCHED), unknown))
    for _ in range(random.choice((1, 2, 3))):
        share = random.choice(sorted(shares))
        n = random.randint(1, shares[share]["limits"][kind])
        jobs.append(job_of(random, len(jobs), share, {kind: n}, "RUNNABLE", unknown))
    return {"version": 1, "at": "2026-11-29T12:00:00Z", "environment": environment, "shares": shares, "jobs": jobs}


def mixed_of(random: Random) -> Document:
    """A share below its limit needs its own low jobs and the borrowed room of another, or could borrow instead."""
    kind = random.choice(TYPES)
    limits = {"S0": random.randint(2, 5), "S1": random.randint(1, 4), "S2": random.randint(1, 3)}
    shares: dict[str, Document] = {
        name: {"limits": {kind: n}, "strategy": "LEND_AND_BORROW"} for name, n in limits.items()
    }
    shares["S0"]["in_share_preemption"] = True
    shares["S2"]["strategy"] = random.choice(("LEND", "RESERVE", "LEND_AND_BORROW"))
    total = sum(limits.values())
    sizes = {"S0": limits["S0"] - random.randint(0, 1), "S1": limits["S1"] + random.randint(0, 2)}
    sizes["S2"] = random.randint(0, limits["S2"])
    jobs: list[Document] = []
    for share, amount in sizes.items():
        left = amount
        while left > 0:
            n = min(left, random.choice((1, 1, 1, 2)))
            left -= n
            jobs.append(job_of(random, len(jobs), share, {kind: n}, "RUNNING", 0.0))
            if share == "S0":
                jobs[-1]["priority"] = random.randint(0, 2)
    for _ in range(random.choice((1, 1, 2))):
        uses = {kind: max(1, limits["S0"] + random.choice((-2, -1, -1, 0, 0, 0, 1)))}
        jobs.append(job_of(random, len(jobs), "S0", uses, "RUNNABLE", 0.0))
        jobs[-1]["priority"] = random.randint(2, 5)
    environment = {kind: total + random.choice((0, 0, 0, 1, 2, -1))}
    return {"version": 1, "at": "2026-11-29T12:00:00Z", "environment": environment, "shares": shares, "jobs": jobs}


def pair(seed: int) -> tuple[Document, Document]:
    """A state and a change."""
    random = Random(seed)
    profile = random.choice((state_of, state_of, state_of, wide_of, mixed_of))
    state = profile(random)
    return state, change_of(random, state)
