"""What a template's expressions come to: plain JSON values, and the leaves that are not known before a deployment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = Any
"""A JSON value, with `Unknown`, `Reference`, `Partial` and `NO_VALUE` as possible leaves."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only the deployment will tell.

    Args:
        expression: What stands in the template, shortened to what a reader recognises, such as `Ref Cap`.
        reason: Why it cannot be known, and where there is one, what to pass so that it can.
    """

    expression: str
    reason: str

    def __str__(self) -> str:
        return f"{self.expression} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Reference:
    """A resource, by logical id.

    Args:
        logical_id: Its name in the template.
        attribute: The attribute that is asked for; empty for a plain `Ref`.
        stack: Path of the stack that holds it; empty for the template the reference stands in.
    """

    logical_id: str
    attribute: str = ""
    stack: str = ""

    def __str__(self) -> str:
        place = f"{self.stack}/{self.logical_id}" if self.stack else self.logical_id
        return f"{place}.{self.attribute}" if self.attribute else place


@dataclass(frozen=True, slots=True)
class Partial:
    """A text with holes: what `Fn::Join` and `Fn::Sub` give when one of their parts is not known."""

    parts: tuple[str | Unknown | Reference, ...]

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else f"<{part}>" for part in self.parts)


LOOP = "Fn::ForEach"
"""How the name of what is no resource, but a loop that makes resources, begins."""


class _NoValue:
    """The marker of `AWS::NoValue`: the member it stands for is left out."""


NO_VALUE = _NoValue()


def joined_text(parts: list[Value]) -> Value:
    """Put parts together: a text when all of them are known, else a `Partial` with the holes in place."""
    joined: list[str | Unknown | Reference] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Partial) else (part,):
            if isinstance(piece, Unknown | Reference):
                joined.append(piece)
                continue
            plain = scalar(piece)
            if joined and isinstance(joined[-1], str):
                joined[-1] += plain
            else:
                joined.append(plain)
    if not joined:
        return ""
    return joined[0] if len(joined) == 1 else Partial(tuple(joined))


def scalar(value: Value) -> str:
    """Give a scalar as the text that CloudFormation puts into a joined text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def is_hole(value: Value) -> bool:
    """Whether a value is only known after the deployment."""
    return isinstance(value, Unknown | Reference | Partial)


def resources_in(template: Mapping[str, Value]) -> Mapping[str, Mapping[str, Value]]:
    """Give the resources that are written out in a template, by logical id.

    Loops (`Fn::ForEach`) are no resources: CloudFormation makes some of them.
    """
    resources = members_of(template.get("Resources"))
    return {name: resource for name, resource in resources.items() if not name.startswith(LOOP)}


def members_of(value: Value) -> Mapping[str, Value]:
    """Give the members of an object; a value of another kind has none."""
    return value if isinstance(value, dict) else {}
