"""A plan against the account: the assembly, or a change set, says what is declared; the account says what is live.

Read-only. Stacks are read in parallel, and each stack's queues are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quota_constructs.assembly import Reference, StackTemplate, exports_of, proposal_of_stack
from quota_constructs.cli.failure import Failure
from quota_constructs.cli.planned import Planned, judged, refuse_holes
from quota_constructs.cli.stacks import parameters_for, root_of
from quota_live.clients import call
from quota_live.deployment import evaluate
from quota_live.errors import NotFoundError

if TYPE_CHECKING:
    from quota_constructs.assembly import Proposed
    from quota_live.clients import Clients
    from quota_live.deployment import Options

_NOT_THERE = ("REVIEW_IN_PROGRESS", "DELETE_COMPLETE")
_THREADS = 8


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack as it is in the account.

    Args:
        stack_id: Its ARN.
        parameters: The values it has now; a deployment keeps them, unless others are passed.
        template: What was deployed last.
        resources: Physical ids by logical id.
    """

    stack_id: str
    parameters: Mapping[str, str]
    template: Mapping[str, Any]
    resources: Mapping[str, str]


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
        Failure: Something that matters is not known before the deployment.
        LiveError: The account cannot be read.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        read = pool.map(lambda stack: read_deployed(clients_of(stack.region), stack.stack_name), _roots(stacks))
        deployed = {stack.path: found for stack, found in zip(_roots(stacks), read, strict=True)}
    for stack in stacks:  # parents come first
        if stack.parent is not None:
            deployed[stack.path] = _read_nested(clients_of(stack.region), deployed[stack.parent.path], stack.logical_id)
    bound = [_bind(stack, clients_of, deployed[root_of(stack).path]) for stack in stacks]
    exports = {**_live_exports(clients_of, bound), **exports_of(bound)}

    def lookup(reference: Reference) -> str | None:
        found = deployed.get(reference.stack)
        return found.resources.get(reference.logical_id) if found is not None else None

    def proposed_by(stack: StackTemplate) -> Proposed:
        root = deployed[root_of(stack).path]
        kept = root.parameters if root is not None else {}
        return proposal_of_stack(stack, {**kept, **parameters_for(stack, parameters)}, exports, lookup)

    def before(stack: StackTemplate, now: Deployed | None) -> Proposed | None:
        if now is None:
            return None
        old = replace(stack, template=now.template, parameters=now.parameters, parent=None)
        return proposal_of_stack(old, None, exports, lookup)

    wanted = {stack.path for stack in chosen}
    work = [stack for stack in bound if stack.path in wanted]
    news = {stack.path: proposed_by(stack) for stack in work}
    olds = {stack.path: before(stack, deployed[stack.path]) for stack in work}
    refuse_holes(list(news.values()))

    def plan(stack: StackTemplate) -> list[Planned]:
        now, new, old = deployed[stack.path], news[stack.path], olds[stack.path]
        return _evaluated(clients_of(stack.region), stack, now, new, old, options, checkpoints)

    with ThreadPoolExecutor(_THREADS) as pool:
        return [planned for found in pool.map(plan, work) for planned in found]


def _roots(stacks: Sequence[StackTemplate]) -> list[StackTemplate]:
    return [stack for stack in stacks if stack.parent is None]


def _bind(
    stack: StackTemplate, clients_of: Callable[[str | None], Clients], deployed: Deployed | None
) -> StackTemplate:
    """Fill in the Region and account of a stack that is bound to none, as the deployment will."""
    region = stack.region or clients_of(None).region
    account = stack.account or (deployed.stack_id.split(":")[4] if deployed is not None else None)
    parent = None if stack.parent is None else _bind(stack.parent, clients_of, deployed)
    return replace(stack, region=region, account=account, parent=parent)


def _evaluated(
    clients: Clients,
    stack: StackTemplate,
    deployed: Deployed | None,
    new: Proposed,
    old: Proposed | None,
    options: Options,
    checkpoints: bool,
) -> list[Planned]:
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
    from quota_constructs.cli.checkpoints import with_checkpoints

    allowed = any(queue.allow_oversubscription for queue in new.proposal.queues if queue.path == planned.plan.label)
    plan, notes = with_checkpoints(planned.plan, clients, allowed)
    return replace(planned, plan=plan, notes=(*planned.notes, *notes))


