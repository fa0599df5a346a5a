"""What a guard is to do about what it finds: the JSON text in the property `Policy` of a `Custom::QuotaGuard`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from quota_scheduler.document import (
    Problems,
    check_choice,
    check_members,
    check_repeated,
    child,
    decode,
    is_version,
    shown,
)
from quota_scheduler.errors import DocumentError, Problem

BLOCK = "BLOCK"
WARN = "WARN"
IGNORE = "IGNORE"
ACTIONS = (BLOCK, WARN, IGNORE)

VERSION = 1

_DEFAULT_VERDICTS: Mapping[str, str] = MappingProxyType(
    {"invalid": BLOCK, "destructive": BLOCK, "disruptive": BLOCK, "at_risk": WARN, "notice": WARN}
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a guard does about what it finds.

    Args:
        verdicts: action for each verdict; `safe` always passes.
        on_unknown: action if the account cannot be read.
        max_gpu_hours: most GPU-hours of the jobs that a change puts at risk; None is no limit.
        max_jobs: most jobs that a change puts at risk; None is no limit.
        max_amplification: most instances stopped for each instance that waiting work asks for; None is no limit.
        minimum_run_time_seconds: jobs that have run at least so long are protected; None protects none.
        protected_tags: jobs with one of these tags are protected.
        notify_topic_arn: where assessments that are not safe are published; None publishes nothing.
    """

    verdicts: Mapping[str, str] = field(default_factory=lambda: _DEFAULT_VERDICTS)
    on_unknown: str = BLOCK
    max_gpu_hours: float | None = None
    max_jobs: float | None = None
    max_amplification: float | None = None
    minimum_run_time_seconds: float | None = None
    protected_tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    notify_topic_arn: str | None = None


def parse_policy(document: str | bytes | Mapping[str, object]) -> Policy:
    """Read a policy document.

    Args:
        document: JSON text, UTF-8 bytes, or the decoded document. What is missing is as by default.

    Returns:
        The policy.

    Raises:
        DocumentError: it cannot be a policy; the error has every problem with its JSON path.
    """
    problems = Problems()
    known = (
        "version",
        "verdicts",
        "onUnknown",
        "maxGpuHours",
        "maxJobs",
        "maxAmplification",
        "protect",
        "notifyTopicArn",
    )
    root = check_members(decode(document), "$", problems, known)
    if root is None:
        problems.raise_any()
        raise AssertionError
    if not is_version(root.get("version", VERSION), VERSION):
        raise DocumentError([Problem("$.version", f"must be {VERSION}, got {shown(root['version'])}")])
    verdicts = dict(_DEFAULT_VERDICTS)
    given = _members(root.get("verdicts"), "$.verdicts", problems, tuple(verdicts))
    for name in verdicts:
        if name in given:
            verdicts[name] = check_choice(given[name], child("$.verdicts", name), problems, ACTIONS)
    protect = _members(root.get("protect"), "$.protect", problems, ("minimumRunTimeSeconds", "tags"))
    policy = Policy(
        verdicts=MappingProxyType(verdicts),
        on_unknown=check_choice(root.get("onUnknown", BLOCK), "$.onUnknown", problems, ACTIONS),
        max_gpu_hours=_number(root.get("maxGpuHours"), "$.maxGpuHours", problems),
        max_jobs=_number(root.get("maxJobs"), "$.maxJobs", problems),
        max_amplification=_number(root.get("maxAmplification"), "$.maxAmplification", problems),
        minimum_run_time_seconds=_number(
            protect.get("minimumRunTimeSeconds"), "$.protect.minimumRunTimeSeconds", problems
        ),
        protected_tags=_tags(protect.get("tags"), "$.protect.tags", problems),
        notify_topic_arn=_topic(root.get("notifyTopicArn"), "$.notifyTopicArn", problems),
    )
    problems.raise_any()
    return policy


def _members(value: object, path: str, problems: Problems, known: tuple[str, ...]) -> Mapping[str, object]:
    return {} if value is None else check_members(value, path, problems, known) or {}


def _tags(value: object, path: str, problems: Problems) -> Mapping[str, str]:
    if value is None:
        return MappingProxyType({})
    if not isinstance(value, Mapping):
        problems.add(path, f"must be an object of tags and their values, got {shown(value)}")
        return MappingProxyType({})
    check_repeated(value, path, problems)
    for key, given in value.items():
        if not isinstance(given, str):
            problems.add(child(path, key), f"must be a string, got {shown(given)}")
    return MappingProxyType({key: str(given) for key, given in value.items()})


def _topic(value: object, path: str, problems: Problems) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.startswith("arn:") or ":sns:" not in value:
        problems.add(path, f"must be the ARN of an SNS topic, or null for none, got {shown(value)}")
        return None
    return value


def _number(value: object, path: str, problems: Problems) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            problems.add(path, f"must be a number, got {shown(value)}")
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        problems.add(path, f"must be a number of 0 or more, got {shown(value)}")
        return None
    return value
