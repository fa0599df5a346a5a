"""How a status is put into words; terminal and Markdown use the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.words import owner_label
from quota_scheduler.wording import amounts, duration, moment

if TYPE_CHECKING:
    from collections.abc import Mapping


def headings(document: Mapping[str, Any], at: int) -> tuple[str, str, str]:
    """Give the queue's name, where and when it was looked at, and what of each type is in use."""
    place = ", ".join(part for part in (document["region"], document["account"], moment(at)) if part)
    uses = "; ".join(
        f"{unit} {numbers['used']:,} of {numbers['limit']:,} in use"
        for unit, numbers in document["environment"].items()
    )
    return document["queue"] or "queue", place, uses


def share_label(name: str, told: Mapping[str, Any]) -> str:
    """Give the name of a share, and that it is disabled if it is."""
    return f"{name} (disabled)" if told["state"] == "DISABLED" else name


def head_size(head: Mapping[str, Any]) -> str:
    """Give what the first waiting job of a share asks for, whose it is and how long it has waited."""
    waits = "" if head["waits_seconds"] is None else f"for {duration(head['waits_seconds'] * 1000)}"
    return ", ".join(part for part in (amounts(head["uses"]), owner_label(head["owner"] or ""), waits) if part)


def or_dash(amount: int) -> str:
    """Give an amount, and a dash where there is none."""
    return f"{amount:,}" if amount else "-"


def lent_text(numbers: Mapping[str, Any]) -> str:
    """Give how much of a share's idle capacity is lent, which only all lenders together know for sure."""
    low, high = numbers["lent"]
    return or_dash(high) if low == high else f"{low:,} to {high:,}"
