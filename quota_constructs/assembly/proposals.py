"""What a stack's template proposes for its queues: the guard's proposal, and raw Batch resources beside it.

The guard's property is one JSON text, mostly joined from pieces of which some are parameters. Where a piece is not
known before the deployment, the text still parses: the hole is found again afterwards by what stood in for it, and is
told with its path.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.intrinsics import Lookup, Scope, resolve
from quota_constructs.assembly.resources import raw_queues, resources_of
from quota_constructs.assembly.values import Partial, Reference, Unknown, Value
from quota_scheduler.proposal import Proposal, parse_proposal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quota_constructs.assembly.cloud_assembly import StackTemplate

GUARD = "Custom::QuotaGuard"

_STAND_IN = 900_719_925_474_000
_STAND_IN_TEXT = re.compile(r"900719925474(\d{3})")
_IDENTITY = ("name", "arn", "logicalId")


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a proposal that is not known before the deployment.

    Args:
        path: The queue and the member, such as `Stack/Training shares.QS1.capacityLimits`.
        what: What stands there in the template, and why it is not known.
        matters: Whether the queue cannot be assessed without it. Physical names do not matter: live resources are
            found by logical id.
    """

    path: str
    what: str
    matters: bool

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a template proposes.

    Args:
        proposal: The queues that are known well enough to be assessed.
        holes: What is not known; a queue with a hole that matters is missing from the proposal.
        policy: The guard's policy as its JSON text, or empty where the template has no guard.
        acknowledge: The acknowledgements the template carries, comma-separated.
    """

    proposal: Proposal
    holes: tuple[Hole, ...] = ()
    policy: str = ""
    acknowledge: str = ""


def scope_of(
    stack: StackTemplate,
    parameters: Mapping[str, Value] | None = None,
    exports: Mapping[str, Value] | None = None,
    lookup: Lookup | None = None,
) -> Scope:
    """Give what a stack's template is resolved against.

    Args:
        stack: The stack; the parameters of a nested one come from its parent's template.
        parameters: Values for the parameters of the root stack. They go before what the assembly fixes.
        exports: Values of exports by name, as `exports_of` gives them.
        lookup: Gives live values of references.
    """
    pseudo = {
        name: value for name, value in (("AWS::Region", stack.region), ("AWS::AccountId", stack.account)) if value
    }
    if stack.region:
        pseudo["AWS::Partition"] = partition_of(stack.region)
        pseudo["AWS::URLSuffix"] = "amazonaws.com.cn" if stack.region.startswith("cn-") else "amazonaws.com"
    given = {**stack.parameters, **(parameters or {})}
    if stack.parent is None:
        pseudo["AWS::StackName"] = stack.stack_name
    else:
        above = scope_of(stack.parent, parameters, exports, lookup)
        given = {name: _from_above(resolve(value, above), stack.parent) for name, value in stack.parameters.items()}
    return Scope(stack.template, given, pseudo, exports or {}, lookup)


def partition_of(region: str) -> str:
    """Give the partition of a Region."""
    for prefix, partition in (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"), ("eusc-", "aws-eusc")):
        if region.startswith(prefix):
            return partition
    return "aws"


def _from_above(value: Value, parent: StackTemplate) -> Value:
    if isinstance(value, Reference) and not value.stack:
        return replace(value, stack=parent.path)
    return value


def exports_of(stacks: Sequence[StackTemplate], parameters: Mapping[str, Value] | None = None) -> dict[str, Value]:
    """Give what the stacks of an assembly export, by export name.

    Args:
        stacks: The stacks of the assembly.
        parameters: Values for the stacks' parameters.

    Returns:
        The values; a resource of an exporting stack is a `Reference` that names the stack's path.
    """
    exports = {}
    for stack in stacks:
        scope = scope_of(stack, parameters)
        for output in stack.template.get("Outputs", {}).values():
            name = resolve(output.get("Export", {}).get("Name"), scope) if isinstance(output, dict) else None
            if isinstance(name, str):
                exports[name] = _from_above(resolve(output.get("Value"), scope), stack)
    return exports


def proposal_of(
    template: Mapping[str, Value],
    parameters: Mapping[str, Value] | None = None,
    path: str = "",
    scope: Scope | None = None,
) -> Proposed:
    """Give what a template proposes for its queues.

    Args:
        template: The template of one stack.
        parameters: Values of its parameters; defaults hold for those that are not given.
        path: The stack's path, for resources that carry no construct path of their own.
        scope: What the template is resolved against, in place of template and parameters alone.

    Returns:
        The proposal, with what could not be resolved.

    Raises:
        AssemblyError: The guard's proposal is no proposal, or a raw resource has members of a wrong kind.
    """
    scope = scope or Scope(template, parameters or {})
    queues, policy, acknowledge = _guarded(scope, path)
    resources = resources_of(scope, label=path)
    covered = {name for queue in queues for name in _logical_ids(queue)}
    queues += raw_queues({name: found for name, found in resources.items() if name not in covered})
    holes: list[Hole] = []
    known = []
    for queue in queues:
        settled, missing = _settle(queue)
        holes += missing
        if not any(hole.matters for hole in missing):
            known.append(settled)
    try:
        proposal = parse_proposal(json.dumps({"version": 1, "queues": known}))
    except ValueError as error:
        raise AssemblyError(f"{path or 'the template'} proposes what cannot be read: {error}") from error
    return Proposed(proposal, tuple(holes), policy, acknowledge)


def proposal_of_stack(
    stack: StackTemplate,
    parameters: Mapping[str, Value] | None = None,
    exports: Mapping[str, Value] | None = None,
    lookup: Lookup | None = None,
) -> Proposed:
    """Give what a stack of an assembly proposes; the arguments are those of `scope_of`."""
    return proposal_of(stack.template, path=stack.path, scope=scope_of(stack, parameters, exports, lookup))


def _guarded(scope: Scope, path: str) -> tuple[list[dict[str, Value]], str, str]:
    queues: list[dict[str, Value]] = []
    policy = acknowledge = ""
    for guard in resources_of(scope, (GUARD,), path).values():
        text = guard.properties.get("Proposal", "")
        document = _parse_with_holes(text, guard.path)
        queues += document["queues"]
        policy = _plain(guard.properties.get("Policy"))
        acknowledge = _plain(guard.properties.get("Acknowledge"))
    return queues, policy, acknowledge


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _parse_with_holes(text: Value, path: str) -> dict[str, Value]:
    holes: list[Unknown | Reference] = []
    if isinstance(text, Partial):
        pieces = []
        for part in text.parts:
            if isinstance(part, str):
                pieces.append(part)
            else:
                pieces.append(str(_STAND_IN + len(holes)))
                holes.append(part)
        text = "".join(pieces)
    try:
        document = json.loads(text)
    except (TypeError, ValueError) as error:
        raise AssemblyError(f"the proposal of {path} is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("queues"), list):
        raise AssemblyError(f"the proposal of {path} has no queues")
    if document.get("version") != 1:
        raise AssemblyError(
            f"the proposal of {path} is of version {document.get('version')!r}, this release reads 1;"
            " update quota-constructs"
        )
    restored: dict[str, Value] = _restore(document, holes)
    return restored


def _restore(value: Value, holes: Sequence[Unknown | Reference]) -> Value:
    if isinstance(value, dict):
        return {name: _restore(member, holes) for name, member in value.items()}
    if isinstance(value, list):
        return [_restore(item, holes) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value - _STAND_IN < len(holes):
        return holes[value - _STAND_IN]
    if isinstance(value, str) and _STAND_IN_TEXT.search(value):
        pieces = _STAND_IN_TEXT.split(value)
        parts = [holes[int(piece)] if index % 2 else piece for index, piece in enumerate(pieces)]
        return Partial(tuple(part for part in parts if part != ""))
    return value


def _logical_ids(queue: Mapping[str, Value]) -> Iterator[str]:
    for part in (queue.get("queue"), queue.get("environment"), queue.get("schedulingPolicy"), *queue.get("shares", ())):
        if isinstance(part, dict) and part.get("logicalId"):
            yield part["logicalId"]


def _settle(queue: Mapping[str, Value]) -> tuple[dict[str, Value], list[Hole]]:
    """Put None where something is not known, and list those places."""
    holes: list[Hole] = []

    def settled(value: Value, place: tuple[str, ...]) -> Value:
        if isinstance(value, dict):
            return {name: settled(member, (*place, name)) for name, member in value.items()}
        if isinstance(value, list):
            return [settled(item, (*place, _label(item, index))) for index, item in enumerate(value)]
        if isinstance(value, Unknown | Reference | Partial):
            matters = place[-1] not in _IDENTITY or (place[0] == "shares" and place[-1] == "name")
            holes.append(Hole(f"{queue.get('path')} {'.'.join(place)}", str(value), matters))
            return None
        return value

    document = {name: settled(member, (name,)) for name, member in queue.items()}
    return document, holes


def _label(item: Value, index: int) -> str:
    name = item.get("name") or item.get("capacityUnit") if isinstance(item, dict) else None
    return name if isinstance(name, str) else str(index)
