"""Clocks and what is planned on them."""

from __future__ import annotations

import itertools

import pytest
from local_support import G5, LEND, InProcess, Queue

from quota_constructs.local import LocalBatch, ManualClock, RealClock, Settings
from quota_constructs.local.agenda import Agenda


def test_actions_happen_in_the_order_of_their_time_then_of_their_planning() -> None:
    agenda, done = Agenda(), []
    for at, name in ((20, "c"), (10, "a"), (10, "b"), (30, "d")):
        agenda.plan(at, lambda at, name=name: done.append((at, name)))
    assert agenda.next_at() == 10
    agenda.run_until(20)
    assert done == [(10, "a"), (10, "b"), (20, "c")]
    assert agenda.next_at() == 30


def test_a_cancelled_action_does_not_happen() -> None:
    agenda, done = Agenda(), []
    entry = agenda.plan(10, done.append)
    entry.cancel()
    assert agenda.next_at() is None
    agenda.run_until(100)
    assert done == []


def test_an_action_may_plan_another_one_for_the_same_time() -> None:
    agenda, done = Agenda(), []
    agenda.plan(10, lambda at: agenda.plan(at, done.append))
    agenda.run_until(10)
    assert done == [10]


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_fails_to_go_backwards(seconds: float) -> None:
    for clock in (ManualClock(), RealClock()):
        with pytest.raises(ValueError, match="at least 0"):
            clock.advance(seconds)


@pytest.mark.parametrize("speed", [0, -1, float("inf")])
def test_fails_for_a_speed_of_nothing(speed: float) -> None:
    with pytest.raises(ValueError, match="speed must be a number above 0"):
        RealClock(speed)


def test_a_fast_clock_runs_ahead_of_the_machine() -> None:
    fast, real = RealClock(1_000_000), RealClock()
    start_fast, start_real = fast.now(), real.now()
    while real.now() - start_real < 2:
        pass
    assert fast.now() - start_fast >= 1_000_000


def test_everything_happens_at_its_own_time_however_far_the_clock_jumps() -> None:
    face = InProcess()
    queue = Queue(face, {G5: 1}, {"A": ({G5: 1}, LEND)})
    jobs = [queue.submit("A", run_seconds=3600) for _ in range(24)]
    face.advance(7 * 24 * 3600)
    started = [queue.describe(job)["startedAt"] for job in jobs]
    # an hour's run, a second until the scheduler looks again, and 15 seconds to start
    assert {later - earlier for earlier, later in itertools.pairwise(started)} == {3_616_000}
    assert queue.status(*jobs) == ["SUCCEEDED"] * 24


def test_without_delays_a_status_is_there_with_the_next_call() -> None:
    batch = LocalBatch(settings=Settings(status_seconds=0))
    client = batch.client()
    client.create_service_environment(
        serviceEnvironmentName="e",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=[{"capacityUnit": G5, "maxCapacity": 1}],
    )
    assert client.describe_service_environments()["serviceEnvironments"][0]["status"] == "VALID"


def test_fails_for_negative_delays() -> None:
    with pytest.raises(ValueError, match="status_seconds must be at least 0, got -1") as caught:
        Settings(status_seconds=-1, run_seconds=-2)
    assert "run_seconds must be at least 0, got -2" in str(caught.value)
