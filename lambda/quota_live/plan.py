"""What a deployment would do to one queue: the change, its assessment, and the states in between. Pure.

CloudFormation changes the environment first, then the shares, and deletes what is gone at the end. The states in
between last for minutes, in which the scheduler goes on. They count for the risk they bring, not for the rules of
configuration, which no order could satisfy in every moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from quota_scheduler import Knobs, apply_change, assess
from quota_scheduler.change import Change
from quota_scheduler.job import FINISHED_STATUSES
from quota_scheduler.proposal import MANAGED, REFUSE_IF_BUSY, change_for, drift_of
from quota_scheduler.rules import (
    UNKNOWN,
    EnvironmentConfiguration,
    Finding,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
    check_queue,
    introduced_errors,
)
from quota_scheduler.state import QueueState
from quota_scheduler.verdict import worst
from quota_scheduler.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_live.targets import QueueTarget
    from quota_scheduler import Assessment
    from quota_scheduler.declaration import CapacityLimit, QueueProposal

ENVIRONMENT_FIRST = "environment changed, shares not yet"
REMOVED_STILL_THERE = "shares changed, removed shares still there"


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A state that the deployment passes through.

    Args:
        label: which one.
        assessment: of the way from what is live to it.
        verdict: about its risk alone: `disruptive`, `at_risk`, `notice` or `safe`. A job that cannot run in it just
            waits a little longer, so that nothing in between is destructive.
    """

    label: str
    assessment: Assessment
    verdict: str


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """What a deployment would do to one queue.

    Args:
        label: path of the queue's construct, or the name of what is no longer declared.
        queue_arn: of the live queue; None if there is none yet.
        state: of the live queue; an empty one if there is none yet.
        change: what the deployment does to it.
        assessment: of the change as a whole.
        intermediate: states in between that differ from the end.
        declared: errors in what is declared that a state cannot show, such as a capacity limit given twice.
        drift: what is live, not as declared, and stays so.
        notes: what a reader should know, one sentence each.
        torn: whether the picture may have moved while it was taken.
        tags: of the jobs whose tags were read.
        knobs: that were assumed.
    """

    label: str
    queue_arn: str | None
    state: QueueState
    change: Change
    assessment: Assessment
    intermediate: tuple[Intermediate, ...] = ()
    declared: tuple[Finding, ...] = ()
    drift: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    torn: bool = False
    tags: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    knobs: Knobs = field(default_factory=Knobs)

    @property
    def is_live(self) -> bool:
        """Whether the queue exists."""
        return self.queue_arn is not None

    @property
    def assessments(self) -> tuple[Assessment, ...]:
        """The assessment of the change as a whole, then those of the states in between."""
        return (self.assessment, *(step.assessment for step in self.intermediate))

    @property
    def jobs_at_risk(self) -> tuple[str, ...]:
        """Ids of the jobs at risk at the end or on the way, each once, in the order of `jobs_at_risk`."""
        return tuple(dict.fromkeys(job_id for each in self.assessments for job_id in jobs_at_risk(each)))

    @property
    def verdict(self) -> str:
        """The worst of the end, of what is declared, and of the risk on the way."""
        verdicts = [self.assessment.verdict]
        if self.declared:
            verdicts.append("invalid")
        verdicts += [step.verdict for step in self.intermediate]
        return worst(verdicts)


def jobs_at_risk(assessment: Assessment) -> tuple[str, ...]:
    """Name the jobs that a change puts at risk.

    Args:
        assessment: of the change.

    Returns:
        Ids, each once, the worst first: those that end, those that may be stopped for waiting work, those that become
        eligible for it.
    """
    return tuple(dict.fromkeys((*assessment.terminated, *assessment.newly_possible, *assessment.newly_eligible)))


def plan_queue(
    target: QueueTarget,
    state: QueueState | None,
    knobs: Knobs | None = None,
    at: int = 0,
    *,
    with_advice: bool = True,
) -> QueuePlan:
    """Work out what a deployment would do to one queue.

    Args:
        target: what is declared, and what goes.
        state: of the live queue; None if there is none yet.
        knobs: of the model; None takes the defaults.
        at: the time for a queue that does not exist yet, in milliseconds since 1970 UTC.
        with_advice: whether advice and assumptions are worked out, too; they take most of the time.

    Returns:
        The plan.
    """
    knobs = knobs or Knobs()
    live = state if state is not None else QueueState(at, {}, {}, ())
    change = change_of(target, live)
    oversubscription = target.new is not None and target.new.allow_oversubscription
    notes = (*target.notes, *_notes_on_removals(target, live, change))
    return QueuePlan(
        label=target.label,
        queue_arn=target.queue_arn,
        state=live,
        change=change,
        assessment=assess(live, change, knobs, oversubscription, with_advice=with_advice),
        intermediate=_intermediate(live, change, knobs),
        declared=_declared_errors(target.old, target.new) if target.new is not None else (),
        drift=drift_of(target.old, target.new, live) if target.new is not None else (),
        notes=notes,
        knobs=knobs,
    )


