"""What a guard does about a plan: its policy, applied to the verdict. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from quota_live.plan import jobs_at_risk
from quota_live.policy import BLOCK, IGNORE
from quota_scheduler import Bounds, acknowledges, apply_change, cycle
from quota_scheduler.wording import count, duration, flat, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_live.plan import QueuePlan
    from quota_live.policy import Policy
    from quota_scheduler import Assessment

UNKNOWN_ACKNOWLEDGEMENT = "unknown"
"""Acknowledges a guard that could not read the account."""
_CAUSED_BY_CHANGE = ("destructive", "disruptive", "at_risk")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a guard does about one plan.

    Args:
        plan: of one queue.
        action: `BLOCK`, `WARN` or `IGNORE`.
        reasons: why it is blocked beyond the verdict itself, one sentence each.
        acknowledgement: what lets the same deployment through.
        is_acknowledged: whether it would be blocked, and was acknowledged.
    """

    plan: QueuePlan
    action: str
    reasons: tuple[str, ...]
    acknowledgement: str
    is_acknowledged: bool

    @property
    def is_blocked(self) -> bool:
        """Whether the deployment stops here."""
        return self.action == BLOCK and not self.is_acknowledged


def judge(plan: QueuePlan, policy: Policy, acknowledged: str = "") -> Judgement:
    """Say what a guard does about a plan.

    Args:
        plan: of one queue.
        policy: of the guard.
        acknowledged: what the deployment carries, comma-separated.

    Returns:
        The judgement.
    """
    verdict = plan.verdict
    action = policy.verdicts.get(verdict, IGNORE)
    reasons = (*_exceeded(plan, policy), *_protected(plan, policy)) if verdict in _CAUSED_BY_CHANGE else ()
    if reasons:
        action = BLOCK
    return Judgement(
        plan=plan,
        action=action,
        reasons=reasons,
        acknowledgement=acknowledgement_of(plan),
        is_acknowledged=action == BLOCK and acknowledges(acknowledged, _with_worst_bounds(plan)),
    )


def acknowledgement_of(plan: QueuePlan) -> str:
    """Give what acknowledges a plan.

    Args:
        plan: of one queue.
    """
    return _with_worst_bounds(plan).acknowledge


def is_unknown_acknowledged(given: str) -> bool:
    """Whether the deployment accepts a guard that could not read the account."""
    return UNKNOWN_ACKNOWLEDGEMENT in (text.strip().lower() for text in given.split(","))


def _with_worst_bounds(plan: QueuePlan) -> Assessment:
    """Give the assessment with the upper bounds of the states in between, where those are higher."""
    given = [assessment.bounds for assessment in plan.assessments]
    jobs = max(bound.jobs[1] for bound in given)
    instances = max(bound.instances[1] for bound in given)
    gpu_hours = max(bound.gpu_hours[1] for bound in given)
    least = plan.assessment.bounds
    bounds = Bounds((least.jobs[0], jobs), (least.instances[0], instances), (least.gpu_hours[0], gpu_hours))
    return replace(plan.assessment, bounds=bounds)


def _exceeded(plan: QueuePlan, policy: Policy) -> tuple[str, ...]:
    """Compare what the change puts at risk with the limits of the policy."""
    reasons = []
    worst = plan.assessments
    jobs = max(len(jobs_at_risk(assessment)) for assessment in worst)
    if policy.max_jobs is not None and jobs > policy.max_jobs:
        reasons.append(
            f"{count(jobs, 'job')} {'is' if jobs == 1 else 'are'} at risk, max_jobs allows {number(policy.max_jobs)}"
        )
    gpu_hours = max(_gpu_hours(assessment) for assessment in worst)
    if policy.max_gpu_hours is not None and gpu_hours > policy.max_gpu_hours:
        reasons.append(
            f"{number(gpu_hours)} GPU-hours are at risk, max_gpu_hours allows {number(policy.max_gpu_hours)}"
        )
    stopped = max(assessment.bounds.instances[1] for assessment in worst)
    if policy.max_amplification is not None and stopped:
        asked = _asked_for(plan)
        if asked and stopped / asked > policy.max_amplification:
            reasons.append(
                f"{count(stopped, 'instance')} may be stopped for {asked:,} that waiting work asks for, "
                f"max_amplification allows {number(policy.max_amplification)}"
            )
    return tuple(reasons)


def _gpu_hours(assessment: Assessment) -> float:
    return sum(assessment.jobs[job_id].loss_gpu_hours[1] for job_id in jobs_at_risk(assessment))


def _asked_for(plan: QueuePlan) -> int:
    """Count the instances that waiting work asks for and would stop others to get."""
    jobs = {job.id: job for job in plan.state.jobs}
    asking = {
        decision.job
        for assessment in plan.assessments
        for decision in cycle(apply_change(plan.state, assessment.change), plan.knobs)
        if decision.outcome == "preempt"
    }
    return sum(sum(jobs[job_id].uses.values()) for job_id in asking)


def _protected(plan: QueuePlan, policy: Policy) -> tuple[str, ...]:
    """Name protected jobs that the change puts at risk."""
    at_risk = set(plan.jobs_at_risk)
    reasons = []
    for job in plan.state.jobs:
        if job.id not in at_risk:
            continue
        label = flat(job.name or job.id)
        run = plan.state.at - job.started_at if job.started_at is not None else None
        if policy.minimum_run_time_seconds is not None and run is not None:
            minimum = 1000 * policy.minimum_run_time_seconds
            if run >= minimum:
                kept = f"jobs that have run {duration(round(minimum))} are kept"
                reasons.append(f"{label} is protected: it has run {duration(run)}, {kept}")
        tags = plan.tags.get(job.id, {})
        reasons += [
            f"{label} is protected by its tag {key}={value}"
            for key, value in policy.protected_tags.items()
            if tags.get(key) == value
        ]
    return tuple(reasons)
