"""What the guard of a stack does about the changes it assesses."""

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from quota_constructs._tokens import is_token
from quota_constructs._types import TypeChecks
from quota_constructs.construct_rules import GUARD_LIMIT
from quota_constructs.errors import QuotaConstructError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import Duration
    from aws_cdk.aws_sns import ITopic


_VERDICTS = ("invalid", "destructive", "disruptive", "at_risk", "notice")
_LIMITS = ("max_gpu_hours", "max_jobs", "max_amplification")


class GuardAction(StrEnum):
    """What the guard does with a verdict."""

    BLOCK = "BLOCK"
    """Fail before anything changes; an acknowledgement lets the same change through."""

    WARN = "WARN"
    """Let it through and report it."""

    IGNORE = "IGNORE"
    """Let it through and say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGuard:
    """The policy of a stack's guard: which verdicts stop a deployment, and how much may be at risk.

    The guard runs as the first step of each deployment that changes a queue or a share of the stack. `ChangeGuard()`
    blocks what would end or stop running work and warns about what might. A limit turns a warning into a block when
    more than that is at risk; None is no limit.

    Args:
        invalid: The change introduces an error of configuration.
        destructive: The change ends jobs, or leaves a waiting job that can never run.
        disruptive: Waiting work would stop running work because of the change.
        at_risk: Running work becomes eligible for preemption; nothing that waits now would claim its room.
        notice: Preemption is possible with or without the change, or work that would start now would not.
        on_unknown: The guard could not read the account.
        max_gpu_hours: The most GPU-hours that may be lost.
        max_jobs: The most jobs that may be stopped.
        max_amplification: The most instances that may be stopped for each instance that is asked for.
        protect_minimum_run_time: Jobs that have run at least this long are protected: a change that puts one of them
            at risk is blocked.
        protect_tags: Jobs with one of these tags (key and value) are protected in the same way.
        notify: Topic to which the guard publishes every assessment that is not safe.

    Raises:
        QuotaConstructError: A limit is negative.
        QuotaTypeError: A value has the wrong type.

    Example:
        >>> ChangeGuard(at_risk=GuardAction.BLOCK, max_gpu_hours=50).at_risk.value
        'BLOCK'
    """

    invalid: GuardAction = GuardAction.BLOCK
    destructive: GuardAction = GuardAction.BLOCK
    disruptive: GuardAction = GuardAction.BLOCK
    at_risk: GuardAction = GuardAction.WARN
    notice: GuardAction = GuardAction.WARN
    on_unknown: GuardAction = GuardAction.BLOCK
    max_gpu_hours: float | None = None
    max_jobs: int | None = None
    max_amplification: float | None = None
    protect_minimum_run_time: "Duration | None" = None
    protect_tags: "Mapping[str, str]" = field(default_factory=lambda: MappingProxyType({}))
    notify: "ITopic | None" = None

    def __post_init__(self) -> None:
        checks = TypeChecks("")
        for verdict in (*_VERDICTS, "on_unknown"):
            checks.choice(verdict, getattr(self, verdict), GuardAction)
        for limit in _LIMITS:
            checks.number(limit, getattr(self, limit), optional=True)
        if self.protect_minimum_run_time is not None:
            checks.duration("protect_minimum_run_time", self.protect_minimum_run_time)
        checks.texts("protect_tags", self.protect_tags, 'a mapping such as {"class": "production"}')
        checks.construct("notify", self.notify, "grant_publish", "a topic, such as Topic.from_topic_arn gives")
        checks.done()
        negative = [name for name in _LIMITS if (given := getattr(self, name)) is not None and _is_negative(given)]
        if negative:
            raise QuotaConstructError(
                [
                    GUARD_LIMIT.problem(
                        f"{name} is negative, got {getattr(self, name)!r}, allowed is 0 or more; give None for no limit"
                    )
                    for name in negative
                ]
            )


def _is_negative(limit: float) -> bool:
    return limit < 0 and not is_token(limit)


def differing_settings(guard: ChangeGuard, other: ChangeGuard) -> dict[str, tuple[object, object]]:
    """Give the settings that two guards do not have in common, by name, as they are rendered.

    Args:
        guard: One guard.
        other: The other one.
    """
    ones, others = _settings(guard), _settings(other)
    return {name: (one, others[name]) for name, one in ones.items() if one != others[name]}


def _settings(guard: ChangeGuard) -> dict[str, Any]:
    """Give what the handler is told, by the names of the parameters."""
    policy = policy_of(guard)
    return {
        **policy["verdicts"],
        "on_unknown": policy["onUnknown"],
        "max_gpu_hours": policy["maxGpuHours"],
        "max_jobs": policy["maxJobs"],
        "max_amplification": policy["maxAmplification"],
        "protect_minimum_run_time": policy["protect"]["minimumRunTimeSeconds"],
        "protect_tags": policy["protect"]["tags"],
        "notify": policy["notifyTopicArn"],
    }


def policy_of(guard: ChangeGuard) -> dict[str, Any]:
    """Give the guard's property `Policy`, whose members are part of its contract with the handler."""
    run_time = guard.protect_minimum_run_time
    return {
        "version": 1,
        "verdicts": {verdict: getattr(guard, verdict).value for verdict in _VERDICTS},
        "onUnknown": guard.on_unknown.value,
        "maxGpuHours": guard.max_gpu_hours,
        "maxJobs": guard.max_jobs,
        "maxAmplification": guard.max_amplification,
        "protect": {
            "minimumRunTimeSeconds": None if run_time is None else run_time.to_seconds(),
            "tags": dict(guard.protect_tags),
        },
        "notifyTopicArn": None if guard.notify is None else guard.notify.topic_arn,
    }
