"""The rules of quota management, applied to constructs as they are made.

What is a token is unknown, and no rule looks at it: the guard sees its value at deployment. Errors are raised where
they are made, all of one construct at once; warnings are for the report at the end of the synthesis.
"""

import re
from typing import TYPE_CHECKING, Any

from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import INSTANCE_TYPE
from quota_constructs.errors import ConstructProblem, QuotaConstructError
from quota_scheduler.instance_types import KNOWN, suggest
from quota_scheduler.rules import (
    ERROR,
    UNKNOWN,
    EnvironmentConfiguration,
    PolicyConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
    check_queue,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quota_constructs.job_state_time_limit import JobStateTimeLimit
    from quota_constructs.resource_sharing import ResourceSharing

_LOOKS_RIGHT = re.compile(r"ml\.[a-z]+\d+[a-z0-9]*(-[a-z0-9]+)*\.(\d+x|x)?(large|medium|small|metal)")


def known(value: object) -> Any:  # noqa: ANN401  # whatever was given, for the rules to judge
    """Give a value to the rules, or say that it is not known yet."""
    return UNKNOWN if is_token(value) else value


def limits(capacity_limits: "Mapping[str, int]") -> tuple[tuple[Any, Any], ...]:
    """Give capacity limits to the rules."""
    return tuple((known(unit), known(amount)) for unit, amount in capacity_limits.items())


def share_configuration(
    path: str,
    *,
    name: str,
    capacity_limits: "Mapping[str, int]",
    resource_sharing: "ResourceSharing",
    in_share_preemption: bool,
    state: str,
    tags: "Mapping[str, str]",
) -> ShareConfiguration:
    """Give a share to the rules."""
    return ShareConfiguration(
        name=known(name),
        limits=limits(capacity_limits),
        strategy=resource_sharing.strategy,
        borrow_limit_percent=known(resource_sharing.borrow_limit_percent),
        in_share_preemption=in_share_preemption,
        state=state,
        tags=_tags(tags),
        path=path,
    )


def queue_configuration(
    path: str,
    *,
    name: str | None,
    service_environment_name: str | None,
    scheduling_policy_name: str | None,
    capacity_limits: "Mapping[str, int]",
    priority: int,
    job_state_time_limits: "Sequence[JobStateTimeLimit]",
    allow_oversubscription: bool,
    tags: "Mapping[str, str]",
) -> QueueConfiguration:
    """Give a queue, without its shares, to the rules."""
    return QueueConfiguration(
        environment=EnvironmentConfiguration(
            name=known(service_environment_name), limits=limits(capacity_limits), path=f"{path}/ServiceEnvironment"
        ),
        policy=PolicyConfiguration(name=known(scheduling_policy_name), path=f"{path}/SchedulingPolicy"),
        name=known(name),
        priority=known(priority),
        tags=_tags(tags),
        time_limit_actions=tuple(
            TimeLimitConfiguration(
                reason=known(limit.reason), max_time_seconds=seconds(limit), path=f"{path}.job_state_time_limits.{n}"
            )
            for n, limit in enumerate(job_state_time_limits)
        ),
        allow_oversubscription=allow_oversubscription,
        path=path,
    )


def imported_queue_configuration(
    path: str, capacity_limits: "Mapping[str, int] | None", *, allow_oversubscription: bool
) -> QueueConfiguration:
    """Give an imported queue to the rules."""
    environment = UNKNOWN if capacity_limits is None else limits(capacity_limits)
    return QueueConfiguration(
        environment=EnvironmentConfiguration(limits=environment, path=f"{path}/ServiceEnvironment"),
        allow_oversubscription=allow_oversubscription,
        path=path,
    )


def seconds(limit: "JobStateTimeLimit") -> Any:  # noqa: ANN401  # unknown, or whatever the duration gives
    """Give the time of a limit to the rules."""
    return UNKNOWN if limit.max_time.is_unresolved() else limit.max_time.to_seconds()


def check(queue: QueueConfiguration, where: str, *own_limits: "Mapping[str, int]") -> None:
    """Refuse what breaks a rule.

    Args:
        queue: The queue, with its shares so far.
        where: Path of the construct that is being made: it breaks the rule, as what was there before did not.
        own_limits: The capacity limits that construct brings, whose spelling is checked.

    Raises:
        QuotaConstructError: With a line for each breach.
    """
    problems = [problem for given in own_limits for problem in _misspelt(given, where)]
    problems += [ConstructProblem(finding.id, where, finding.message) for finding in check_queue(queue, (ERROR,))]
    if problems:
        raise QuotaConstructError(problems)


def _misspelt(capacity_limits: "Mapping[str, int]", where: str) -> "Sequence[ConstructProblem]":
    """Find instance types that cannot be newer ones than this release knows, but are close to one it knows."""
    problems = []
    for unit in capacity_limits:
        if not isinstance(unit, str) or is_token(unit) or unit in KNOWN or _LOOKS_RIGHT.fullmatch(unit):
            continue
        meant = suggest(unit)
        if meant is not None:
            problems.append(
                INSTANCE_TYPE.problem(
                    f"{unit!r} is no instance type of SageMaker Training, allowed are names such as {meant}; "
                    f"did you mean {meant}?",
                    where,
                )
            )
    return problems


def _tags(tags: "Mapping[str, str]") -> object:
    return {known(key): known(value) for key, value in tags.items()}
