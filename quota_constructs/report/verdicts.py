"""Which verdicts a guard blocks, and which of several speaks for all of them."""

from __future__ import annotations

from quota_scheduler import VERDICTS
from quota_scheduler.verdict import worst

__all__ = ["BLOCKED", "worst"]

BLOCKED = VERDICTS[:3]
"""Verdicts that a guard blocks, unless its policy says otherwise."""
