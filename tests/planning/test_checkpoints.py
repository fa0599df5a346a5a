"""Last checkpoints from S3: smaller losses, and honesty about what could not be read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from cli_support import TYPE, job, share, state

from quota_constructs.planning import checkpoints
from quota_constructs.planning.checkpoints import Saved, checkpoint_location, last_saved, with_checkpoints
from quota_live.plan import QueuePlan
from quota_scheduler import Change, assess, parse_change, parse_state

LOCATIONS = {
    "a folder": ({"CheckpointConfig": {"S3Uri": "s3://bucket/a/b"}}, ("bucket", "a/b/")),
    "a folder with a slash": ({"CheckpointConfig": {"S3Uri": "s3://bucket/a/"}}, ("bucket", "a/")),
    "a whole bucket": ({"CheckpointConfig": {"S3Uri": "s3://bucket"}}, ("bucket", "")),
    "another scheme": ({"CheckpointConfig": {"S3Uri": "https://bucket/a"}}, None),
    "no bucket": ({"CheckpointConfig": {"S3Uri": "s3:///a"}}, None),
    "no location": ({"CheckpointConfig": {"LocalPath": "/opt"}}, None),
    "no checkpoints": ({}, None),
    "a list": ([], None),
}


@pytest.mark.parametrize(("payload", "want"), LOCATIONS.values(), ids=LOCATIONS)
def test_location_of_checkpoints(payload: object, want: tuple[str, str] | None) -> None:
    assert checkpoint_location(json.dumps(payload)) == want


@pytest.mark.parametrize("payload", [None, "{", 3, "[" * 100_000], ids=["none", "no JSON", "a number", "too deep"])
def test_a_payload_that_is_none_has_no_location(payload: object) -> None:
    assert checkpoint_location(payload) is None


class Buckets:
    """S3 with a list of times for each bucket, in pages of two; other buckets refuse."""

    def __init__(self, **times: list[str]) -> None:
        self._times = times
        self.pages = 0

    def list_objects_v2(self, **members: Any) -> dict[str, Any]:
        self.pages += 1
        if members["Bucket"] not in self._times:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "Access Denied"}}, "ListObjectsV2")
        found = self._times[members["Bucket"]]
        start = int(members.get("ContinuationToken", 0))
        page = {"Contents": [{"LastModified": datetime.fromisoformat(text)} for text in found[start : start + 2]]}
        return page | ({"NextContinuationToken": str(start + 2)} if len(found) > start + 2 else {})


def account(buckets: Buckets, **saves_to: str) -> Any:
    """Clients of an account in which each job saves to a bucket of its own."""

    def describe_service_job(*, jobId: str) -> dict[str, Any]:  # noqa: N803  # the API's name
        bucket = saves_to.get(jobId)
        config = {"CheckpointConfig": {"S3Uri": f"s3://{bucket}/run"}} if bucket else {}
        return {"serviceRequestPayload": json.dumps(config)}

    return SimpleNamespace(batch=SimpleNamespace(describe_service_job=describe_service_job), s3=buckets)


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1000)


FOUND = {
    "the newest counts, over all pages": (
        ["2026-11-29T10:30:00+00:00", "2026-11-29T11:00:00+00:00", "2026-11-29T11:30:00+00:00"],
        Saved(at("2026-11-29T11:30:00+00:00")),
    ),
    "one from before this attempt does not count": (["2026-11-29T09:00:00+00:00"], Saved()),
    "nothing was saved yet": ([], Saved()),
}


@pytest.mark.parametrize(("times", "want"), FOUND.values(), ids=FOUND)
def test_last_saved(times: list[str], want: Saved) -> None:
    (running,) = parse_state(state({"A": share(1)}, [job("a", "A")])).jobs
    assert last_saved(account(Buckets(mine=times), a="mine"), running) == want


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        (6, Saved(at("2026-11-29T11:00:00+00:00"))),
        (7, Saved(problem="bucket mine has more objects there than the 3,000 that are looked at")),
    ],
    ids=["just all", "one more"],
)
def test_of_a_bucket_that_is_not_read_to_its_end_the_newest_object_is_not_known(
    objects: int, want: Saved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "MOST_PAGES", 3)
    (running,) = parse_state(state({"A": share(1)}, [job("a", "A")])).jobs
    buckets = Buckets(mine=["2026-11-29T11:00:00+00:00"] * objects)
    assert last_saved(account(buckets, a="mine"), running) == want
    assert buckets.pages == 3


def plan_of_a_cut() -> QueuePlan:
    before = parse_state(state({"A": share(3)}, [job("a", "A"), job("b", "A", name="second"), job("c", "A")]))
    change = parse_change({"shares": {"A": {"limits": {TYPE: 1}}}}, before)
    return QueuePlan("Demo/Queue", "arn", before, change, assess(before, change))


def test_losses_shrink_to_the_last_checkpoint_and_what_is_not_known_is_said() -> None:
    buckets = Buckets(mine=["2026-11-29T11:30:00+00:00"])
    plan, notes = with_checkpoints(plan_of_a_cut(), account(buckets, a="mine", b="theirs"), False)
    losses = {name: each.loss_gpu_hours for name, each in plan.assessment.jobs.items()}
    assert losses == {"a": (0.5, 0.5), "b": (0.0, 1.9167), "c": (0.0, 1.9167)}
    assert notes == ("checkpoints of second are not known: bucket theirs cannot be read (AccessDenied)",)


def test_no_more_jobs_are_asked_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "MOST_JOBS", 1)
    buckets = Buckets(mine=["2026-11-29T11:30:00+00:00"])
    _, notes = with_checkpoints(plan_of_a_cut(), account(buckets, a="mine", b="mine", c="mine"), False)
    assert notes == ("checkpoints of 2 more jobs were not looked for, 1 are looked for at most",)
    assert buckets.pages == 1


def test_without_jobs_at_risk_nobody_is_asked() -> None:
    before = parse_state(state({"A": share(3)}, [job("a", "A")]))
    plan = QueuePlan("Demo/Queue", "arn", before, Change(), assess(before, Change()))
    assert with_checkpoints(plan, account(Buckets()), False) == (plan, ())
