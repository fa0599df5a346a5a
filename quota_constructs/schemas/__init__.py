"""JSON Schemas of everything that `batch-quota` reads and writes, as files of this package.

Scripts that work with the JSON can check it: `load("assessment")` gives the schema, `names()` all there are. The schema
of a plan refers to that of an assessment by file name.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_SUFFIX = ".schema.json"


def names() -> tuple[str, ...]:
    """Give the names of all formats that have a schema."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


def load(name: str) -> dict[str, Any]:
    """Give a schema.

    Args:
        name: Such as `assessment`; see `names`.

    Raises:
        ValueError: There is no schema of this name.
    """
    if name not in names():
        raise ValueError(f"there is no schema {name}, they are {', '.join(names())}")
    document: dict[str, Any] = json.loads((files(__name__) / f"{name}{_SUFFIX}").read_text(encoding="utf-8"))
    return document
