"""Priorities: let the scheduler choose the jobs whose loss is the least.

The scheduler's heuristic is not published, but it weighs priorities, and a job of lower priority is more likely to be
stopped. So lowering the priority of cheap jobs, or raising that of dear ones, moves the choice.

Source: AWS Batch User Guide, Preemption; Batch API, UpdateServiceJob. How far it moves is assumed: the default
heuristic (docs/decisions/0014-default-heuristic.md).
"""

from __future__ import annotations

from dataclasses import replace

from quota_scheduler.advice.advice import Advice
from quota_scheduler.job_index import known_priority
from quota_scheduler.loss import gpu_hours, upper_loss
from quota_scheduler.rules.jobs import HIGHEST_PRIORITY
from quota_scheduler.wording import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quota_scheduler.advice.what_if import WhatIf
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.change import Change
    from quota_scheduler.job import Job
    from quota_scheduler.state import QueueState

    Priorities = dict[str, int]

MOST_EDITS = 6
"""More jobs than these are not edited by hand."""


def advise_priorities(state: QueueState, change: Change, assessment: Assessment, what_if: WhatIf) -> Advice | None:
    """Find priorities under which the likely loss is smaller, as small as it can be if possible.

    The same waiting jobs must start as before, and without the change nothing may be stopped that is not stopped now.
    """
    jobs = {job.id: job for job in state.jobs}
    now = _lost(assessment.likely, jobs, state.at)
    least = round(assessment.bounds.gpu_hours[0], 4)
    if gpu_hours(now) <= least:
        return None
    best: tuple[int, int, Priorities, Assessment] | None = None
    for edits in _candidates(assessment, jobs, state.at):
        outcome = _outcome(state, change, edits, assessment, what_if)
        if outcome is None:
            continue
        lost = _lost(outcome.likely, jobs, state.at)
        if lost < now and (best is None or (lost, len(edits)) < best[:2]):
            best = (lost, len(edits), edits, outcome)
        if gpu_hours(lost) <= least:
            break
    if best is None:
        return None
    lost, _, edits, outcome = best
    is_lower_bound = gpu_hours(lost) <= least
    changed = ", ".join(f"{job_id} from {_shown(jobs[job_id])} to {edits[job_id]}" for job_id in sorted(edits))
    return Advice(
        "priority",
        f"set the priority of {changed} (UpdateServiceJob): then {_named(outcome.likely)} rather than "
        f"{_named(assessment.likely)} would likely be stopped, and {number(gpu_hours(lost))} instead of "
        f"{number(gpu_hours(now))} GPU-hours lost{', the least that is possible' if is_lower_bound else ''}",
        {
            "priorities": {job_id: edits[job_id] for job_id in sorted(edits)},
            "likely": list(outcome.likely),
            "loss_gpu_hours": gpu_hours(lost),
            "is_lower_bound": is_lower_bound,
        },
    )


def _candidates(assessment: Assessment, jobs: dict[str, Job], at: int) -> Iterator[Priorities]:
    """Give sets of priorities to try: the cheapest jobs lowered or the dearest raised, few first; then one or two."""
    possible = sorted(assessment.possible, key=lambda job_id: (upper_loss(jobs[job_id], at), job_id))
    priorities = {job_id: known_priority(jobs[job_id]) for job_id in possible}
    for count in range(1, min(MOST_EDITS, len(possible) - 1) + 1):
        below = max(min(priorities[job_id] for job_id in possible[count:]) - 1, 0)
        yield {job_id: below for job_id in possible[:count] if priorities[job_id] > below}
        above = min(max(priorities[job_id] for job_id in possible[:-count]) + 1, HIGHEST_PRIORITY)
        yield {job_id: above for job_id in possible[-count:] if priorities[job_id] < above}
    few = possible[:MOST_EDITS]
    top = min(max(priorities.values()) + 1, HIGHEST_PRIORITY)
    for position, job_id in enumerate(few):
        yield {job_id: 0} if priorities[job_id] > 0 else {}
        yield {job_id: top} if priorities[job_id] < top else {}
        for other in few[:position]:
            yield {one: 0 for one in (other, job_id) if priorities[one] > 0}


def _outcome(
    state: QueueState, change: Change, edits: Priorities, assessment: Assessment, what_if: WhatIf
) -> Assessment | None:
    """Assess the change under other priorities; None if that is no fair comparison, or too much to ask."""
    if not edits or not what_if.can_ask(state):
        return None
    edited = replace(
        state,
        jobs=tuple(replace(job, priority=edits[job.id]) if job.id in edits else job for job in state.jobs),
    )
    outcome = what_if.ask(edited, change)
    same_start = outcome.starts == assessment.starts
    # What the new priorities bring about by themselves, before the change: nothing may be stopped for them.
    same_before = set(outcome.possible) - set(outcome.newly_possible) <= (
        set(assessment.possible) - set(assessment.newly_possible)
    )
    return outcome if same_start and same_before else None


def _lost(job_ids: Iterable[str], jobs: dict[str, Job], at: int) -> int:
    return sum(upper_loss(jobs[job_id], at) for job_id in job_ids)


def _shown(job: Job) -> str:
    return "unknown" if job.priority is None else str(job.priority)


def _named(job_ids: Iterable[str]) -> str:
    ids = list(job_ids)
    return " and ".join(ids) if len(ids) <= 3 else f"{len(ids)} jobs"
