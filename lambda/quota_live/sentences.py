"""What a plan means, in the sentences of the guard: its answer, its log and what it publishes. Pure.

Reports have more room and words of their own (`quota_constructs.report`).
"""

from __future__ import annotations

from collections.abc import Mapping

from quota_scheduler.rules import check_state, introduced_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quota_live.plan import QueuePlan
    from quota_live.policy import Judgement
    from quota_scheduler import Assessment, JobRisk
    from quota_scheduler.job import Job
    from quota_scheduler.share import Share

MOST_NAMED = 3
"""Shares, jobs or errors named in one sentence; more are counted."""

MOST_CHARACTERS = 120
"""Of a name in a sentence."""

MOST_BYTES = 1500
"""Of a headline, in UTF-8: together with how to acknowledge it stays whole in any answer."""

_LONG_ACKNOWLEDGEMENT = 200


def headline(plan: QueuePlan) -> str:
    """Say in one sentence what a plan means: the verdict, the shares, the numbers.

    Args:
        plan: of one queue.

    Returns:
        The sentence, without a full stop.
    """
    return _short(f"queue {_queue_name(plan)}: {_what(plan)}", MOST_BYTES)


def blocked_line(judgements: Sequence[Judgement]) -> str:
    """Say why a deployment is blocked, and how it goes through: the first line of the guard's answer.

    Args:
        judgements: of all queues of the deployment, the worst first; at least one is blocked.
    """
    blocked = [judgement for judgement in judgements if judgement.is_blocked]
    first = blocked[0]
    reasons = f" ({_short(_few(first.reasons, '; '), MOST_BYTES // 3)})" if first.reasons else ""
    others = f", and {_count(len(blocked) - 1, 'more queue')}" if len(blocked) > 1 else ""
    acknowledgement = ",".join(judgement.acknowledgement for judgement in blocked)
    return (
        f"{first.plan.verdict}: {headline(first.plan)}{reasons}{others}. Nothing was changed. To deploy it anyway: "
        f"{how_to_acknowledge(acknowledgement)}"
    )


def how_to_acknowledge(acknowledgement: str) -> str:
    """Say how an acknowledgement is passed on the command line."""
    again = acknowledgement if len(acknowledgement) <= _LONG_ACKNOWLEDGEMENT else "<the same>"
    return (
        f"cdk deploy -c quota-acknowledge={acknowledgement} (or --parameters QuotaAcknowledge={again} for an assembly "
        "that is synthesized already)"
    )


def change_lines(plan: QueuePlan) -> tuple[str, ...]:
    """Say what changes, one line for the environment and one for each share.

    Args:
        plan: of one queue.
    """
    lines = []
    change = plan.change
    if change.environment is not None:
        lines.append(f"environment: {_amount_changes(plan.state.environment, change.environment)}")
    for name, members in change.shares.items():
        before = plan.state.shares.get(name)
        if members is None:
            lines.append(f"share {_name(name)}: removed")
        elif before is None:
            limits = members.get("limits")
            amounts = _amounts(limits) if isinstance(limits, Mapping) else "no limits"
            lines.append(f"share {_name(name)}: new, {members.get('strategy')}, {amounts}")
        else:
            lines.append(f"share {_name(name)}: {_member_changes(before, members)}")
    return tuple(lines)


def job_lines(plan: QueuePlan, job_ids: Iterable[str]) -> tuple[str, ...]:
    """Describe jobs, one line each, those with most to lose first.

    Args:
        plan: of one queue.
        job_ids: which jobs.
    """
    risks = plan.assessment.jobs
    jobs = {job.id: job for job in plan.state.jobs}
    wanted = [job_id for job_id in job_ids if job_id in jobs and job_id in risks]
    wanted.sort(key=lambda job_id: (-risks[job_id].loss_gpu_hours[1], job_id))
    return tuple(_job_line(jobs[job_id], risks[job_id]) for job_id in wanted)


def _what(plan: QueuePlan) -> str:
    verdict = plan.verdict
    assessment = _assessment_for(plan, verdict)
    if verdict == "invalid":
        return _invalid(plan)
    if verdict == "destructive":
        return _destructive(plan, assessment)
    if verdict == "disruptive":
        bounds = assessment.bounds
        return (
            f"{_changed(plan)}: work that waits would stop {_range(bounds.jobs, 'running job')} "
            f"({_range(bounds.instances, 'instance')}, {_hours(bounds.gpu_hours[1])} at most){_on_the_way(plan)}"
        )
    if verdict == "at_risk":
        return f"{_changed(plan)}: {_at_risk(assessment)}{_on_the_way(plan)}"
    if verdict == "notice":
        possible = len(assessment.possible)
        if possible:
            return (
                f"{_changed(plan)}: {_count(possible, 'running job')} may be stopped by work that waits, "
                f"with or without this change{_on_the_way(plan)}"
            )
        return (
            f"{_changed(plan)}: no job is at risk, but work that waits starts later, or only when usage has fallen"
            f"{_on_the_way(plan)}"
        )
    return f"{_changed(plan)}: no job is at risk" if plan.change.to_dict() else "nothing changes"