def read_deployed(clients: Clients, name: str) -> Deployed | None:
    """Read a stack, or give None where it does not exist yet.

    Raises:
        LiveError: The account cannot be read.
    """
    cloudformation = clients.cloudformation
    try:
        stack = call(cloudformation.describe_stacks, StackName=name)["Stacks"][0]
    except NotFoundError:
        return None
    if stack["StackStatus"] in _NOT_THERE:
        return None
    return Deployed(
        stack_id=stack["StackId"],
        parameters=_values(stack.get("Parameters")),
        template=_template(call(cloudformation.get_template, StackName=name), name),
        resources=_resources(clients, name),
    )


def _read_nested(clients: Clients, parent: Deployed | None, logical_id: str) -> Deployed | None:
    physical = None if parent is None else parent.resources.get(logical_id)
    return None if physical is None else read_deployed(clients, physical)


def _values(parameters: Sequence[Mapping[str, str]] | None) -> dict[str, str]:
    return {
        item["ParameterKey"]: item.get("ResolvedValue") or item.get("ParameterValue", "") for item in parameters or ()
    }


def _template(response: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    body = response["TemplateBody"]
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError as error:
            raise Failure(
                f"the deployed template of {name} is not JSON; only templates of the CDK can be read"
            ) from error
    if not isinstance(body, Mapping):
        raise Failure(f"the template of {name} is no JSON object")
    return body


def _resources(clients: Clients, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    extra: dict[str, str] = {}
    while True:
        page = call(clients.cloudformation.list_stack_resources, StackName=name, **extra)
        for entry in page.get("StackResourceSummaries") or ():
            if entry.get("PhysicalResourceId") and entry.get("ResourceStatus") != "DELETE_COMPLETE":
                found[entry["LogicalResourceId"]] = entry["PhysicalResourceId"]
        if not page.get("NextToken"):
            return found
        extra = {"NextToken": page["NextToken"]}


def _live_exports(clients_of: Callable[[str | None], Clients], stacks: Sequence[StackTemplate]) -> dict[str, str]:
    """Read the account's exports where a template imports a value that may come from outside the assembly."""
    own = set(exports_of(stacks))
    exports: dict[str, str] = {}
    for region in {stack.region for stack in stacks if _imports(stack) - own}:
        cloudformation = clients_of(region).cloudformation
        extra: dict[str, str] = {}
        while True:
            page = call(cloudformation.list_exports, **extra)
            exports |= {item["Name"]: item["Value"] for item in page.get("Exports") or ()}
            if not page.get("NextToken"):
                break
            extra = {"NextToken": page["NextToken"]}
    return exports


def _imports(stack: StackTemplate) -> set[str]:
    names: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, Mapping):
            for name, member in value.items():
                if name == "Fn::ImportValue":
                    names.add(member if isinstance(member, str) else "?")
                look(member)

    look(stack.template.get("Resources", {}))
    return names


def plan_change_set(
    clients: Clients, stack_name: str, change_set: str, options: Options, checkpoints: bool = False
) -> list[Planned]:
    """Plan the execution of a change set that is prepared.

    Args:
        clients: Of the account.
        stack_name: The stack.
        change_set: Name or ARN of the change set.
        options: How queues are read and assessed.
        checkpoints: Whether the last checkpoints of jobs at risk are looked for in S3.

    Raises:
        Failure: There is no such change set, or something that matters is not known before it is executed.
        LiveError: The account cannot be read.
    """
    cloudformation = clients.cloudformation
    try:
        described = call(cloudformation.describe_change_set, StackName=stack_name, ChangeSetName=change_set)
    except NotFoundError as error:
        raise Failure(f"stack {stack_name} has no change set {change_set}; see `cdk deploy --no-execute`") from error
    body = call(cloudformation.get_template, StackName=stack_name, ChangeSetName=change_set)
    template = StackTemplate(stack_name, _template(body, change_set), path=stack_name)
    deployed = read_deployed(clients, stack_name)
    account = described["StackId"].split(":")[4] if ":" in described.get("StackId", "") else None
    bound = replace(template, region=clients.region, account=account, parameters=_values(described.get("Parameters")))
    exports = _live_exports(lambda _: clients, [bound])
    new = proposal_of_stack(bound, None, exports)
    refuse_holes([new])
    old = None
    if deployed is not None:
        before = replace(bound, template=deployed.template, parameters=deployed.parameters)
        old = proposal_of_stack(before, None, exports)
    return _evaluated(clients, bound, deployed, new, old, options, checkpoints)
