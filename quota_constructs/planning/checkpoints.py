"""When running jobs last saved their work: the newest object below each one's checkpoint location.

Asked for with the user's own credentials and only on demand, as the guard may not read anybody's bucket. Parallel and
bounded. What cannot be read counts as unknown, and is said.

Source: CreateTrainingJob, `CheckpointConfig.S3Uri`; ListObjectsV2, `LastModified`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quota_live.clients import call
from quota_live.errors import LiveError
from quota_live.jobs import decode_payload
from quota_scheduler import assess
from quota_scheduler.wording import count, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_live.clients import Clients
    from quota_live.plan import QueuePlan
    from quota_scheduler import Job

MOST_JOBS = 500
MOST_PAGES = 20
"""Pages that are looked at for one job."""

_OBJECTS_A_PAGE = 1000
"""Source: ListObjectsV2, MaxKeys."""

_THREADS = 16
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Saved:
    """What was found for one job.

    Args:
        at: Time of the newest checkpoint in milliseconds since 1970 UTC; None where there is none or it is not known.
        problem: Why it is not known; empty where it is.
    """

    at: int | None = None
    problem: str = ""


def with_checkpoints(
    plan: QueuePlan, clients: Clients, allow_oversubscription: bool
) -> tuple[QueuePlan, tuple[str, ...]]:
    """Give a plan in which the last checkpoints of the jobs at risk are known.

    Args:
        plan: As the account alone tells it.
        clients: Of the account, with the user's credentials.
        allow_oversubscription: Whether the shares may have more than the environment together.

    Returns:
        The plan with smaller losses, and what could not be read.
    """
    jobs = {job.id: job for job in plan.state.jobs}
    wanted = [jobs[name] for name in jobs_to_ask(plan) if name in jobs]
    asked = wanted[:MOST_JOBS]
    if not asked:
        return plan, ()
    with ThreadPoolExecutor(_THREADS) as pool:
        found = dict(zip((job.id for job in asked), pool.map(lambda job: last_saved(clients, job), asked), strict=True))
    notes = _notes(found, jobs, len(wanted) - len(asked))
    state = replace(plan.state, jobs=tuple(_with_time(job, found.get(job.id)) for job in plan.state.jobs))
    assessment = assess(state, plan.change, plan.knobs, allow_oversubscription=allow_oversubscription)
    return replace(plan, state=state, assessment=assessment), notes


def jobs_to_ask(plan: QueuePlan) -> tuple[str, ...]:
    """Name the running jobs whose loss depends on when they last saved their work, the worst first."""
    running = {job.id for job in plan.state.jobs if job.started_at is not None}
    at_risk = (*plan.jobs_at_risk, *plan.assessment.possible, *plan.assessment.eligible)
    return tuple(name for name in dict.fromkeys(at_risk) if name in running)


def last_saved(clients: Clients, job: Job) -> Saved:
    """Find when a job last saved its work; it never raises for what cannot be read."""
    try:
        described = call(clients.batch.describe_service_job, jobId=job.id)
    except LiveError as error:
        return Saved(problem=str(error))
    location = checkpoint_location(described.get("serviceRequestPayload"))
    if location is None:
        return Saved()
    try:
        newest, is_whole = _newest(clients, *location)
    except LiveError as error:
        return Saved(problem=f"bucket {location[0]} cannot be read ({error.code})")
    if not is_whole:
        most = f"{MOST_PAGES * _OBJECTS_A_PAGE:,}"
        return Saved(problem=f"bucket {location[0]} has more objects there than the {most} that are looked at")
    return Saved(newest if newest is not None and newest > (job.started_at or 0) else None)


def checkpoint_location(payload: object) -> tuple[str, str] | None:
    """Read bucket and prefix from a job's payload, or give None where it names no place in S3."""
    config = decode_payload(payload).get("CheckpointConfig")
    uri = config.get("S3Uri") if isinstance(config, dict) else None
    if not isinstance(uri, str) or not uri.startswith("s3://"):
        return None
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    return (bucket, prefix) if bucket else None


def _newest(clients: Clients, bucket: str, prefix: str) -> tuple[int | None, bool]:
    """Give the time of the newest object that was looked at, and whether those were all; S3 lists by name."""
    newest: int | None = None
    extra: dict[str, Any] = {}
    for _ in range(MOST_PAGES):
        page = call(clients.s3.list_objects_v2, Bucket=bucket, Prefix=prefix, **extra)
        for entry in page.get("Contents") or ():
            at = int(entry["LastModified"].timestamp() * 1000)
            newest = at if newest is None else max(newest, at)
        if not page.get("NextContinuationToken"):
            return newest, True
        extra = {"ContinuationToken": page["NextContinuationToken"]}
    return newest, False


def _with_time(job: Job, saved: Saved | None) -> Job:
    return job if saved is None or saved.at is None else replace(job, checkpointed_at=saved.at)


def _notes(found: Mapping[str, Saved], jobs: Mapping[str, Job], left_out: int) -> tuple[str, ...]:
    """Say what could not be read, each reason once with the jobs concerned."""
    reasons: dict[str, list[str]] = {}
    for name, saved in found.items():
        if saved.problem:
            reasons.setdefault(saved.problem, []).append(jobs[name].name or name)
    notes = [
        f"checkpoints of {listed(names, _MOST_NAMED)} are not known: {reason}" for reason, names in reasons.items()
    ]
    if left_out:
        notes.append(
            f"checkpoints of {count(left_out, 'more job')} were not looked for, {MOST_JOBS:,} are looked for at most"
        )
    return tuple(notes)