def _at_risk(assessment: Assessment) -> str:
    eligible = len(assessment.newly_eligible)
    over = ", ".join(f"{_name(name)} by {amount}" for name, amount in sorted(assessment.over_after.items()))
    nobody = "nothing that waits now would claim their room"
    if not eligible:
        return (
            f"no running job becomes eligible that was not, but shares are further above their limits: {over}; {nobody}"
        )
    become = "becomes" if eligible == 1 else "become"
    above = f", above their limits: {over}" if over else ""
    return f"{_count(eligible, 'running job')} {become} eligible for preemption{above}; {nobody}"


def _assessment_for(plan: QueuePlan, verdict: str) -> Assessment:
    """Give the assessment that has the verdict: the end, or the first state in between."""
    if plan.assessment.verdict == verdict:
        return plan.assessment
    return next((step.assessment for step in plan.intermediate if step.verdict == verdict), plan.assessment)


def _on_the_way(plan: QueuePlan) -> str:
    if plan.assessment.verdict == plan.verdict:
        return ""
    label = next((step.label for step in plan.intermediate if step.verdict == plan.verdict), "")
    return f" while it is deployed ({label})" if label else ""


def _invalid(plan: QueuePlan) -> str:
    errors = introduced_errors(check_state(plan.state), plan.assessment.findings)
    found = [f"{finding.message} [{finding.id}]" for finding in dict.fromkeys((*plan.declared, *errors))]
    return _few(found, "; ", "more error")


def _destructive(plan: QueuePlan, assessment: Assessment) -> str:
    parts = []
    jobs = {job.id: job for job in plan.state.jobs}
    if assessment.terminated:
        shares = dict.fromkeys(jobs[job_id].share for job_id in assessment.terminated if job_id in jobs)
        lost = sum(assessment.jobs[job_id].loss_gpu_hours[1] for job_id in assessment.terminated)
        ended = _count(len(assessment.terminated), "unfinished job")
        parts.append(f"removing {_shares(shares)} ends {ended} ({_hours(lost)} lost)")
    newly = [job_id for job_id in assessment.never_fits if assessment.jobs[job_id].newly]
    if newly:
        shares = dict.fromkeys(jobs[job_id].share for job_id in newly if job_id in jobs)
        parts.append(f"{_changed(plan)}: {_count(len(newly), 'waiting job')} of {_shares(shares)} could never run")
    return "; ".join(parts)


def _changed(plan: QueuePlan) -> str:
    return _few(change_lines(plan), ", ", "more change")


def _job_line(job: Job, risk: JobRisk) -> str:
    owner = f", owner {_name(job.owner)}" if job.owner else ""
    what = f"{risk.risk}, share {_name(job.share)}, {_amounts(job.uses)}, {_hours(risk.loss_gpu_hours[1])}{owner}"
    return f"{_name(job.name or job.id)} ({job.id}): {what}"


def _member_changes(before: Share, members: Mapping[str, object]) -> str:
    given = before.to_dict()
    parts = []
    for name, value in members.items():
        if name == "limits":
            parts.append(_amount_changes(before.limits, value))  # type: ignore[arg-type]  # limits are amounts
        else:
            old = given.get(name)
            parts.append(
                f"{name.replace('_', ' ')} {_word(old)} to {_word(value)}"
                if old is not None
                else f"{name.replace('_', ' ')} {_word(value)}"
            )
    return ", ".join(parts)


def _amount_changes(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    changed = [unit for unit in dict.fromkeys((*before, *after)) if before.get(unit) != after.get(unit)]
    return ", ".join(f"{unit} {before.get(unit, 0)} to {after.get(unit, 0)}" for unit in changed) or "unchanged"


def _amounts(amounts: Mapping[str, int]) -> str:
    return ", ".join(f"{amount} {unit}" for unit, amount in amounts.items()) or "nothing"


def _word(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _shares(names: Iterable[str]) -> str:
    listed = [_name(name) for name in names]
    return f"share{'s' if len(listed) > 1 else ''} {_few(listed, ', ')}"


def _few(items: Sequence[str], separator: str, more: str = "more") -> str:
    shown = separator.join(items[:MOST_NAMED])
    left = len(items) - MOST_NAMED
    return f"{shown} and {_count(left, more) if more != 'more' else f'{left} more'}" if left > 0 else shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _range(bounds: Sequence[float], noun: str) -> str:
    low, high = (int(value) for value in bounds)
    return _count(high, noun) if low == high else f"{low} to {_count(high, noun)}"


def _hours(hours: float) -> str:
    return "<0.1 GPU-hours" if 0 < hours < 0.05 else f"{hours:.1f} GPU-hours"


def _name(name: str) -> str:
    flat = " ".join(name.split())
    return flat if len(flat) <= MOST_CHARACTERS else flat[:MOST_CHARACTERS] + "…"


def _short(text: str, most_bytes: int) -> str:
    """Cut a text to so many bytes of UTF-8, without control characters that JSON writes in six."""
    flat = "".join(letter if letter.isprintable() else " " for letter in text)
    encoded = flat.encode("utf-8", "replace")
    if len(encoded) <= most_bytes:
        return flat
    return encoded[:most_bytes].decode("utf-8", "ignore") + "…"


def _queue_name(plan: QueuePlan) -> str:
    return _name(plan.state.queue or plan.label)
