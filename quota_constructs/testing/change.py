"""Whether going from one template to the next is safe for the jobs of a state: `batch-quota plan`, as an assertion."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from quota_constructs.assembly import proposal_of
from quota_constructs.assembly.values import LOOP
from quota_constructs.planning.planned import Planned, judged
from quota_constructs.report.text import short
from quota_live.plan import plan_queue
from quota_live.stack import JOB_QUEUE, MANAGED_SHARE, NATIVE_SHARE, StackResource
from quota_live.targets import QueueTarget, find_targets
from quota_scheduler import VERDICTS, Knobs, QueueState, parse_state
from quota_scheduler.proposal import MANAGED, Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.assembly import Proposed

_PLACE = "arn:aws:batch:eu-west-1:000000000000:job-queue"
_OPTION = re.compile(r"pass --parameter (\S+)=VALUE")


class HasTemplate(Protocol):
    """What holds a template: `aws_cdk.assertions.Template`."""

    def to_json(self) -> "Mapping[str, Any]":
        """Give the template."""
        ...


def assert_change_is_safe(
    template_before: "Mapping[str, Any] | HasTemplate | None",
    template_after: "Mapping[str, Any] | HasTemplate",
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
        template_before: What is deployed, as a mapping or a `Template` of the CDK; None for a first deployment.
        template_after: What is to be deployed.
        state: The queue as it would be, in whatever form `parse_state` reads. When the deployment replaces the queue,
            or moves its shares to another one, it is the old one, unless the state has the name of the new.
        queue: Construct path of the queue the state is of. By default the only one there is.
        fail_on: The mildest verdict that fails, one of `quota_scheduler.VERDICTS`.
        parameters: Values for the template's parameters; their defaults otherwise.
        knobs: Answers to what AWS leaves open. By default the model's.

    Raises:
        AssertionError: The verdict is at or above `fail_on`; the text is the plan.
        ValueError: `fail_on` is no verdict, the queue cannot be told or has another name than the state's, or what a
            template declares for it is not known, such as the value of a parameter.
        TypeError: A template is none.
    """
    if fail_on not in VERDICTS:
        raise ValueError(f"fail_on is no verdict, got {fail_on!r}; give one of {', '.join(VERDICTS)}")
    live = state if isinstance(state, QueueState) else parse_state(state)
    old = None if template_before is None else _proposed("before", template_before, parameters, queue).proposal
    proposed = _proposed("after", template_after, parameters, queue)
    # A first deployment has a state too: the queue is there, whoever made it.
    deployed = _deployed(proposed.proposal if old is None else old, live)
    target = _target(find_targets(proposed.proposal, old, deployed), queue, live)
    plan = plan_queue(target, live, knobs)
    if VERDICTS.index(plan.verdict) <= VERDICTS.index(fail_on):
        raise AssertionError(short(Planned("", plan, judged(plan, proposed)).assessed()))


def _proposed(
    which: str,
    template: "Mapping[str, Any] | HasTemplate",
    parameters: "Mapping[str, str] | None",
    queue: str | None,
) -> "Proposed":
    """Give what a template proposes, if all of it is known that matters for the queue."""
    given = template if isinstance(template, Mapping) else _to_json(which, template)
    proposed = proposal_of(given, parameters)
    missing = [
        f"{hole.path} is not known: {_OPTION.sub(_as_argument, hole.what)}"
        for hole in proposed.holes
        if hole.matters and (queue is None or hole.path.startswith((f"{queue} ", LOOP)))
    ]
    if missing:
        raise ValueError("\n".join(f"template_{which}: {line}" for line in missing))
    return proposed


def _as_argument(option: "re.Match[str]") -> str:
    return f'give parameters={{"{option[1]}": …}}'


def _to_json(which: str, template: "HasTemplate") -> "Mapping[str, Any]":
    give = getattr(template, "to_json", None)
    if isinstance(template, type) or not callable(give):
        raise TypeError(
            f"template_{which} is no template, got {type(template).__name__}; give a mapping, such as "
            "Template.from_stack(stack).to_json()"
        )
    given: Mapping[str, Any] = give()
    return given


def _target(targets: "Sequence[QueueTarget]", queue: str | None, live: QueueState) -> QueueTarget:
    found = [target for target in targets if queue in (None, target.label)]
    if len(found) > 1 and len({target.label for target in found}) == 1:
        # A replaced queue, or another import in the same place: the state is of the old one, unless it says otherwise.
        named = [target for target in found if live.queue is not None and live.queue in _names(target)]
        found = named[:1] or [target for target in found if target.new is None][:1]
    if len(found) != 1:
        paths = ", ".join(target.label for target in targets) or "none"
        raise ValueError(
            f"state of queue {queue or 'not said'}, the templates have {paths}; name one of them with queue="
        )
    names = _names(found[0])
    if live.queue is not None and names and live.queue not in names:
        raise ValueError(
            f"state of queue {live.queue}, but {found[0].label} is called {' and '.join(sorted(names))}; "
            "give the state of that queue, or name another one with queue="
        )
    return found[0]


def _names(target: QueueTarget) -> set[str]:
    """Give the names the queue has and had, as far as they are known."""
    declared = [queue.queue for queue in (target.new, target.old) if queue is not None]
    arns = [one.arn.rpartition("/")[2] for one in declared if one.arn is not None and one.arn.startswith("arn:")]
    return {name for name in (*(one.name for one in declared), *arns) if name is not None and "<" not in name}


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
