"""Whether going from one template to the next is safe for the jobs of a state: `batch-quota plan`, as an assertion."""

from typing import TYPE_CHECKING, Any

from quota_constructs.assembly import proposal_of
from quota_constructs.report.assessed import Assessed
from quota_constructs.report.text import short
from quota_live.plan import plan_queue
from quota_live.stack import JOB_QUEUE, MANAGED_SHARE, NATIVE_SHARE, StackResource
from quota_live.targets import QueueTarget, find_targets
from quota_scheduler import VERDICTS, Knobs, QueueState, parse_state
from quota_scheduler.proposal import MANAGED, Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quota_live.plan import QueuePlan

_PLACE = "arn:aws:batch:eu-west-1:000000000000:job-queue"


def assert_change_is_safe(
    template_before: "Mapping[str, Any] | None",
    template_after: "Mapping[str, Any]",
    state: "QueueState | Mapping[str, Any] | str | bytes",
    *,
    queue: str | None = None,
    fail_on: str = "at_risk",
    parameters: "Mapping[str, str] | None" = None,
    knobs: Knobs | None = None,
) -> None:
    """Assert that deploying a template puts no job of a state at risk.

    The answer is the one of `batch-quota plan` and of the guard, from the same functions: what is unchanged between
    the templates is left as it is in the state, and what is gone is removed from it.

    Args:
        template_before: What is deployed; None for a first deployment.
        template_after: What is to be deployed.
        state: The queue as it would be, in whatever form `parse_state` reads.
        queue: Construct path of the queue the state is of. By default the only one there is.
        fail_on: The mildest verdict that fails, one of `quota_scheduler.VERDICTS`.
        parameters: Values for the template's parameters; their defaults otherwise.
        knobs: Answers to what AWS leaves open. By default the model's.

    Raises:
        AssertionError: The verdict is at or above `fail_on`; the text is the plan.
        ValueError: `fail_on` is no verdict, or the queue cannot be told.
    """
    if fail_on not in VERDICTS:
        raise ValueError(f"fail_on is no verdict, got {fail_on!r}; give one of {', '.join(VERDICTS)}")
    live = state if isinstance(state, QueueState) else parse_state(state)
    old = None if template_before is None else proposal_of(template_before, parameters).proposal
    new = proposal_of(template_after, parameters).proposal
    target = _target(find_targets(new, old, _deployed(old, live)), queue)
    plan = plan_queue(target, live, knobs)
    if VERDICTS.index(plan.verdict) <= VERDICTS.index(fail_on):
        raise AssertionError(_text(plan))


def _target(targets: "Sequence[QueueTarget]", queue: str | None) -> QueueTarget:
    found = [target for target in targets if queue in (None, target.label)]
    if len(found) == 1:
        return found[0]
    paths = ", ".join(target.label for target in targets) or "none"
    raise ValueError(f"state of queue {queue or 'not said'}, the templates have {paths}; name one of them with queue=")


def _deployed(old: Proposal | None, live: QueueState) -> tuple[StackResource, ...]:
    """Give the resources a stack would have after the old template was deployed."""
    resources = []
    for queue in old.queues if old is not None else ():
        arn = queue.queue.arn or f"{_PLACE}/{live.queue or queue.queue.name or queue.queue.logical_id}"
        if queue.queue.logical_id is not None:
            resources.append(StackResource(queue.queue.logical_id, JOB_QUEUE, arn))
        for share in queue.shares:
            kind = MANAGED_SHARE if share.lifecycle == MANAGED else NATIVE_SHARE
            resources.append(StackResource(share.logical_id or share.name, kind, f"{arn}/quota-share/{share.name}"))
    return tuple(resources)


def _text(plan: "QueuePlan") -> str:
    return short(
        Assessed(
            assessment=plan.assessment,
            state=plan.state,
            change=plan.change,
            label=plan.label,
            notes=plan.notes,
            on_the_way=tuple((step.label, step.verdict, step.assessment) for step in plan.intermediate),
            declared=plan.declared,
            verdict=plan.verdict,
        )
    )
