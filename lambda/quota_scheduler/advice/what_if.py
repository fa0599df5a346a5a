"""Ask the model what would be, and count how often: advice must not cost much more than what it is about."""

from __future__ import annotations

from quota_scheduler.assess import assess
from quota_scheduler.change import apply_change
from quota_scheduler.cycle import Pass
from quota_scheduler.job_index import JobIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.change import Change
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.state import QueueState

MOST_JOBS = 4_000
"""Jobs that the questions about one kind of advice look at together: eight questions about a queue of 500 jobs. A
larger queue gets no advice that needs a question, unless somebody asks `advise` for it with a larger budget."""

MOST_QUESTIONS = 50
GLANCES_FOR_A_QUESTION = 8
"""How many scheduling passes cost about as much as an assessment."""

_STOPPING_VERDICTS = ("invalid", "destructive", "disruptive")


class WhatIf:
    """Questions to the model, within a budget.

    Args:
        knobs: what is assumed about the scheduler.
        most_jobs: how many jobs all questions together look at.
    """

    def __init__(self, knobs: Knobs, most_jobs: int = MOST_JOBS) -> None:
        self.knobs = knobs
        self._jobs = most_jobs
        self._jobs_glanced = most_jobs * GLANCES_FOR_A_QUESTION
        self._questions = MOST_QUESTIONS

    def can_ask(self, state: QueueState) -> bool:
        """Say whether there is budget left for another question about a queue of this size."""
        return self._questions > 0 and self._jobs >= len(state.jobs) and self._jobs_glanced >= len(state.jobs)

    def ask(self, state: QueueState, change: Change) -> Assessment:
        """Assess a change. What the rules say is not asked: steps on the way may be more than the environment has."""
        self._questions -= 1
        self._jobs -= len(state.jobs)
        return assess(state, change, self.knobs, allow_oversubscription=True, with_advice=False)

    def glance(self, state: QueueState, change: Change) -> bool:
        """Say whether a change might stop nobody: one pass, where an assessment takes many."""
        self._jobs_glanced -= len(state.jobs)
        after = apply_change(state, change)
        if any(job.share not in after.shares and job.is_unfinished for job in state.jobs):
            return False
        served = Pass(after, JobIndex(after.jobs), self.knobs).run().served
        return all(ruling.targets is None for ruling in served)


def stops_nobody(assessment: Assessment) -> bool:
    """Say whether a change stops nobody, ends nobody and leaves nobody waiting for ever."""
    return assessment.verdict not in _STOPPING_VERDICTS and assessment.bounds.jobs[1] == 0
