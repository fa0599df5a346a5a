"""Fifty clients at once: no job is lost or doubled, and the invariants hold at every step."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from local_invariants import Replay
from local_support import G5, LEND, RESERVE, InProcess, OverHttp, Queue, borrow, http_client

from quota_constructs.local import LocalBatch, LocalCloud, RealClock, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS = 50
JOBS_EACH = 8
SPEED = 200.0


class Fast(InProcess):
    """A local Batch in this process whose clock runs by itself."""

    def __init__(self) -> None:
        self.batch = LocalBatch(clock=RealClock(SPEED), settings=Settings())
        self.client = self.batch.client()


@pytest.fixture(params=["in process", "over HTTP"])
def face(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "in process":
        yield Fast()
        return
    with LocalCloud(batch_only=True, speed=SPEED, delays="realistic") as cloud:
        yield OverHttp(cloud.endpoint_url)


def one_client(face: Any, seed: int) -> list[str]:
    """Submit jobs, look at them, change and end some; gives the ids of those that were taken."""
    dice = random.Random(seed)
    client = face.batch.client() if isinstance(face, InProcess) else http_client(face.endpoint_url, face.account)
    taken: list[str] = []
    queue = Queue.__new__(Queue)
    queue.face, queue.name = type("Face", (), {"client": client})(), "training"
    for _ in range(JOBS_EACH):
        share = dice.choice(["A", "A", "B", "C"])
        taken.append(queue.submit(share, dice.randint(1, 4), priority=dice.randint(0, 9), run_seconds=120))
        client.describe_service_job(jobId=dice.choice(taken))
        client.list_service_jobs(jobQueue="training", jobStatus=dice.choice(["RUNNING", "RUNNABLE"]))
        action = dice.random()
        if action < 0.3:
            client.update_service_job(jobId=dice.choice(taken), schedulingPriority=dice.randint(0, 9))
        elif action < 0.4:
            client.terminate_service_job(jobId=dice.choice(taken), reason="r")
        elif action < 0.6:
            client.get_job_queue_snapshot(jobQueue="training")
    return taken


def test_fifty_clients(face: Any) -> None:
    Queue(face, {G5: 24}, {"A": ({G5: 8}, borrow()), "B": ({G5: 8}, LEND), "C": ({G5: 8}, RESERVE)}, in_share=["A"])
    with ThreadPoolExecutor(CLIENTS) as pool:
        taken = [job for jobs in pool.map(lambda seed: one_client(face, seed), range(CLIENTS)) for job in jobs]
    face.advance(1_000_000)
    events = face.events()
    submitted = [event["subject"] for event in events if event["kind"] == "submitted"]
    assert len(taken) == len(set(taken)) == CLIENTS * JOBS_EACH
    assert sorted(submitted) == sorted(taken)
    replay = Replay()
    assert replay.play(events) == []
    assert {job.status for job in replay.jobs.values()} == {"SUCCEEDED", "FAILED"}
    assert any(event["kind"] == "preemption_started" for event in events)
    listed = {
        job["jobId"]
        for status in ("SUCCEEDED", "FAILED")
        for page in face.client.get_paginator("list_service_jobs").paginate(jobQueue="training", jobStatus=status)
        for job in page["jobSummaryList"]
    }
    assert listed == set(taken)
