"""What a stack's template proposes for its queues: the guard's proposal, and raw Batch resources beside it.

The guard's property is one JSON text, mostly joined from pieces of which some are parameters. Where a piece is not
known before the deployment, the text still parses: the hole is found again afterwards by what stood in for it, and is
told with its path.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.intrinsics import Scope
from quota_constructs.assembly.json_texts import parse_text
from quota_constructs.assembly.policies import known_policy
from quota_constructs.assembly.resources import TYPES, raw_queues, resources_of
from quota_constructs.assembly.scopes import scope_of
from quota_constructs.assembly.values import LOOP, Partial, Reference, Value, is_hole, joined_text, members_of
from quota_scheduler.document import is_version
from quota_scheduler.proposal import VERSION, Proposal, parse_proposal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from quota_constructs.assembly.cloud_assembly import StackTemplate

    Lookup = Callable[[Reference], str | None]
    """Gives the physical id of a resource of another stack, or None where there is none yet."""

GUARD = "Custom::QuotaGuard"

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
        policy: The guard's policy as JSON text, as far as it is known, or empty where the template has no guard.
        acknowledge: The acknowledgements the template carries, comma-separated.
    """

    proposal: Proposal
    holes: tuple[Hole, ...] = ()
    policy: str = ""
    acknowledge: str = ""


def proposal_of(
    template: Mapping[str, Value],
    parameters: Mapping[str, Value] | None = None,
    path: str = "",
) -> Proposed:
    """Give what a template proposes for its queues; references to resources of other stacks stay open.

    Args:
        template: The template of one stack.
        parameters: Values of its parameters; defaults hold for those that are not given.
        path: The stack's path, for resources that carry no construct path of their own.

    Returns:
        The proposal, with what could not be resolved.

    Raises:
        AssemblyError: The guard's proposal is no proposal, or a raw resource has members of a wrong kind.
    """
    return _proposed(Scope(template, parameters or {}), path, None)


def _proposed(scope: Scope, path: str, lookup: Lookup | None) -> Proposed:
    guarded = _guarded(scope, path)
    queues = guarded.queues
    resources = resources_of(scope, label=path)
    covered = {name for queue in queues for name in _logical_ids(queue)}
    queues += raw_queues({name: found for name, found in resources.items() if name not in covered})
    holes = [*guarded.holes, *_loops(scope)]
    known = []
    for queue in queues:
        settled, missing = _settle(queue, lookup)
        holes += missing
        if not any(hole.matters for hole in missing):
            known.append(settled)
    try:
        proposal = parse_proposal({"version": VERSION, "queues": known, "unguarded": guarded.unguarded})
    except ValueError as error:
        raise AssemblyError(f"{path or 'the template'} proposes what cannot be read: {error}") from error
    return Proposed(proposal, tuple(holes), guarded.policy, guarded.acknowledge)


def proposal_of_stack(
    stack: StackTemplate,
    parameters: Mapping[str, Value] | None = None,
    exports: Mapping[str, Value] | None = None,
    lookup: Lookup | None = None,
) -> Proposed:
    """Give what a stack of an assembly proposes.

    Args:
        stack: The stack.
        parameters: As of `scope_of`.
        exports: As of `scope_of`.
        lookup: Tells the physical ids of resources of other stacks; without it such references stay open.

    Returns:
        The proposal, with what could not be resolved.

    Raises:
        AssemblyError: As of `proposal_of`.
    """
    return _proposed(scope_of(stack, parameters, exports), stack.path, lookup)


def _loops(scope: Scope) -> Iterator[Hole]:
    """Find the loops that make queues or shares."""
    for name, loop in members_of(scope.template.get("Resources")).items():
        if name.startswith(LOOP) and any(f'"{kind}"' in json.dumps(loop) for kind in (*TYPES, GUARD)):
            yield Hole(name, f"{LOOP} (this loop over queues or shares is only worked out by CloudFormation)", True)


@dataclass(frozen=True, slots=True)
class _Guarded:
    queues: list[dict[str, Value]]
    unguarded: list[str]
    policy: str
    acknowledge: str
    holes: tuple[Hole, ...]


def _guarded(scope: Scope, path: str) -> _Guarded:
    queues: list[dict[str, Value]] = []
    unguarded: list[str] = []
    policy = acknowledge = ""
    holes: tuple[Hole, ...] = ()
    for guard in resources_of(scope, (GUARD,), path).values():
        text = guard.properties.get("Proposal", "")
        document = _document(text, guard.path)
        queues += document["queues"]
        unguarded += document.get("unguarded") or []
        policy, left_out = known_policy(guard.properties.get("Policy"))
        holes += tuple(Hole(f"{guard.path} {place}", what, matters=False) for place, what in left_out)
        acknowledge = _plain(guard.properties.get("Acknowledge"))
    return _Guarded(queues, unguarded, policy, acknowledge, holes)


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _document(text: Value, path: str) -> dict[str, Value]:
    document: dict[str, Value] = parse_text(text, f"the proposal of {path}")
    if not isinstance(document, dict) or not isinstance(document.get("queues"), list):
        raise AssemblyError(f"the proposal of {path} has no queues")
    if not all(isinstance(queue, dict) for queue in document["queues"]):
        raise AssemblyError(f"the proposal of {path} has queues that are no objects")
    if not isinstance(document.get("unguarded", []), list | None):
        raise AssemblyError(f"the proposal of {path} has unguarded resources that are no list")
    if not is_version(document.get("version"), VERSION):
        raise AssemblyError(
            f"the proposal of {path} is of version {document.get('version')!r}, this release reads {VERSION};"
            " update quota-constructs"
        )
    return document


def _logical_ids(queue: Mapping[str, Value]) -> Iterator[str]:
    shares = queue.get("shares")
    parts = [queue.get("queue"), queue.get("environment"), queue.get("schedulingPolicy")]
    for part in parts + (shares if isinstance(shares, list) else []):
        logical_id = members_of(part).get("logicalId")
        if isinstance(logical_id, str):
            yield logical_id


def _settle(queue: Mapping[str, Value], lookup: Lookup | None) -> tuple[dict[str, Value], list[Hole]]:
    """Put None where something is not known, and list those places; an unknown ARN is told by what stands for it."""
    holes: list[Hole] = []

    def settled(value: Value, place: tuple[str, ...]) -> Value:
        if isinstance(value, dict):
            return {name: settled(member, (*place, name)) for name, member in value.items()}
        if isinstance(value, list):
            return [settled(item, (*place, _label(item, index))) for index, item in enumerate(value)]
        value = _looked_up(value, lookup)
        if is_hole(value):
            matters = place[-1] not in _IDENTITY or (place[0] == "shares" and place[-1] == "name")
            holes.append(Hole(f"{queue.get('path')} {'.'.join(place)}", str(value), matters))
            return str(value) if place == ("queue", "arn") else None
        return value

    document = {name: settled(member, (name,)) for name, member in queue.items()}
    return document, holes


def _looked_up(value: Value, lookup: Lookup | None) -> Value:
    if lookup is not None and isinstance(value, Reference) and value.stack:
        return lookup(value) or value
    if lookup is not None and isinstance(value, Partial):
        return joined_text([_looked_up(part, lookup) for part in value.parts])
    return value


def _label(item: Value, index: int) -> str:
    name = item.get("name") or item.get("capacityUnit") if isinstance(item, dict) else None
    return name if isinstance(name, str) else str(index)
