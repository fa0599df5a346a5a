"""Which stacks of an assembly a command is about, and the parameters they get."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from quota_constructs.planning.errors import PlanError
from quota_scheduler.document import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quota_constructs.assembly import StackTemplate


def choose(stacks: Sequence[StackTemplate], wanted: Sequence[str], app: str) -> tuple[StackTemplate, ...]:
    """Choose stacks by name or path, `*` allowed; a stack brings its nested stacks along.

    Args:
        stacks: All stacks of the assembly.
        wanted: What was asked for; nothing means all of them.
        app: The assembly, for the message.

    Raises:
        PlanError: A name that no stack has.
    """
    if not wanted:
        return tuple(stacks)
    roots = [stack for stack in stacks if stack.parent is None]
    for pattern in wanted:
        if not any(_is_called(stack, pattern) for stack in roots):
            names = sorted({name for stack in roots for name in (stack.stack_name, stack.path) if name})
            hint = nearest(pattern, tuple(names)) or f"; it has {', '.join(names) or 'none'}"
            raise PlanError(f"{app} has no stack {pattern}{hint}")
    return tuple(stack for stack in stacks if any(_is_called(root_of(stack), pattern) for pattern in wanted))


def _is_called(stack: StackTemplate, pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in (stack.stack_name, stack.path))


def root_of(stack: StackTemplate) -> StackTemplate:
    """Give the stack that is deployed by itself and holds this one."""
    while stack.parent is not None:
        stack = stack.parent
    return stack


def parse_parameters(given: Sequence[str]) -> list[tuple[str, str, str]]:
    """Read parameters as the CDK takes them: `NAME=VALUE`, or `STACK:NAME=VALUE` for one stack.

    Returns:
        Stack (empty for all), name and value.

    Raises:
        PlanError: One is of neither form.
    """
    parsed = []
    for item in given:
        name, equals, value = item.partition("=")
        stack, colon, own = name.rpartition(":")
        if not equals or not (own if colon else name):
            raise PlanError(f"--parameter is NAME=VALUE or STACK:NAME=VALUE, got {item}")
        parsed.append((stack, own if colon else name, value))
    return parsed


def parameters_for(stack: StackTemplate, parsed: Sequence[tuple[str, str, str]]) -> Mapping[str, str]:
    """Give the parameters that were passed for a stack; those of a nested stack are its root's."""
    root = root_of(stack)
    return {name: value for of, name, value in parsed if not of or _is_called(root, of)}
