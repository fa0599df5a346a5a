"""Service jobs as the service tells them, turned into the model's jobs.

Source: ListServiceJobs (summaries, without priority and tags), DescribeServiceJob (everything, one job a call).
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import ceil

from quota_scheduler.job import DISPATCHED_STATUSES, FINISHED_STATUSES, STATUSES, Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

UNFINISHED_STATUSES = tuple(status for status in STATUSES if status not in FINISHED_STATUSES)
"""Statuses of jobs that are not done, in the order in which a job passes them."""

PREEMPTION_IN_PROGRESS = "PREEMPTION_IN_PROGRESS"
"""Start of the status reason of a job that is being stopped for another. Source: service job preemption events."""

CROSS_SHARE = "cross-share"
IN_SHARE = "in-share"
UNKNOWN_CLAIMANT = "unknown"
"""Stand for the job for which one is being stopped: the service tells of which kind it is at most."""


def job_from_summary(summary: Mapping[str, Any], share: str) -> Job:
    """Make a job of an entry of ListServiceJobs.

    Args:
        summary: the entry.
        share: name of the share that was listed.

    Returns:
        The job, without what only a description has (priority, retries, owner).
    """
    status = summary["status"]
    return Job(
        id=summary["jobId"],
        share=summary.get("quotaShareName") or share,
        uses=_uses(summary.get("capacityUsage")),
        status=status,
        name=summary.get("jobName"),
        created_at=_time(summary.get("createdAt")),
        scheduled_at=_time(summary.get("scheduledAt")),
        started_at=_time(summary.get("startedAt")),
        stopping_for=_claimant(str(summary.get("statusReason") or "")) if status in DISPATCHED_STATUSES else None,
    )


def job_with_details(job: Job, details: Mapping[str, Any], owner_tag: str) -> Job:
    """Add what DescribeServiceJob knows beyond the list.

    The status stays as it was listed, so that the picture is of one time.

    Args:
        job: as listed.
        details: the response.
        owner_tag: key of the tag that names the owner.

    Returns:
        The job with priority, retries, preemptions, owner, and the latest time at which it will be done.
    """
    preemption = details.get("preemptionConfiguration") or {}
    summary = details.get("preemptionSummary") or {}
    payload = decode_payload(details.get("serviceRequestPayload"))
    priority = details.get("schedulingPriority")
    return replace(
        job,
        uses=job.uses or _uses(details.get("capacityUsage")) or _uses_of_payload(payload),
        priority=0 if priority is None else int(priority),
        preemption_retries_before_termination=preemption.get("preemptionRetriesBeforeTermination"),
        preempted_attempt_count=int(summary.get("preemptedAttemptCount") or 0),
        owner=(details.get("tags") or {}).get(owner_tag) or None,
        expected_end=_latest_end(job.started_at, details, payload),
    )


def _claimant(reason: str) -> str | None:
    if not reason.startswith(PREEMPTION_IN_PROGRESS):
        return None
    lowered = reason.lower()
    return next((kind for kind in (CROSS_SHARE, IN_SHARE) if kind in lowered), UNKNOWN_CLAIMANT)


def _uses(usage: object) -> Mapping[str, int]:
    if not isinstance(usage, list):
        return {}
    return {entry["capacityUnit"]: ceil(entry["quantity"]) for entry in usage if entry.get("quantity")}


def _uses_of_payload(payload: Mapping[str, Any]) -> Mapping[str, int]:
    """Read instance types and counts from a CreateTrainingJob payload, instance groups included."""
    config = payload.get("ResourceConfig")
    if not isinstance(config, dict):
        return {}
    groups = config.get("InstanceGroups") or [config]
    uses: dict[str, int] = {}
    for group in groups:
        if isinstance(group, dict) and isinstance(group.get("InstanceType"), str):
            count = group.get("InstanceCount", 1)
            uses[group["InstanceType"]] = uses.get(group["InstanceType"], 0) + (count if isinstance(count, int) else 1)
    return uses


def decode_payload(text: object) -> Mapping[str, Any]:
    """Decode the payload of a job. The service passes it on without validation, so that it may be anything.

    Args:
        text: `serviceRequestPayload` of DescribeServiceJob.

    Returns:
        Its members; none where it is no JSON object.
    """
    try:
        decoded = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _latest_end(started_at: int | None, details: Mapping[str, Any], payload: Mapping[str, Any]) -> int | None:
    if started_at is None:
        return None
    stopping = payload.get("StoppingCondition")
    given = (
        (details.get("timeoutConfig") or {}).get("attemptDurationSeconds"),
        stopping.get("MaxRuntimeInSeconds") if isinstance(stopping, dict) else None,
    )
    seconds = [value for value in given if isinstance(value, int) and not isinstance(value, bool) and value > 0]
    return started_at + 1000 * min(seconds) if seconds else None


def _time(value: object) -> int | None:
    """Read a time in milliseconds; 0 stands for none in some responses."""
    return int(value) if isinstance(value, (int, float)) and value > 0 else None
