"""Advice: how to lose less by a change that would stop or end jobs.

Nothing is advised that the model, asked with the advice applied, would not confirm. What that takes for granted is in
docs/decisions/0019-what-advice-promises.md.
"""

from __future__ import annotations

from quota_scheduler.advice.advice import Advice
from quota_scheduler.advice.limits import advise_disabling, advise_keeping_limits
from quota_scheduler.advice.priorities import advise_priorities
from quota_scheduler.advice.waiting import advise_order, advise_waiting
from quota_scheduler.advice.what_if import MOST_JOBS, WhatIf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.change import Change
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.state import QueueState

__all__ = ["MOST_JOBS", "Advice", "advise"]


def advise(
    state: QueueState, change: Change, assessment: Assessment, knobs: Knobs, most_jobs: int = MOST_JOBS
) -> tuple[Advice, ...]:
    """Say how to lose less by a change.

    Args:
        state: the queue as it is now.
        change: what is to be done.
        assessment: of that change.
        knobs: what is assumed about the scheduler.
        most_jobs: how many jobs the model may look at for one kind of advice; a queue of a thousand jobs can be
            looked at four times by default, and one of more jobs than this not at all.

    Returns:
        The advice, what needs no waiting first. Empty if nothing is at risk, or if nothing is found.
    """
    found: list[Advice | None] = [
        *advise_disabling(state, change, assessment),
        *advise_keeping_limits(state, change, assessment, WhatIf(knobs, most_jobs)),
    ]
    if assessment.newly_possible or assessment.verdict in ("destructive", "disruptive"):
        found.append(advise_order(state, change, WhatIf(knobs, most_jobs)))
    # What happens without the change as well, happens while one waits.
    if assessment.newly_possible or assessment.verdict in ("destructive", "disruptive", "at_risk"):
        found.append(advise_waiting(state, change, assessment.verdict, WhatIf(knobs, most_jobs)))
    if assessment.likely:
        found.append(advise_priorities(state, change, assessment, WhatIf(knobs, most_jobs)))
    return tuple([advice for advice in found if advice is not None])
