"""What a service job's payload says: which instances it needs, how long it runs and how it ends.

The payload has the shape of SageMaker's CreateTrainingJob. The service passes it on without looking at it, so what
cannot be read here is refused by SageMaker later, not at submission.
Source: user guide, service job payloads; `docs/decisions/0032-service-job-payloads.md` for what is assumed.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_SECONDS = "QUOTA_LOCAL_RUN_SECONDS"
"""Variable of a training job's `Environment`: how long it runs here."""

FAILURE = "QUOTA_LOCAL_FAILURE"
"""Variable of a training job's `Environment`: the failure reason with which it ends here."""

_VALIDATION = "Received status from SageMaker: ValidationException: "
_TOO_LONG = "Received status from SageMaker: MaxRuntimeExceeded: the training job ran longer than MaxRuntimeInSeconds"
TIMED_OUT = "Job attempt duration exceeded timeout"
"""Status reason of an attempt that ran longer than `attemptDurationSeconds`. Source: assumed."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload as far as the local Batch cares.

    Args:
        uses: instances by type; empty if the payload does not say.
        name: the training job's name.
        run_seconds: how long a training job runs.
        failure: the reason with which it fails; None: it succeeds.
        is_refused: whether SageMaker does not even make a training job of it.
    """

    uses: Mapping[str, int]
    name: str
    run_seconds: float
    failure: str | None
    is_refused: bool = False


def read_payload(text: str, attempt_duration_seconds: int | None, default_run_seconds: float) -> Payload:
    """Read a payload.

    Args:
        text: the payload, a JSON object.
        attempt_duration_seconds: the job's time-out for one attempt.
        default_run_seconds: how long a job runs that says nothing.
    """
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return Payload({}, "", 0.0, _VALIDATION + "the payload is not valid JSON", is_refused=True)
    if not isinstance(members, dict):
        return Payload({}, "", 0.0, _VALIDATION + "the payload is not a JSON object", is_refused=True)
    name = members.get("TrainingJobName")
    uses = _uses(_object(members, "ResourceConfig"))
    if not uses:
        what = "ResourceConfig must give InstanceType and InstanceCount, or InstanceGroups"
        return Payload({}, str(name or ""), 0.0, _VALIDATION + what, is_refused=True)
    run_seconds, failure = _ending(members, attempt_duration_seconds, default_run_seconds)
    return Payload(uses, str(name or ""), run_seconds, failure)


def _object(members: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = members.get(name)
    return value if isinstance(value, dict) else {}


def _uses(resources: Mapping[str, Any]) -> Mapping[str, int]:
    groups = resources.get("InstanceGroups")
    uses: Counter[str] = Counter()
    for group in groups if isinstance(groups, list) and groups else [resources]:
        if not isinstance(group, dict):
            return {}
        instance_type, count = group.get("InstanceType"), group.get("InstanceCount", 1)
        if not isinstance(instance_type, str) or type(count) is not int or count < 1:
            return {}
        uses[instance_type] += count
    return uses


def _ending(members: Mapping[str, Any], timeout: int | None, default: float) -> tuple[float, str | None]:
    """How long a training job runs, and how it fails, if it does."""
    environment = _object(members, "Environment")
    failure: str | None = str(environment[FAILURE]) if environment.get(FAILURE) else None
    most = _number(_object(members, "StoppingCondition").get("MaxRuntimeInSeconds"))
    limits = [limit for limit in (most, timeout) if limit is not None]
    wanted = _number(environment.get(RUN_SECONDS))
    if wanted is None:
        return (min(limits) if limits else default), failure
    if limits and wanted > min(limits):
        return min(limits), _TOO_LONG if most == min(limits) else TIMED_OUT
    return wanted, failure


def _number(value: object) -> float | None:
    """A number of seconds that a payload gives as number or, in the environment, as string."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
