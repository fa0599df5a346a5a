"""Random work on random queues: the scheduling model's invariants hold at every step."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from local_invariants import Replay, Shares
from local_support import G5, P4, InProcess, Queue, borrow

UNITS = (G5, P4)


@st.composite
def configurations(draw: st.DrawFn) -> tuple[Shares, dict[str, tuple[dict[str, int], dict[str, Any]]]]:
    names = [f"S{number}" for number in range(draw(st.integers(1, 4)))]
    limits = {
        name: {unit: draw(st.integers(1, 4)) for unit in UNITS if unit == G5 or draw(st.booleans())} for name in names
    }
    strategy = {name: draw(st.sampled_from(["RESERVE", "LEND", "LEND_AND_BORROW"])) for name in names}
    percent = {name: draw(st.sampled_from([-1, 0, 50, 100, 200])) for name in names}
    total = {unit: sum(of_share.get(unit, 0) for of_share in limits.values()) for unit in UNITS}
    environment = {unit: count for unit, count in total.items() if count}
    in_share = frozenset(name for name in names if draw(st.booleans()))
    shares = Shares(environment, limits, strategy, percent, in_share)
    described = {
        name: (
            limits[name],
            borrow(percent[name]) if strategy[name] == "LEND_AND_BORROW" else {"strategy": strategy[name]},
        )
        for name in names
    }
    return shares, described


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["submit"] * 6 + ["priority", "terminate", "advance", "advance"]),
        st.integers(0, 30),
        st.integers(0, 4),
        st.integers(1, 4),
    ),
    min_size=5,
    max_size=40,
)


@settings(max_examples=25, deadline=None)
@given(configuration=configurations(), actions=ACTIONS)
def test_invariants_hold_at_every_step(
    configuration: tuple[Shares, dict[str, tuple[dict[str, int], dict[str, Any]]]],
    actions: list[tuple[str, int, int, int]],
) -> None:
    shares, described = configuration
    face = InProcess()
    queue = Queue(face, shares.environment, described, in_share=shares.in_share)
    names, jobs = sorted(described), []
    for action, what, priority, size in actions:
        if action == "submit":
            units = [unit for unit in UNITS if unit in shares.environment]
            uses = {units[what % len(units)]: size}
            if what % 7 == 0:
                uses = dict.fromkeys(units, size)
            share = names[what % len(names)]
            retries = {"preemptionConfiguration": {"preemptionRetriesBeforeTermination": 2}} if what % 3 == 0 else {}
            jobs.append(queue.submit(share, uses, priority=priority, run_seconds=20 * what, **retries))
        elif action == "advance":
            face.advance(what)
        elif jobs and action == "priority":
            face.client.update_service_job(jobId=jobs[what % len(jobs)], schedulingPriority=priority)
        elif jobs:
            face.client.terminate_service_job(jobId=jobs[what % len(jobs)], reason="r")
    face.advance(10_000)
    replay = Replay(shares)
    assert replay.play(face.events()) == []
    assert set(replay.jobs) == set(jobs)
    # nobody waits for ever who could run: what is left waiting can never run, or stands behind such a job
    for job in jobs:
        found = queue.describe(job)
        assert found["status"] in ("SUCCEEDED", "FAILED", "RUNNABLE")
        assert found["status"] == replay.jobs[job].status
    assert all(not replay.usage(share).total() for share in shares.limits)
    for name in names:
        waiting = [job for job in jobs if replay.jobs[job].share == name and replay.jobs[job].status == "RUNNABLE"]
        if waiting:
            heads = [queue.describe(job).get("statusReason", "") for job in waiting]
            assert any(reason.startswith("MISCONFIGURATION:") for reason in heads)
