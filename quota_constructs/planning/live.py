"""A plan against the account: the assembly says what is declared, the account says what is live.

Read-only. Stacks are read in parallel, and each stack's queues are.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quota_constructs.assembly import AssemblyError, exports_of, proposal_of_stack
from quota_constructs.planning.deployed import check_account, live_exports, read_deployed, read_nested
from quota_constructs.planning.planned import Planned, judged, refuse_holes
from quota_constructs.planning.stacks import parameters_for, root_of
from quota_live.deployment import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from quota_constructs.assembly import Proposed, Reference, StackTemplate
    from quota_constructs.planning.deployed import Deployed
    from quota_live.clients import Clients
    from quota_live.deployment import Options

_THREADS = 8


@dataclass(frozen=True, slots=True)
class Deployment:
    """The deployment of one stack.

    Args:
        stack: The stack, bound to its Region and account.
        deployed: As it is in the account; None where it does not exist yet.
        new: What its template declares.
        old: What the template that was deployed last declares; None where there is none, or nobody can tell.
    """

    stack: StackTemplate
    deployed: Deployed | None
    new: Proposed
    old: Proposed | None


def plan_stacks(
    clients_of: Callable[[str | None], Clients],
    stacks: Sequence[StackTemplate],
    chosen: Sequence[StackTemplate],
    parameters: Sequence[tuple[str, str, str]],
    options: Options,
    checkpoints: bool = False,
) -> list[Planned]:
    """Plan the deployment of stacks of an assembly.

    Args:
        clients_of: Gives the clients of a Region, None being the caller's own.
        stacks: All stacks of the assembly.
        chosen: Those that are deployed.
        parameters: Values for the stacks' parameters.
        options: How queues are read and assessed.
        checkpoints: Whether the last checkpoints of jobs at risk are looked for in S3.

    Raises:
        PlanError: Something that matters is not known before the deployment.
        LiveError: The account cannot be read.
    """
    deployed = _read(clients_of, stacks, chosen)
    deployments = _propose(clients_of, stacks, chosen, parameters, deployed)
    refuse_holes([deployment.new for deployment in deployments])

    def plan(deployment: Deployment) -> list[Planned]:
        return evaluated(clients_of(deployment.stack.region), deployment, options, checkpoints)

    with ThreadPoolExecutor(_THREADS) as pool:
        return [planned for found in pool.map(plan, deployments) for planned in found]


def _read(
    clients_of: Callable[[str | None], Clients], stacks: Sequence[StackTemplate], chosen: Sequence[StackTemplate]
) -> dict[str, Deployed | None]:
    """Read all stacks as they are in the account, by path; those that are deployed must belong there."""
    with ThreadPoolExecutor(_THREADS) as pool:
        read = pool.map(lambda stack: read_deployed(clients_of(stack.region), stack.stack_name), _roots(stacks))
        deployed = {stack.path: found for stack, found in zip(_roots(stacks), read, strict=True)}
    for stack in {root_of(stack).path: root_of(stack) for stack in chosen}.values():
        check_account(clients_of(stack.region), stack, deployed[stack.path])
    for stack in stacks:  # parents come first
        if stack.parent is not None:
            deployed[stack.path] = read_nested(clients_of(stack.region), deployed[stack.parent.path], stack.logical_id)
    return deployed


def _propose(
    clients_of: Callable[[str | None], Clients],
    stacks: Sequence[StackTemplate],
    chosen: Sequence[StackTemplate],
    parameters: Sequence[tuple[str, str, str]],
    deployed: Mapping[str, Deployed | None],
) -> list[Deployment]:
    """Work out what the templates of the chosen stacks declare, and what those that were deployed last did."""
    bound = [_bind(stack, clients_of, deployed[root_of(stack).path]) for stack in stacks]
    exports = {**live_exports(clients_of, bound), **exports_of(bound)}
    wanted = {stack.path for stack in chosen}

    def lookup(reference: Reference) -> str | None:
        found = deployed.get(reference.stack)
        return found.resources.get(reference.logical_id) if found is not None else None

    deployments = []
    for stack in bound:
        if stack.path in wanted:
            root, now = deployed[root_of(stack).path], deployed[stack.path]
            kept = root.parameters if root is not None else {}
            new = proposal_of_stack(stack, {**kept, **parameters_for(stack, parameters)}, exports, lookup)
            old = None if now is None else _proposal_before(stack, now, exports, lookup)
            deployments.append(Deployment(stack, now, new, old))
    return deployments


def _proposal_before(
    stack: StackTemplate, now: Deployed, exports: Mapping[str, str], lookup: Callable[[Reference], str | None]
) -> Proposed | None:
    before = replace(stack, template=now.template, parameters=now.parameters, parent=None)
    try:
        return proposal_of_stack(before, None, exports, lookup)
    except AssemblyError:
        return None  # a guard of another version wrote it: everything that is declared counts as changed


def _roots(stacks: Sequence[StackTemplate]) -> list[StackTemplate]:
    return [stack for stack in stacks if stack.parent is None]


def _bind(
    stack: StackTemplate, clients_of: Callable[[str | None], Clients], deployed: Deployed | None
) -> StackTemplate:
    """Fill in the Region and account of a stack that is bound to none, as the deployment will."""
    region = stack.region or clients_of(None).region
    account = stack.account or (deployed.account if deployed is not None else None)
    parent = None if stack.parent is None else _bind(stack.parent, clients_of, deployed)
    return replace(stack, region=region, account=account, parent=parent)


def evaluated(clients: Clients, deployment: Deployment, options: Options, checkpoints: bool) -> list[Planned]:
    """Ask the account about one stack, as its guard will.

    Args:
        clients: Of the account.
        deployment: Of the stack.
        options: How queues are read and assessed.
        checkpoints: Whether the last checkpoints of jobs at risk are looked for in S3.

    Raises:
        LiveError: The account cannot be read.
    """
    stack, deployed, new, old = deployment.stack, deployment.deployed, deployment.new, deployment.old
    if not new.proposal.queues and (old is None or not old.proposal.queues):
        return []
    notes = tuple(f"not known before the deployment: {hole}" for hole in new.holes)
    plans = evaluate(
        clients,
        None if deployed is None else deployed.stack_id,
        new.proposal,
        None if old is None else old.proposal,
        options,
    )
    planned = [Planned(stack.stack_name, plan, judged(plan, new), notes) for plan in plans]
    return [_with_checkpoints(item, clients, new) for item in planned] if checkpoints else planned


def _with_checkpoints(planned: Planned, clients: Clients, new: Proposed) -> Planned:
    """Add what the user may read and the guard may not; what the guard will do about it stays as it is."""
    from quota_constructs.planning.checkpoints import with_checkpoints

    allowed = any(queue.allow_oversubscription for queue in new.proposal.queues if queue.path == planned.plan.label)
    plan, notes = with_checkpoints(planned.plan, clients, allowed)
    return replace(planned, plan=plan, notes=(*planned.notes, *notes))
