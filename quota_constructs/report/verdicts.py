"""Which of several verdicts speaks for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

from quota_scheduler import VERDICTS

BLOCKED = VERDICTS[:3]
"""Verdicts that a guard blocks, unless its policy says otherwise."""


def worst(verdicts: Iterable[str]) -> str:
    """Give the worst verdict; `safe` where there is none.

    >>> worst(["safe", "at_risk", "notice"])
    'at_risk'
    """
    return min(verdicts, key=VERDICTS.index, default="safe")
