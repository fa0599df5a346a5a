"""Amounts, numbers, times and lists in the words that every sentence about a queue uses."""

from __future__ import annotations

from quota_scheduler.timestamp import format_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_CHARACTERS = 120
"""Of a name in a sentence."""

UNKNOWN = "?"

MINUTE = 60_000


def amounts(uses: Mapping[str, int]) -> str:
    """Give instances by type, such as `4 × ml.p4d.24xlarge`."""
    return ", ".join(f"{amount:,} × {unit}" for unit, amount in uses.items()) or "nothing"


def number(value: float) -> str:
    """Give a number with at most one decimal and none where it is whole.

    >>> number(1234.56), number(3.0), number(0.04)
    ('1,234.6', '3', '<0.1')
    """
    if 0 < value < 0.05:
        return "<0.1"
    return f"{round(value, 1):,.1f}".removesuffix(".0")


def span(low: float, high: float) -> str:
    """Give a range of numbers, or one number where both ends are the same."""
    first, last = number(low), number(high)
    if last.startswith("<"):
        return last
    return first if first == last else f"{first} to {last}"


def duration(milliseconds: int | None) -> str:
    """Give a length of time in its two largest units, such as `3d 4h`; `?` where it is not known.

    >>> duration(5 * 3_600_000 + 12 * MINUTE)
    '5h 12m'
    """
    if milliseconds is None:
        return UNKNOWN
    minutes = max(0, milliseconds) // MINUTE
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days}d {hours}h" if hours else f"{days}d"
    if hours:
        return f"{hours}h {minutes}m" if minutes else f"{hours}h"
    return f"{minutes}m" if minutes or milliseconds <= 0 else "<1m"


def moment(milliseconds: int | None) -> str:
    """Give a moment in UTC to the minute; `?` where it is not known.

    >>> moment(0)
    '1970-01-01 00:00 UTC'
    """
    if milliseconds is None:
        return UNKNOWN
    date, _, clock = format_timestamp(milliseconds).partition("T")
    return f"{date} {clock[:5]} UTC"


def count(amount: int, noun: str, plural: str = "") -> str:
    """Give an amount with its noun, such as `1 job` and `2 jobs`."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def listed(items: Sequence[str], most: int = 5, separator: str = ", ", more: str = "") -> str:
    """Give a list in words and cut it with its rest counted.

    Args:
        items: what is listed.
        most: how many are named.
        separator: what stands between them.
        more: what the rest is, such as `more error`; just `more` by default.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    left = len(items) - most
    if left <= 0:
        return separator.join(items)
    return f"{separator.join(items[:most])} and {count(left, more) if more else f'{left:,} more'}"


def flat(name: str) -> str:
    """Give a name in one line, cut where it is longer than anybody reads."""
    line = " ".join(name.split())
    return line if len(line) <= MOST_CHARACTERS else line[:MOST_CHARACTERS] + "…"
