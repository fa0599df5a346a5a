from __future__ import annotations

from typing import Any

import pytest
from local_support import G5, LEND, Face, Queue, refused


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face, {G5: 10}, {"A": ({G5: 2}, LEND), "B": ({G5: 1}, LEND)})


@pytest.fixture
def jobs(queue: Queue) -> dict[str, str]:
    """Jobs by name, submitted a second apart: two of A run, one waits; one of B runs."""
    found = {}
    for name, share in (("train-1", "A"), ("Train-2", "A"), ("eval", "A"), ("b-job", "B")):
        found[name] = queue.submit(share, jobName=name)
        queue.face.advance(1)
    queue.face.advance(60)
    return found


def names(queue: Queue, **members: Any) -> list[str]:
    answer = queue.face.client.list_service_jobs(jobQueue=queue.name, **members)
    return [job["jobName"] for job in answer["jobSummaryList"]]


def by(name: str, value: str) -> dict[str, Any]:
    return {"filters": [{"name": name, "values": [value]}]}


def test_running_jobs_newest_first_without_status_and_filter(queue: Queue, jobs: dict[str, str]) -> None:
    assert names(queue) == ["b-job", "Train-2", "train-1"]
    assert names(queue, jobStatus="RUNNABLE") == ["eval"]
    assert names(queue, jobStatus="SUCCEEDED") == []


def test_a_summary_has_what_the_service_gives(queue: Queue, jobs: dict[str, str]) -> None:
    [summary] = queue.face.client.list_service_jobs(jobQueue=queue.arn, **by("JOB_NAME", "b-job"))["jobSummaryList"]
    described = queue.describe(jobs["b-job"])
    hidden = ("jobQueue", "schedulingPriority", "serviceRequestPayload")
    assert summary == {name: value for name, value in described.items() if name not in hidden}


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("train-1", ["train-1"]),
        ("TRAIN-1", ["train-1"]),
        ("train*", ["Train-2", "train-1"]),
        ("*", ["b-job", "eval", "Train-2", "train-1"]),
        ("train", []),
    ],
)
def test_job_name_ignores_case_and_status(queue: Queue, jobs: dict[str, str], value: str, want: list[str]) -> None:
    assert names(queue, **by("JOB_NAME", value)) == want
    assert names(queue, jobStatus="FAILED", **by("JOB_NAME", value)) == want


def test_created_at_bounds_are_exclusive(queue: Queue, jobs: dict[str, str]) -> None:
    moment = str(queue.describe(jobs["Train-2"])["createdAt"])
    assert names(queue, **by("BEFORE_CREATED_AT", moment)) == ["train-1"]
    assert names(queue, **by("AFTER_CREATED_AT", moment)) == ["b-job", "eval"]
    assert "takes milliseconds since 1970 UTC, got 'now'" in refused(
        queue.face.client.list_service_jobs, jobQueue="training", **by("BEFORE_CREATED_AT", "now")
    )


def test_quota_share_minds_the_status_if_there_is_one(queue: Queue, jobs: dict[str, str]) -> None:
    assert names(queue, **by("QUOTA_SHARE_NAME", "A")) == ["eval", "Train-2", "train-1"]
    assert names(queue, jobStatus="RUNNABLE", **by("QUOTA_SHARE_NAME", "A")) == ["eval"]
    assert names(queue, **by("QUOTA_SHARE_NAME", "none")) == []
    assert names(queue, **by("SHARE_IDENTIFIER", "A")) == []


def test_pages_hold_every_job_once_although_jobs_come_and_go(queue: Queue) -> None:
    jobs = [queue.submit("A", jobName=f"j{number}") for number in range(25)]
    members: dict[str, Any] = {"maxResults": 10, **by("QUOTA_SHARE_NAME", "A")}
    first = queue.face.client.list_service_jobs(jobQueue=queue.name, **members)
    queue.submit("A", jobName="later")
    found = [job["jobId"] for job in first["jobSummaryList"]]
    while "nextToken" in first:
        first = queue.face.client.list_service_jobs(jobQueue=queue.name, nextToken=first["nextToken"], **members)
        found += [job["jobId"] for job in first["jobSummaryList"]]
    assert found == list(reversed(jobs))


def test_the_paginator_of_the_client_gets_all(queue: Queue) -> None:
    for number in range(12):
        queue.submit("A", jobName=f"j{number}")
    pages = queue.face.client.get_paginator("list_service_jobs").paginate(
        jobQueue=queue.name, jobStatus="SUBMITTED", PaginationConfig={"PageSize": 5}
    )
    assert [len(page["jobSummaryList"]) for page in pages] == [5, 5, 2]


@pytest.mark.parametrize(
    ("members", "want"),
    [
        ({"filters": [{"name": "JOB_NAME", "values": ["a"]}] * 2}, "filters may have 1 entry, got 2"),
        (by("job_name", "a"), "filters[0].name must be JOB_NAME or"),
        ({"filters": [{"name": "JOB_NAME", "values": []}]}, "filters[0].values must have 1 entry, got 0"),
        ({"maxResults": 0}, "maxResults must be from 1 to 100, got 0"),
        ({"jobQueue": "none"}, "job queue none does not exist"),
        ({"nextToken": "bm9uc2Vuc2U="}, "not one that this operation gave out"),
    ],
)
def test_fails_for(queue: Queue, members: dict[str, Any], want: str) -> None:
    assert want in refused(queue.face.client.list_service_jobs, **({"jobQueue": queue.name} | members))


def test_fails_without_a_queue(face: Face) -> None:
    assert refused(face.client.list_service_jobs) == "jobQueue is missing"
