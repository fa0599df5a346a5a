"""A plan from files alone: the assembly says what is declared, a snapshot says what is running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.assembly import exports_of, proposal_of_stack
from quota_constructs.planning.errors import PlanError
from quota_constructs.planning.planned import Planned, judged, refuse_holes
from quota_constructs.planning.stacks import parameters_for
from quota_live.plan import plan_queue
from quota_live.targets import QueueTarget, Removal
from quota_scheduler.proposal import NATIVE, TERMINATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.assembly import StackTemplate
    from quota_live.plan import QueuePlan
    from quota_scheduler import Knobs, QueueState
    from quota_scheduler.proposal import QueueProposal


def plan_from_state(
    stacks: Sequence[StackTemplate],
    chosen: Sequence[StackTemplate],
    state: QueueState,
    parameters: Sequence[tuple[str, str, str]],
    knobs: Knobs,
) -> list[Planned]:
    """Plan a deployment against the state of one queue.

    What was declared before is not known without the account, so that everything that differs from the state counts as
    a change. A share of the state that no stack of the assembly declares counts as removed, if the assembly declares
    the queue itself.

    Args:
        stacks: All stacks of the assembly.
        chosen: Those that are deployed.
        state: The queue as it is.
        parameters: Values for the stacks' parameters.
        knobs: Answers to what AWS leaves open.

    Raises:
        PlanError: The state's queue cannot be told among several.
    """
    exports = exports_of(stacks)
    proposed = {stack.path: proposal_of_stack(stack, parameters_for(stack, parameters), exports) for stack in stacks}
    refuse_holes([proposed[stack.path] for stack in chosen])
    declared = [(stack, queue) for stack in stacks for queue in proposed[stack.path].proposal.queues]
    wanted = {stack.path for stack in chosen}
    ours = [(stack, queue) for stack, queue in declared if stack.path in wanted]
    meant = _of_state(ours, state)
    same = meant if len(ours) == len(meant) else _of_state(declared, state)
    everywhere = {share.name for _, queue in (same or meant) for share in queue.shares}
    planned = []
    for stack, queue in meant:
        plan, notes = _plan(queue, state, everywhere, knobs)
        planned.append(Planned(stack.stack_name, plan, judged(plan, proposed[stack.path]), notes))
    return planned


def _of_state(
    declared: Sequence[tuple[StackTemplate, QueueProposal]], state: QueueState
) -> list[tuple[StackTemplate, QueueProposal]]:
    """Give what is declared for the queue of the state: by name, else by the shares that both have."""
    if state.queue is not None:
        named = [item for item in declared if _name(item[1]) == state.queue]
        if named:
            return named
    open_ones = [item for item in declared if _name(item[1]) is None or state.queue is None]
    owned = [item for item in open_ones if not item[1].is_imported]
    if len(owned) <= 1:
        return open_ones
    shared = [item for item in owned if any(share.name in state.shares for share in item[1].shares)]
    if len(shared) == 1:
        return [item for item in open_ones if item in shared or item[1].is_imported]
    paths = ", ".join(queue.path for _, queue in owned)
    raise PlanError(f"the state could be of any of the queues {paths}; name the stack with --stack")


def _name(queue: QueueProposal) -> str | None:
    if queue.queue.arn is not None and ":job-queue/" in queue.queue.arn:
        return queue.queue.arn.rpartition("/")[2]
    return queue.queue.name


def _plan(
    queue: QueueProposal, state: QueueState, everywhere: set[str], knobs: Knobs
) -> tuple[QueuePlan, tuple[str, ...]]:
    removed = [] if queue.is_imported else [name for name in state.shares if name not in everywhere]
    target = QueueTarget(
        label=queue.path,
        queue_arn=queue.queue.arn or queue.queue.name or state.queue or queue.path,
        new=queue,
        old=None,
        removals=tuple(Removal(name, NATIVE, TERMINATE) for name in removed),
    )
    notes = tuple(
        f"share {name} is in the state, but no stack of the assembly declares it: it counts as removed"
        for name in removed
    )
    return plan_queue(target, state, knobs), notes
