"""What each stack of an assembly is resolved against: parameters, pseudo parameters, exports of other stacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quota_constructs.assembly.intrinsics import Scope, resolve
from quota_constructs.assembly.values import Reference, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quota_constructs.assembly.cloud_assembly import StackTemplate


def scope_of(
    stack: StackTemplate,
    parameters: Mapping[str, Value] | None = None,
    exports: Mapping[str, Value] | None = None,
) -> Scope:
    """Give what a stack's template is resolved against.

    Args:
        stack: The stack; the parameters of a nested one come from its parent's template.
        parameters: Values for the parameters of the root stack. They go before what the assembly fixes.
        exports: Values of exports by name, as `exports_of` gives them.
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
        above = scope_of(stack.parent, parameters, exports)
        given = {name: _from_above(resolve(value, above), stack.parent) for name, value in stack.parameters.items()}
    return Scope(stack.template, given, pseudo, exports or {})


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
