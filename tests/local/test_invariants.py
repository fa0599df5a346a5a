"""Random work on random queues: the scheduling model's invariants hold at every step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_invariants import Replay
from local_support import G5, P4, InProcess, Queue, borrow, limits

UNITS = (G5, P4)
Configuration = tuple[dict[str, int], dict[str, tuple[dict[str, int], dict[str, Any]]], list[str]]
Actions = list[tuple[str, int, int, int]]

SHARING = st.sampled_from([{"strategy": "RESERVE"}, {"strategy": "LEND"}, *map(borrow, (-1, 0, 50, 100, 200))])


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """An environment, shares with limits and sharing, and those with in-share preemption."""
    names = [f"S{number}" for number in range(draw(st.integers(1, 4)))]
    shares = {
        name: ({unit: draw(st.integers(1, 4)) for unit in UNITS if unit == G5 or draw(st.booleans())}, draw(SHARING))
        for name in names
    }
    total = {unit: sum(of_share.get(unit, 0) for of_share, _ in shares.values()) for unit in UNITS}
    environment = {unit: count for unit, count in total.items() if count}
    return environment, shares, [name for name in names if draw(st.booleans())]


WORK = ["submit"] * 6 + ["priority", "terminate", "advance", "advance"]
CHANGES = ["limit", "environment", "sharing"]


def actions(kinds: list[str]) -> st.SearchStrategy[Actions]:
    one = st.tuples(st.sampled_from(kinds), st.integers(0, 30), st.integers(0, 4), st.integers(1, 4))
    return st.lists(one, min_size=5, max_size=40)


def act(queue: Queue, configuration: Configuration, jobs: list[str], action: tuple[str, int, int, int]) -> None:
    """Do one thing to a queue."""
    kind, what, priority, size = action
    environment, shares, _ = configuration
    client, names = queue.face.client, sorted(shares)
    share = names[what % len(names)]
    if kind == "submit":
        units = list(environment)
        uses = dict.fromkeys(units, size) if what % 7 == 0 else {units[what % len(units)]: size}
        retries = {"preemptionConfiguration": {"preemptionRetriesBeforeTermination": 2}} if what % 3 == 0 else {}
        jobs.append(queue.submit(share, uses, priority=priority, run_seconds=20 * what, **retries))
    elif kind == "advance":
        queue.face.advance(what)
    elif kind == "limit":
        client.update_quota_share(quotaShareArn=queue.share_arn(share), capacityLimits=limits({G5: size}))
    elif kind == "sharing":
        sharing = borrow(50 * priority) if priority else {"strategy": ("LEND", "RESERVE")[size % 2]}
        client.update_quota_share(quotaShareArn=queue.share_arn(share), resourceSharingConfiguration=sharing)
    elif kind == "environment":
        client.update_service_environment(
            serviceEnvironment=f"{queue.name}-environment", capacityLimits=limits(dict.fromkeys(environment, size * 2))
        )
    elif jobs and kind == "priority":
        client.update_service_job(jobId=jobs[what % len(jobs)], schedulingPriority=priority)
    elif jobs:
        client.terminate_service_job(jobId=jobs[what % len(jobs)], reason="r")


def play(configuration: Configuration, todo: Actions) -> None:
    """Do it all, and check the log."""
    environment, shares, in_share = configuration
    face, jobs = InProcess(), list[str]()
    queue = Queue(face, environment, shares, in_share=in_share)
    for action in todo:
        act(queue, configuration, jobs, action)
    face.advance(10_000)
    replay = Replay()
    assert replay.play(face.events()) == []
    assert set(replay.jobs) == set(jobs)
    assert all(not replay.usage(share).total() for share in shares)
    # Nobody waits for ever who could run: what is left can never run, or stands behind such a job. An environment
    # below the sum of its shares promises nothing.
    for share in shares if replay.covers_all_limits() else ():
        waiting = [job for job in jobs if replay.jobs[job].share == share and replay.jobs[job].status == "RUNNABLE"]
        reasons = [queue.describe(job).get("statusReason", "") for job in waiting]
        assert not waiting or any(reason.startswith("MISCONFIGURATION:") for reason in reasons)


@settings(max_examples=25, deadline=None)
@given(configuration=configurations(), todo=actions(WORK))
def test_invariants_hold_at_every_step(configuration: Configuration, todo: Actions) -> None:
    play(configuration, todo)


@settings(max_examples=25, deadline=None)
@given(configuration=configurations(), todo=actions(WORK + CHANGES))
def test_invariants_hold_while_limits_change(configuration: Configuration, todo: Actions) -> None:
    play(configuration, todo)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@settings(max_examples=3000, deadline=None)
@given(configuration=configurations(), todo=actions(WORK + CHANGES))
def test_invariants_hold_in_many_queues(configuration: Configuration, todo: Actions) -> None:
    play(configuration, todo)
