"""Read a configuration from a document in the Batch API's own words.

The document has the members of an entry of a deployment's proposal; each part holds the members of its API request,
in the API's spelling or in CloudFormation's (first letter large), and every part and member may be left out:

    {"queue": {"jobQueueName": …, "jobQueueType": …, "priority": …, "state": …, "serviceEnvironmentOrder": […], …},
     "environment": {"serviceEnvironmentName": …, "capacityLimits": [{"capacityUnit": …, "maxCapacity": …}], …},
     "schedulingPolicy": {"quotaSharePolicy": {…}, …},
     "jobStateTimeLimitActions": […], "allowOversubscription": false,
     "shares": [{"quotaShareName": …, "capacityLimits": […], "resourceSharingConfiguration": {…}, …}],
     "jobs": [{"jobName": …, "schedulingPriority": …, …}]}

What CloudFormation works out at deployment (`Ref`, `Fn::…`) is unknown. Nothing is refused here: what makes no sense
goes into the configuration as it is, and a rule says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from quota_scheduler.digits import whole_number
from quota_scheduler.rules.configuration import (
    UNKNOWN,
    EnvironmentConfiguration,
    JobConfiguration,
    PolicyConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
    Unknown,
)
from quota_scheduler.rules.queue_kind import FAIR_SHARE_POLICY, QUOTA_SHARE_POLICY

_SWITCH = {"ENABLED": True, "DISABLED": False}


class _Members:
    """The members of one part, by the API's names.

    Args:
        part: the part; anything but a mapping is a part about which nothing is known.
        missing: what a member is that is not there: left out (None), or unknown.
    """

    def __init__(self, part: object, missing: Unknown | None) -> None:
        known = isinstance(part, Mapping) and not _is_intrinsic(part)
        self._members = {_api_name(str(name)): value for name, value in part.items()} if known else {}  # type: ignore[attr-defined]  # a mapping
        self._missing = missing if known else UNKNOWN

    def get(self, *names: str, missing: Unknown | None = UNKNOWN) -> object:
        """Give the first of the members that is there."""
        for name in names:
            if name in self._members:
                return _value(self._members[name])
        return None if missing is None else self._missing

    def number(self, name: str, missing: Unknown | None = UNKNOWN) -> object:
        """Give a member that should be a number; CloudFormation allows text for one."""
        return _number(self.get(name, missing=missing))

    def part(self, name: str, *, missing: Unknown | None) -> _Members:
        """Give a part of the part."""
        return _Members(self._members.get(name, {} if self.is_whole else UNKNOWN), missing)

    def __contains__(self, name: str) -> bool:
        return self._members.get(name) is not None

    @property
    def is_whole(self) -> bool:
        """Whether what is not there is left out."""
        return self._missing is None


def _api_name(name: str) -> str:
    return name[:1].lower() + name[1:]


def _is_intrinsic(value: object) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    (name,) = value
    return name == "Ref" or str(name).startswith("Fn::")


def _value(value: object) -> object:
    return UNKNOWN if _is_intrinsic(value) else value


def _number(value: object) -> object:
    number = whole_number(value)
    return value if number is None else number


def _limits(value: object) -> tuple[tuple[object, object], ...] | Unknown | None:
    if isinstance(value, Unknown):
        return UNKNOWN
    if value is None or not isinstance(value, (list, tuple)):
        return None
    entries = (_Members(entry, None) for entry in value)
    return tuple((entry.get("capacityUnit"), entry.number("maxCapacity")) for entry in entries)


def _tags(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {name: _value(tag) for name, tag in value.items()}


def _count(value: object) -> object:
    if value is None:
        return 0
    return len(value) if isinstance(value, (list, tuple)) else UNKNOWN


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def share_configuration(
    properties: object, *, whole: bool = False, path: str = "", position: int = 0
) -> ShareConfiguration:
    """Read a quota share: the members of CreateQuotaShare, or the properties of `AWS::Batch::QuotaShare`.

    Args:
        properties: the members.
        whole: whether what is not there is left out rather than unknown.
        path: where findings point to; `shares.<name>` unless given.
        position: its place among the shares, to tell it apart if it has no known name.

    >>> share_configuration({"QuotaShareName": "a", "PreemptionConfiguration": {"InSharePreemption": "ENABLED"}}).name
    'a'
    """
    missing = None if whole else UNKNOWN
    share = _Members(properties, missing)
    name = share.get("quotaShareName", "name")
    sharing = share.part("resourceSharingConfiguration", missing=missing)
    in_share = share.part("preemptionConfiguration", missing=missing).get("inSharePreemption")
    return ShareConfiguration(
        name=name,
        limits=_limits(share.get("capacityLimits")),
        strategy=sharing.get("strategy"),
        # Who gives a strategy has left the borrow limit out if it is not there: -1 is the service's default.
        borrow_limit_percent=sharing.number("borrowLimit", missing=None if "strategy" in sharing else UNKNOWN),
        in_share_preemption=_SWITCH.get(in_share, in_share) if isinstance(in_share, str) else in_share,
        state=share.get("state"),
        tags=_tags(share.get("tags")),
        path=path or ("" if _text(name) else f"shares.{position}"),
    )


def job_configuration(properties: object, *, whole: bool = False, path: str = "job") -> JobConfiguration:
    """Read a job: the members of SubmitServiceJob.

    Args:
        properties: the members.
        whole: whether what is not there is left out rather than unknown.
        path: where findings point to.
    """
    missing = None if whole else UNKNOWN
    job = _Members(properties, missing)
    return JobConfiguration(
        name=job.get("jobName"),
        share=job.get("quotaShareName"),
        priority=job.get("schedulingPriority"),
        preemption_retries=job.part("preemptionConfiguration", missing=missing).get(
            "preemptionRetriesBeforeTermination"
        ),
        attempts=job.part("retryStrategy", missing=missing).get("attempts"),
        tags=_tags(job.get("tags")),
        path=path,
    )


def _environment(part: object, missing: Unknown | None) -> EnvironmentConfiguration:
    environment = _Members(part, missing)
    name = environment.get("serviceEnvironmentName", "name")
    return EnvironmentConfiguration(
        name=name,
        limits=_limits(environment.get("capacityLimits")),
        type=environment.get("serviceEnvironmentType"),
        state=environment.get("state"),
        tags=_tags(environment.get("tags")),
        identity=_text(environment.get("logicalId")) or _text(name),
    )


def _policy(part: object, missing: Unknown | None) -> PolicyConfiguration:
    policy = _Members(part, missing)
    kinds = tuple(kind for kind in (FAIR_SHARE_POLICY, QUOTA_SHARE_POLICY) if kind in policy)
    return PolicyConfiguration(
        name=policy.get("name"),
        kinds=kinds if kinds or policy.is_whole else UNKNOWN,
        idle_resource_assignment=policy.part(QUOTA_SHARE_POLICY, missing=None).get("idleResourceAssignmentStrategy"),
        tags=_tags(policy.get("tags")),
    )


def _time_limit(part: object, position: int) -> TimeLimitConfiguration:
    action = _Members(part, None)
    return TimeLimitConfiguration(
        reason=action.get("reason"),
        state=action.get("state"),
        max_time_seconds=action.number("maxTimeSeconds"),
        action=action.get("action"),
        path=f"time_limit_actions.{position}",
    )


def _entries(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def queue_configuration(
    document: Mapping[str, object], *, whole: bool = False, all_shares: bool = True
) -> QueueConfiguration:
    """Read the configuration of a queue and of what belongs to it.

    Args:
        document: in the form above.
        whole: whether the parts that are there are complete: what is not in them is left out rather than unknown, so
            that a missing required member is found as well. A part that is missing as a whole is unknown.
        all_shares: whether the document has all shares of the queue.

    >>> queue_configuration({"shares": [{"quotaShareName": "a", "state": "ENABLED"}]}).shares[0].state
    'ENABLED'
    """
    missing = None if whole else UNKNOWN
    parts = {_api_name(name): value for name, value in document.items()}
    queue = _Members(parts.get("queue"), missing)
    actions = parts.get("jobStateTimeLimitActions", queue.get("jobStateTimeLimitActions"))
    policy = _policy(parts.get("schedulingPolicy"), missing)
    if whole and "schedulingPolicy" not in parts and queue.get("schedulingPolicyArn") is None:
        policy = PolicyConfiguration(kinds=())
    return QueueConfiguration(
        environment=_environment(parts.get("environment"), missing),
        shares=tuple(
            share_configuration(share, whole=whole, position=position)
            for position, share in enumerate(_entries(parts.get("shares")))
        ),
        policy=policy,
        name=queue.get("jobQueueName", "name"),
        type=queue.get("jobQueueType"),
        priority=queue.number("priority"),
        state=queue.get("state"),
        tags=_tags(queue.get("tags")),
        service_environments=_count(queue.get("serviceEnvironmentOrder")),
        compute_environments=_count(queue.get("computeEnvironmentOrder")),
        time_limit_actions=tuple(_time_limit(action, position) for position, action in enumerate(_entries(actions))),
        jobs=tuple(
            job_configuration(job, whole=whole, path=f"jobs.{position}")
            for position, job in enumerate(_entries(parts.get("jobs")))
        ),
        allow_oversubscription=parts.get("allowOversubscription") is True,
        all_shares=all_shares,
    )
