"""Values of a template, in a form in which equal ones are equal, functions of CloudFormation included.

A value that is not known before the deployment stays what it is, an expression; two such values are the same if their
expressions are. A text with functions in it becomes a tuple of its pieces, with neighbouring texts put together; every
other text stays what it is.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs._json_with_holes import parse_with_holes

if TYPE_CHECKING:
    from collections.abc import Iterable

_JOIN_ARGUMENTS = 2


@dataclass(frozen=True, slots=True)
class Function:
    """A function of CloudFormation, as JSON text with sorted keys."""

    text: str

    def __str__(self) -> str:
        return self.text


def canonical(value: object) -> Any:  # noqa: ANN401  # JSON, with tuples for texts
    """Bring a value to the form that is compared.

    >>> canonical({"Fn::Join": ["", ["a", "b", {"Ref": "C"}]]})
    ('ab', Function(text='{"Ref": "C"}'))
    """
    if isinstance(value, list):
        return [canonical(item) for item in value]
    if not isinstance(value, dict):
        return value
    (name, argument), *others = value.items() or [("", None)]
    if not others and name == "Fn::Join" and (parts := _parts_of(argument)) is not None:
        return _whole(_merged(canonical(part) for part in parts))
    if not others and (name == "Ref" or name.startswith("Fn::")):
        return (Function(json.dumps(value, sort_keys=True)),)
    return {key: canonical(member) for key, member in value.items() if member is not None}


def document_of(text: object) -> dict[str, Any]:
    """Parse a JSON text of a template into the form that is compared; functions stand where their values will be.

    Args:
        text: A text, or a join of texts and functions.

    Raises:
        ValueError: It is no JSON object.
    """
    pieces = canonical(text)
    if isinstance(pieces, str):
        document = _without_nulls(json.loads(pieces))
    elif isinstance(pieces, tuple):
        document = _without_nulls(parse_with_holes(pieces, _whole))
    else:
        raise ValueError("not a text")  # to a caller, all that is no JSON is one error
    if not isinstance(document, dict):
        raise ValueError("not an object")  # as above
    return document


def plain(value: object) -> str:
    """Show a value in the compared form to a person."""
    if isinstance(value, str | tuple):
        return "".join(map(str, value)) or "empty"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {plain(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(plain, value)) + "]"
    return "missing" if value is None else str(value)


def _parts_of(argument: object) -> list[object] | None:
    """Give the parts of a join that puts nothing between them."""
    if not isinstance(argument, list) or len(argument) != _JOIN_ARGUMENTS or argument[0] != "":
        return None
    return argument[1] if isinstance(argument[1], list) else None


def _whole(pieces: tuple[object, ...]) -> object:
    """Give a text from its pieces: as one, if there is no function among them."""
    if not pieces:
        return ""
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else pieces


def _merged(parts: "Iterable[object]") -> tuple[object, ...]:
    merged: list[object] = []
    for part in parts:
        for piece in part if isinstance(part, tuple) else (str(part),):
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            elif piece != "":
                merged.append(piece)
    return tuple(merged)


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
