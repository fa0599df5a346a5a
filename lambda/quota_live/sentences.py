"""What a plan means, as the guard tells it: its answer, its log and what it publishes. Pure.

What a change does is said in the sentences of `quota_scheduler.consequences`, as in every report.
"""

from __future__ import annotations

from itertools import groupby

from quota_scheduler.consequences import consequences_on_the_way, main_consequences
from quota_scheduler.differences import REMOVED, differences, member_label
from quota_scheduler.wording import amounts, count, flat, listed, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quota_live.judgement import Judgement
    from quota_live.plan import QueuePlan
    from quota_scheduler import JobRisk
    from quota_scheduler.differences import Difference
    from quota_scheduler.job import Job

MOST_NAMED = 3
"""Changes or reasons named in one sentence; more are counted."""

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
    reasons = f" ({_short(listed(first.reasons, MOST_NAMED, '; '), MOST_BYTES // 3)})" if first.reasons else ""
    others = f", and {count(len(blocked) - 1, 'more queue')}" if len(blocked) > 1 else ""
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
    found = groupby(differences(plan.state, plan.change), lambda difference: difference.what)
    return tuple(_change_line(plan, what, tuple(members)) for what, members in found)


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
    """Say what changes and what that does; a change that is invalid or ends jobs is named by what it does."""
    if plan.declared or plan.assessment.verdict == plan.verdict:
        does = main_consequences(plan.assessment, plan.state, plan.declared)
    else:
        steps = [(step.label, step.verdict, step.assessment) for step in plan.intermediate]
        does = consequences_on_the_way(plan.assessment, plan.state, steps)
    says_all = plan.verdict == "invalid" or plan.assessment.terminated
    changes = "" if says_all else listed(change_lines(plan), MOST_NAMED, more="more change")
    return f"{changes}: {'; '.join(does)}" if changes else "; ".join(does)


def _change_line(plan: QueuePlan, what: str, members: tuple[Difference, ...]) -> str:
    name = what.removeprefix("share ")
    is_new = name != what and name not in plan.state.shares
    told = [_change(member) for member in members]
    return f"{flat(what)}: {', '.join(['new', *told] if is_new else told)}"


def _change(difference: Difference) -> str:
    if difference.after == REMOVED:
        return REMOVED
    values = f"{difference.before} to {difference.after}" if difference.before else difference.after
    return f"{member_label(difference.member)} {values}"


def _job_line(job: Job, risk: JobRisk) -> str:
    owner = f", owner {flat(job.owner)}" if job.owner else ""
    hours = f"{number(risk.loss_gpu_hours[1])} GPU-hours"
    what = f"{risk.risk}, share {flat(job.share)}, {amounts(job.uses)}, {hours}{owner}"
    return f"{flat(job.name or job.id)} ({job.id}): {what}"


def _short(text: str, most_bytes: int) -> str:
    """Cut a text to so many bytes of UTF-8, without control characters that JSON writes in six."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    encoded = printable.encode("utf-8", "replace")
    if len(encoded) <= most_bytes:
        return printable
    return encoded[:most_bytes].decode("utf-8", "ignore") + "…"


def _queue_name(plan: QueuePlan) -> str:
    return flat(plan.state.queue or plan.label)
