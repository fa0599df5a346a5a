"""One queue of a plan, and the step from what `quota_live` works out to what a report shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs.planning.errors import PlanError
from quota_constructs.report.assessed import Assessed
from quota_constructs.report.verdicts import worst
from quota_live.judgement import acknowledgement_of, judge
from quota_live.policy import parse_policy
from quota_scheduler import DocumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.assembly import Proposed
    from quota_live.judgement import Judgement
    from quota_live.plan import QueuePlan


@dataclass(frozen=True, slots=True)
class Planned:
    """What a deployment of one stack does to one queue.

    Args:
        stack: Name of the stack.
        plan: The outcome.
        judgement: What the stack's guard will do about it; None for a stack without a guard.
        notes: What the reader should know beyond the plan's own notes.
    """

    stack: str
    plan: QueuePlan
    judgement: Judgement | None
    notes: tuple[str, ...] = ()

    @property
    def queue(self) -> str:
        """Name of the queue; its construct's path where it does not exist yet."""
        return self.plan.state.queue or self.plan.label

    @property
    def acknowledgement(self) -> str:
        """What the guard takes for this plan: its own bounds, those of the states in between included."""
        return self.judgement.acknowledgement if self.judgement is not None else acknowledgement_of(self.plan)

    def document(self) -> dict[str, Any]:
        """Give the assessment document, with what the guard takes as acknowledgement."""
        return {**self.plan.assessment.to_dict(), "acknowledge": self.acknowledgement}

    def assessed(self) -> Assessed:
        """Give it as a report shows it."""
        plan = self.plan
        notes = [*self.notes, *plan.notes]
        if not plan.is_live:
            notes.append("the queue does not exist yet, so that nothing can be running in it")
        notes += [f"{place} is not as declared and stays so: {what}" for place, what in plan.drift]
        blocked = self.judgement is not None and self.judgement.is_blocked
        return Assessed(
            assessment=plan.assessment,
            state=plan.state,
            change=plan.change,
            stack=self.stack,
            label=plan.label,
            notes=tuple(notes),
            on_the_way=tuple((step.label, step.verdict, step.assessment) for step in plan.intermediate),
            declared=plan.declared,
            verdict=plan.verdict,
            guard=_answer(self.judgement, plan.verdict),
            acknowledge=self.acknowledgement if blocked else "",
        )


def _answer(judgement: Judgement | None, verdict: str) -> str:
    """Say what the guard will do, or that there is none; nothing where there is nothing to do."""
    if verdict == "safe":
        return ""
    if judgement is None:
        return "this stack has no guard: nothing will hold the deployment up"
    if judgement.is_acknowledged:
        return "this assembly carries the acknowledgement, so that the guard will let it pass"
    reasons = f": {'; '.join(judgement.reasons)}" if judgement.reasons else ""
    if judgement.is_blocked:
        return f"the guard will block the deployment before anything changes{reasons}"
    return "the guard will let the deployment pass, and say this"


def judged(plan: QueuePlan, proposed: Proposed) -> Judgement | None:
    """Give what the guard of a template will do about a plan; None where the template has no guard.

    Raises:
        PlanError: The guard's policy cannot be read.
    """
    if not proposed.policy:
        return None
    try:
        return judge(plan, parse_policy(proposed.policy), proposed.acknowledge)
    except DocumentError as error:
        raise PlanError(f"the guard's policy cannot be read: {error}") from error


def plan_document(planned: Sequence[Planned]) -> dict[str, Any]:
    """Give a plan of several queues as a JSON document."""
    return {
        "version": 1,
        "verdict": worst(item.plan.verdict for item in planned),
        "plans": [{"stack": item.stack, "queue": item.queue, "assessment": item.document()} for item in planned],
    }


def refuse_holes(proposed: Sequence[Proposed]) -> None:
    """Refuse a plan in which amounts or names of shares are not known.

    Raises:
        PlanError: There are such; all of them are named.
    """
    missing = [str(hole) for one in proposed for hole in one.holes if hole.matters]
    if missing:
        raise PlanError(f"cannot tell what is deployed: {'; '.join(missing)}")