def _intermediate(live: QueueState, change: Change, knobs: Knobs) -> tuple[Intermediate, ...]:
    assessed = [(label, assess(live, step, knobs, with_advice=False)) for label, step in steps_of(change, live)]
    return tuple(Intermediate(label, assessment, assessment.risk_verdict) for label, assessment in assessed)


def change_of(target: QueueTarget, live: QueueState) -> Change:
    """Give the change that a deployment makes to a live queue.

    Args:
        target: what is declared, and what goes.
        live: the queue.

    Returns:
        The change. A queue that is deleted loses all of its shares, those of other stacks too.
    """
    if target.is_deleted:
        return Change(None, dict.fromkeys(live.shares))
    removed = [removal.share for removal in target.removals]
    if target.new is None:
        gone = {name: None for name in removed if name in live.shares}
        return Change(None, gone) if gone else Change(None)
    return change_for(target.old, target.new, live, removed)


def steps_of(change: Change, live: QueueState) -> tuple[tuple[str, Change], ...]:
    """Give the states in between, as changes of the live queue.

    Args:
        change: the whole change.
        live: the queue.

    Returns:
        Those that differ from the live queue and from the end, in order.
    """
    kept = {name: members for name, members in change.shares.items() if members is not None}
    removed = [name for name, members in change.shares.items() if members is None]
    steps = []
    if change.environment is not None and change.shares:
        steps.append((ENVIRONMENT_FIRST, Change(change.environment)))
    if removed and (kept or change.environment is not None):
        steps.append((REMOVED_STILL_THERE, Change(change.environment, kept)))
    return tuple((label, step) for label, step in steps if apply_change(live, step) != live)


def _notes_on_removals(target: QueueTarget, live: QueueState, change: Change) -> list[str]:
    """Say where an acknowledged removal will not end jobs, and where more jobs end than those that are assessed."""
    refusing = {
        removal.share
        for removal in target.removals
        if removal.lifecycle == MANAGED and removal.on_removal == REFUSE_IF_BUSY
    }
    notes = []
    for share in [name for name, members in change.shares.items() if members is None]:
        jobs = [job for job in live.jobs if job.share == share and job.status not in FINISHED_STATUSES]
        early = sum(not job.is_unfinished for job in jobs)
        if jobs and share in refusing:
            notes.append(
                f"share {share} is removed with on_removal REFUSE_IF_BUSY while it has jobs: it would refuse, "
                "and stay on its queue outside the stack; deploy it with state DISABLED first and remove it when it "
                "is idle, or with on_removal RETAIN first to leave it there with its jobs"
            )
        elif early:
            ends = "is not RUNNABLE yet ends" if early == 1 else "are not RUNNABLE yet end"
            notes.append(f"{count(early, 'job')} of share {share} that {ends} with it as well")
    return notes


def _declared_errors(old: QueueProposal | None, new: QueueProposal) -> tuple[Finding, ...]:
    before = check_queue(_configuration(old)) if old is not None else ()
    return introduced_errors(before, check_queue(_configuration(new)))


def _configuration(proposal: QueueProposal) -> QueueConfiguration:
    environment = proposal.environment
    return QueueConfiguration(
        environment=EnvironmentConfiguration(
            limits=UNKNOWN if environment is None else _pairs(environment.capacity_limits)
        ),
        shares=tuple(
            ShareConfiguration(
                name=share.name,
                limits=_pairs(share.capacity_limits),
                strategy=share.strategy,
                borrow_limit_percent=share.borrow_limit_percent,
                in_share_preemption=share.in_share_preemption,
                state=share.state,
            )
            for share in proposal.shares
        ),
        time_limit_actions=tuple(
            TimeLimitConfiguration(
                action.reason, UNKNOWN, action.max_time_seconds, action.action, path=f"time_limit_actions.{position}"
            )
            for position, action in enumerate(proposal.time_limit_actions)
        ),
        allow_oversubscription=proposal.allow_oversubscription,
        all_shares=False,
    )


def _pairs(limits: tuple[CapacityLimit, ...]) -> tuple[tuple[object, object], ...]:
    return tuple((limit.unit, limit.amount) for limit in limits)
