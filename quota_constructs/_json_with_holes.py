"""JSON texts of which some pieces are not known before a deployment.

While the text is parsed, a number stands where such a piece will be, inside quotes or not; afterwards the piece is put
back in its place.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FIRST_MARK = 900_719_925_474
_DIGITS = 9
"""Of the number of a hole, behind the mark."""


def parse_with_holes(pieces: Sequence[object], text_of: Callable[[tuple[object, ...]], object] = tuple) -> Any:  # noqa: ANN401  # JSON
    """Parse a JSON text that is given in pieces.

    Args:
        pieces: What stands one after another; whatever is no text is a hole.
        text_of: Makes a value of a text's own pieces, of which none is empty; a hole outside of quotes is a text of
            one piece.

    Returns:
        The document, with what `text_of` gives for its texts; names of members stay as they are.

    Raises:
        ValueError: It is no JSON.

    >>> parse_with_holes(['{"a": "x-', Ellipsis, '", "b": ', None, "}"])
    {'a': ('x-', Ellipsis), 'b': (None,)}
    """
    texts = "".join(piece for piece in pieces if isinstance(piece, str))
    mark = next(mark for mark in map(str, count(_FIRST_MARK)) if mark not in texts)
    stand_in = re.compile(rf"{mark}(\d{{{_DIGITS}}})")
    holes: list[object] = []
    parsed = []
    for piece in pieces:
        if isinstance(piece, str):
            parsed.append(piece)
        else:
            parsed.append(f"{mark}{len(holes):0{_DIGITS}}")
            holes.append(piece)

    def restored(value: object) -> object:
        if isinstance(value, dict):
            return {name: restored(member) for name, member in value.items()}
        if isinstance(value, list):
            return [restored(item) for item in value]
        if isinstance(value, str):
            split = stand_in.split(value)
            return text_of(tuple(holes[int(part)] if at % 2 else part for at, part in enumerate(split) if part))
        if isinstance(value, int) and (found := stand_in.fullmatch(str(value))) is not None:
            return text_of((holes[int(found[1])],))
        return value

    return restored(json.loads("".join(parsed)))
