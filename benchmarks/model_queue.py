"""A full queue of any size for the benchmarks of the model: 20 shares of 5 types, every type used up.

Drawn with a fixed seed, so that two runs measure the same queue.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace

from quota_scheduler import QueueState, apply_decisions, cycle, parse_state
from quota_scheduler.transitions import requeued

AT = "2026-11-29T12:00:00Z"
TYPES = ("ml.g5.xlarge", "ml.g5.12xlarge", "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.trn1.32xlarge")
SHARES = 20
SIZES = (1, 1, 1, 2, 2, 4, 8)


def full_queue(dispatched: int, waiting: int, seed: int = 1) -> dict[str, object]:
    """Give the state document of a full queue.

    Args:
        dispatched: number of jobs that hold capacity.
        waiting: number of jobs that wait.
        seed: of the random numbers.
    """
    draw = random.Random(seed)
    jobs = []
    usage: dict[tuple[int, str], int] = {}
    for number in range(dispatched + waiting):
        share, unit, amount = draw.randrange(SHARES), draw.choice(TYPES), draw.choice(SIZES)
        hours, minutes = draw.randrange(0, 11), draw.randrange(0, 60)
        job: dict[str, object] = {
            "id": f"{number:08x}-1f2e-4c3b-9a8d-{draw.randrange(16**12):012x}",
            "name": f"train-{number}",
            "share": f"team-{share:02d}",
            "uses": {unit: amount},
            "priority": draw.randrange(0, 10),
            "status": "RUNNABLE",
            "created_at": f"2026-11-28T{hours:02d}:{minutes:02d}:00Z",
        }
        if number < dispatched:
            usage[share, unit] = usage.get((share, unit), 0) + amount
            job["status"] = "RUNNING"
            job["scheduled_at"] = f"2026-11-29T{hours:02d}:{minutes:02d}:00Z"
            job["started_at"] = f"2026-11-29T{hours:02d}:{minutes:02d}:30Z"
            job["owner"] = f"user-{draw.randrange(200)}"
        jobs.append(job)
    draw.shuffle(jobs)
    shares = {f"team-{share:02d}": _share(draw, share, usage) for share in range(SHARES)}
    environment = {unit: sum(share["limits"][unit] for share in shares.values()) for unit in TYPES}
    return {"version": 1, "at": AT, "environment": environment, "shares": shares, "jobs": jobs}


def _share(draw: random.Random, share: int, usage: dict[tuple[int, str], int]) -> dict[str, object]:
    """Give a share whose limits are about what it uses: some lend what others have borrowed."""
    lends = share % 4
    shift = {0: 0, 1: 3, 2: -3, 3: 0}[lends]
    members: dict[str, object] = {
        "limits": {unit: max(8, usage.get((share, unit), 0) + shift) for unit in TYPES},
        "strategy": ("RESERVE", "LEND", "LEND_AND_BORROW", "LEND_AND_BORROW")[lends],
        "in_share_preemption": draw.random() < 0.3,
    }
    if members["strategy"] == "LEND_AND_BORROW":
        members["borrow_limit_percent"] = draw.choice((-1, 50, 200))
    return members


def settled(dispatched: int, waiting: int) -> QueueState:
    """Give a full queue in which nothing can start, as a scheduler leaves it."""
    state = parse_state(json.dumps(full_queue(dispatched, waiting)))
    while True:
        decisions = cycle(state, heads_only=True)
        if not any(decision.outcome in ("dispatch", "preempt") for decision in decisions):
            return state
        after = apply_decisions(state, decisions)
        ended = tuple([job if job.stopping_for is None else requeued(job, state.at) for job in after.jobs])
        state = replace(after, jobs=ended)
