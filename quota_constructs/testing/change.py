"""Whether going from one template to the next is safe for the jobs of a state: `batch-quota plan`, as an assertion."""

from typing import TYPE_CHECKING, Any

from quota_constructs.assembly import proposal_of
from quota_constructs.planning.planned import Planned, judged
from quota_constructs.report.text import short
from quota_live.plan import plan_queue
from quota_live.stack import JOB_QUEUE, MANAGED_SHARE, NATIVE_SHARE, StackResource
from quota_live.targets import QueueTarget, find_targets
from quota_scheduler import VERDICTS, Knobs, QueueState, parse_state
from quota_scheduler.proposal import MANAGED, Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    proposed = proposal_of(template_after, parameters)
    # A first deployment has a state too: the queue is there, whoever made it.
    deployed = _deployed(proposed.proposal if old is None else old, live)
    target = _target(find_targets(proposed.proposal, old, deployed), queue)
    plan = plan_queue(target, live, knobs)
    if VERDICTS.index(plan.verdict) <= VERDICTS.index(fail_on):
        raise AssertionError(short(Planned("", plan, judged(plan, proposed)).assessed()))


def _target(targets: "Sequence[QueueTarget]", queue: str | None) -> QueueTarget:
    found = [target for target in targets if queue in (None, target.label)]
    if len(found) == 1:
        return found[0]
    paths = ", ".join(target.label for target in targets) or "none"
    raise ValueError(f"state of queue {queue or 'not said'}, the templates have {paths}; name one of them with queue=")


def _deployed(proposal: Proposal, live: QueueState) -> tuple[StackResource, ...]:
    """Give the resources a stack has that was deployed as proposed."""
    resources = []
    for queue in proposal.queues:
        arn = queue.queue.arn or f"{_PLACE}/{live.queue or queue.queue.name or queue.queue.logical_id}"
        if queue.queue.logical_id is not None:
            resources.append(StackResource(queue.queue.logical_id, JOB_QUEUE, arn))
        for share in queue.shares:
            kind = MANAGED_SHARE if share.lifecycle == MANAGED else NATIVE_SHARE
            resources.append(StackResource(share.logical_id or share.name, kind, f"{arn}/quota-share/{share.name}"))
    return tuple(resources)
