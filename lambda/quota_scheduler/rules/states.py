"""The state of a queue as a configuration, and the rules applied to it."""

from __future__ import annotations

from quota_scheduler.rules.configuration import (
    UNKNOWN,
    EnvironmentConfiguration,
    JobConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
)
from quota_scheduler.rules.jobs import HIGHEST_PRIORITY
from quota_scheduler.rules.registry import check_queue
from quota_scheduler.share import UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.rules.finding import Finding
    from quota_scheduler.share import Share
    from quota_scheduler.state import QueueState


def configuration_of_state(state: QueueState, *, allow_oversubscription: bool = False) -> QueueConfiguration:
    """Give the configuration in a queue state.

    Names of the queue and of its jobs, and shares of jobs, are not looked at: the service has accepted them. Of the
    jobs only those come along that no service can have accepted.

    Args:
        state: the state of the queue.
        allow_oversubscription: whether the limits may add up to more than the environment has.
    """
    return QueueConfiguration(
        environment=EnvironmentConfiguration(limits=tuple(state.environment.items())),
        shares=tuple(_share(share) for share in state.shares.values()),
        time_limit_actions=tuple(
            TimeLimitConfiguration(
                action.reason,
                UNKNOWN,
                action.max_time_seconds,
                action.action,
                path=f"time_limit_actions.{position}",
            )
            for position, action in enumerate(state.time_limit_actions)
        ),
        jobs=tuple(
            JobConfiguration(priority=job.priority, path=f"jobs.{job.id}")
            for job in state.jobs
            if job.priority and not 0 <= job.priority <= HIGHEST_PRIORITY
        ),
        allow_oversubscription=allow_oversubscription,
    )


def _share(share: Share) -> ShareConfiguration:
    # A state does not tell a borrow limit that was left out from one of -1.
    says_borrow_limit = share.borrows or share.borrow_limit_percent != UNLIMITED
    return ShareConfiguration(
        name=share.name,
        limits=tuple(share.limits.items()),
        strategy=share.strategy,
        borrow_limit_percent=share.borrow_limit_percent if says_borrow_limit else None,
        in_share_preemption=share.in_share_preemption,
        state=share.state,
    )


def check_state(state: QueueState, allow_oversubscription: bool = False) -> tuple[Finding, ...]:
    """Apply the rules to the state of a queue.

    Args:
        state: the state of the queue.
        allow_oversubscription: whether the limits may add up to more than the environment has.

    Returns:
        All findings, sorted by rule and place.
    """
    return check_queue(configuration_of_state(state, allow_oversubscription=allow_oversubscription))
