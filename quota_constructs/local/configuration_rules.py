"""The rules of configuration (docs/rules.md), applied to what a request says.

Only what is in the request, or settled by it, is looked at: whether the limits of all shares add up is nobody's
business at CreateQuotaShare. Warnings are not said; the service has no place for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.local.errors import ClientException
from quota_scheduler.rules import (
    ERROR,
    UNKNOWN,
    EnvironmentConfiguration,
    Finding,
    JobConfiguration,
    PolicyConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
    check_job,
    check_queue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_constructs.local.records import Members

PER_TYPE = "QS005"
"""Capacity is counted by instance type: no rule for service environments without quota management."""


def check_policy_request(request: Members) -> None:
    """Refuse a scheduling policy whose name breaks the rule of names; its kind is a matter of the queue it is for.

    Args:
        request: of CreateSchedulingPolicy.

    Raises:
        ClientException: it breaks the rule.
    """
    policy = PolicyConfiguration(name=request["name"])
    _refuse(check_queue(QueueConfiguration(policy=policy, all_shares=False)))


def check_share_request(request: Members) -> None:
    """Refuse a quota share, or a change of one, that breaks a rule.

    Args:
        request: of CreateQuotaShare or UpdateQuotaShare.

    Raises:
        ClientException: it breaks rules; the message names them all.
    """
    sharing = request.get("resourceSharingConfiguration", {})
    share = ShareConfiguration(
        name=request.get("quotaShareName", UNKNOWN),
        limits=_limits(request),
        strategy=sharing.get("strategy", UNKNOWN),
        borrow_limit_percent=sharing.get("borrowLimit", UNKNOWN),
        path="share",
    )
    _refuse(check_queue(QueueConfiguration(shares=(share,), all_shares=False)))


def check_environment_request(request: Members, *, quota_management: bool) -> None:
    """Refuse a service environment, or a change of one, that breaks a rule.

    Args:
        request: of CreateServiceEnvironment or UpdateServiceEnvironment.
        quota_management: whether it is known to be for a queue with quota shares.

    Raises:
        ClientException: it breaks rules; the message names them all.
    """
    environment = EnvironmentConfiguration(name=request.get("serviceEnvironmentName", UNKNOWN), limits=_limits(request))
    findings = check_queue(QueueConfiguration(environment=environment, all_shares=False))
    _refuse(finding for finding in findings if quota_management or finding.id != PER_TYPE)


def check_queue_request(request: Members, environment_limits: Mapping[str, int] | None = None) -> None:
    """Refuse a job queue, or a change of one, that breaks a rule.

    Args:
        request: of CreateJobQueue or UpdateJobQueue.
        environment_limits: limits of its service environment, if it has quota shares.

    Raises:
        ClientException: it breaks rules; the message names them all.
    """
    actions = tuple(
        TimeLimitConfiguration(
            reason=action["reason"],
            state=action["state"],
            max_time_seconds=action["maxTimeSeconds"],
            action=action["action"],
            path=f"jobStateTimeLimitActions[{index}]",
        )
        for index, action in enumerate(request.get("jobStateTimeLimitActions", []))
    )
    environment = EnvironmentConfiguration()
    if environment_limits is not None:
        environment = EnvironmentConfiguration(limits=tuple(environment_limits.items()))
    queue = QueueConfiguration(
        environment=environment,
        name=request.get("jobQueueName", UNKNOWN),
        priority=request.get("priority", UNKNOWN),
        time_limit_actions=actions,
        all_shares=False,
    )
    _refuse(check_queue(queue))


def check_job_request(request: Members) -> None:
    """Refuse a service job that breaks a rule.

    Args:
        request: of SubmitServiceJob.

    Raises:
        ClientException: it breaks rules; the message names them all.
    """
    job = JobConfiguration(
        name=request["jobName"],
        priority=request.get("schedulingPriority", UNKNOWN),
        preemption_retries=request.get("preemptionConfiguration", {}).get(
            "preemptionRetriesBeforeTermination", UNKNOWN
        ),
        attempts=request.get("retryStrategy", {}).get("attempts", UNKNOWN),
    )
    _refuse(check_job(job))


def _limits(request: Members) -> Any:  # noqa: ANN401 - limits or UNKNOWN
    if "capacityLimits" not in request:
        return UNKNOWN
    return tuple((limit.get("capacityUnit"), limit.get("maxCapacity")) for limit in request["capacityLimits"])


def _refuse(findings: Iterable[Finding]) -> None:
    errors = [f"{finding.message} [{finding.id}]" for finding in findings if finding.severity == ERROR]
    if errors:
        raise ClientException("; ".join(errors))
