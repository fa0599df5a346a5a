"""Ask the model what would be, and count how often: advice must not cost much more than what it is about."""

from __future__ import annotations

from quota_scheduler.assess import assess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.change import Change
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.state import QueueState

MOST_JOBS = 8_000
"""Jobs that all questions of an assessment look at together: sixteen questions about a queue of 500 jobs. A queue with
more jobs gets no advice that needs a question, unless somebody asks `advise` for it with a larger budget."""

MOST_QUESTIONS = 60
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
        self._questions = MOST_QUESTIONS

    def can_ask(self, state: QueueState) -> bool:
        """Say whether there is budget left for another question about a queue of this size."""
        return self._questions > 0 and self._jobs >= len(state.jobs)

    def ask(self, state: QueueState, change: Change) -> Assessment:
        """Assess a change. What the rules say is not asked: steps on the way may be more than the environment has."""
        self._questions -= 1
        self._jobs -= len(state.jobs)
        return assess(state, change, self.knobs, allow_oversubscription=True, with_advice=False)


def stops_nobody(assessment: Assessment) -> bool:
    """Say whether a change stops nobody, ends nobody and leaves nobody waiting for ever."""
    return assessment.verdict not in _STOPPING_VERDICTS and assessment.bounds.jobs[1] == 0
