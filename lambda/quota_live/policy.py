"""What a guard does about a plan: the policy it was given, applied to the verdict. Pure.

The policy is the JSON text in the property `Policy` of a `Custom::QuotaGuard`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType

from quota_scheduler import Bounds, acknowledges, apply_change, cycle
from quota_scheduler.document import Problems, check_choice, check_members, child, decode, shown
from quota_scheduler.errors import DocumentError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_live.plan import QueuePlan
    from quota_scheduler import Assessment

BLOCK = "BLOCK"
WARN = "WARN"
IGNORE = "IGNORE"
ACTIONS = (BLOCK, WARN, IGNORE)

VERSION = 1
UNKNOWN_ACKNOWLEDGEMENT = "unknown"
"""Acknowledges a guard that could not read the account."""

_DEFAULT_VERDICTS: Mapping[str, str] = MappingProxyType(
    {"invalid": BLOCK, "destructive": BLOCK, "disruptive": BLOCK, "at_risk": WARN, "notice": WARN}
)
_CAUSED_BY_CHANGE = ("destructive", "disruptive", "at_risk")


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
    if root.get("version", VERSION) not in (VERSION, str(VERSION)):
        raise DocumentError([Problem("$.version", f"must be {VERSION}, got {shown(root['version'])}")])
    verdicts = dict(_DEFAULT_VERDICTS)
    given = check_members(root.get("verdicts") or {}, "$.verdicts", problems, tuple(verdicts)) or {}
    for name in verdicts:
        if name in given:
            verdicts[name] = check_choice(given[name], child("$.verdicts", name), problems, ACTIONS)
    protect = check_members(root.get("protect") or {}, "$.protect", problems, ("minimumRunTimeSeconds", "tags")) or {}
    tags = protect.get("tags") or {}
    if not isinstance(tags, dict):
        problems.add("$.protect.tags", f"must be an object, got {shown(tags)}")
        tags = {}
    topic = root.get("notifyTopicArn")
    policy = Policy(
        verdicts=MappingProxyType(verdicts),
        on_unknown=check_choice(root.get("onUnknown", BLOCK), "$.onUnknown", problems, ACTIONS),
        max_gpu_hours=_number(root.get("maxGpuHours"), "$.maxGpuHours", problems),
        max_jobs=_number(root.get("maxJobs"), "$.maxJobs", problems),
        max_amplification=_number(root.get("maxAmplification"), "$.maxAmplification", problems),
        minimum_run_time_seconds=_number(
            protect.get("minimumRunTimeSeconds"), "$.protect.minimumRunTimeSeconds", problems
        ),
        protected_tags=MappingProxyType({str(key): str(value) for key, value in tags.items()}),
        notify_topic_arn=topic if isinstance(topic, str) and topic else None,
    )
    problems.raise_any()
    return policy


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
    given = [assessment.bounds for assessment in _assessments(plan)]
    jobs = max(bound.jobs[1] for bound in given)
    instances = max(bound.instances[1] for bound in given)
    gpu_hours = max(bound.gpu_hours[1] for bound in given)
    least = plan.assessment.bounds
    bounds = Bounds((least.jobs[0], jobs), (least.instances[0], instances), (least.gpu_hours[0], gpu_hours))
    return replace(plan.assessment, bounds=bounds)


def _at_risk(assessment: Assessment) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*assessment.terminated, *assessment.newly_possible, *assessment.newly_eligible)))


def _assessments(plan: QueuePlan) -> tuple[Assessment, ...]:
    return (plan.assessment, *(step.assessment for step in plan.intermediate))


def _exceeded(plan: QueuePlan, policy: Policy) -> tuple[str, ...]:
    """Compare what the change puts at risk with the limits of the policy."""
    reasons = []
    worst = _assessments(plan)
    jobs = max(len(_at_risk(assessment)) for assessment in worst)
    if policy.max_jobs is not None and jobs > policy.max_jobs:
        reasons.append(f"{jobs} jobs are at risk, max_jobs allows {_text(policy.max_jobs)}")
    gpu_hours = max(_gpu_hours(assessment) for assessment in worst)
    if policy.max_gpu_hours is not None and gpu_hours > policy.max_gpu_hours:
        reasons.append(f"{_text(gpu_hours)} GPU-hours are at risk, max_gpu_hours allows {_text(policy.max_gpu_hours)}")
    stopped = max(assessment.bounds.instances[1] for assessment in worst)
    if policy.max_amplification is not None and stopped:
        asked = _asked_for(plan)
        if asked and stopped / asked > policy.max_amplification:
            reasons.append(
                f"{stopped} instances may be stopped for {asked} that waiting work asks for, "
                f"max_amplification allows {_text(policy.max_amplification)}"
            )
    return tuple(reasons)


def _gpu_hours(assessment: Assessment) -> float:
    return sum(assessment.jobs[job_id].loss_gpu_hours[1] for job_id in _at_risk(assessment))


def _asked_for(plan: QueuePlan) -> int:
    """Count the instances that waiting work asks for and would stop others to get."""
    jobs = {job.id: job for job in plan.state.jobs}
    asking = {
        decision.job
        for assessment in _assessments(plan)
        for decision in cycle(apply_change(plan.state, assessment.change), plan.knobs)
        if decision.outcome == "preempt"
    }
    return sum(sum(jobs[job_id].uses.values()) for job_id in asking)


def _protected(plan: QueuePlan, policy: Policy) -> tuple[str, ...]:
    """Name protected jobs that the change puts at risk."""
    at_risk = {job_id for assessment in _assessments(plan) for job_id in _at_risk(assessment)}
    reasons = []
    for job in plan.state.jobs:
        if job.id not in at_risk:
            continue
        label = job.name or job.id
        seconds = (plan.state.at - job.started_at) / 1000 if job.started_at is not None else None
        minimum = policy.minimum_run_time_seconds
        if minimum is not None and seconds is not None and seconds >= minimum:
            reasons.append(
                f"{label} is protected: it has run {seconds / 3600:.1f} h, jobs of {minimum / 3600:.1f} h are kept"
            )
        tags = plan.tags.get(job.id, {})
        reasons += [
            f"{label} is protected by its tag {key}={value}"
            for key, value in policy.protected_tags.items()
            if tags.get(key) == value
        ]
    return tuple(reasons)


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


def _text(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
