"""Times and ids as a reader wants to see them, and texts that can do nothing but be read. No layout."""

from __future__ import annotations

import re
import time

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
UNKNOWN = "?"

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that move a cursor, ring a bell or turn the direction of reading; tab and line feed are not among them."""


def has_control(text: str) -> bool:
    """Tell whether a text holds characters that do something else than to be read."""
    return _CONTROL.search(text) is not None


def readable(text: str) -> str:
    r"""Give a text with a replacement character for each one that does something else than to be read.

    >>> readable("a\x1b[31mb")
    'a�[31mb'
    """
    return _CONTROL.sub("\ufffd", text)


def duration(milliseconds: int | None) -> str:
    """Give a length of time in its two largest units, such as `3d 4h`; `?` where it is not known.

    >>> duration(5 * HOUR + 12 * MINUTE)
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
    """Give a moment in UTC to the minute, such as `2026-11-29 12:00 UTC`."""
    if milliseconds is None:
        return UNKNOWN
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(milliseconds / 1000))


def short_id(identifier: str) -> str:
    """Give the part of an id that people use: the first group of a UUID, else the whole."""
    head, dash, _ = identifier.partition("-")
    return head if dash and len(identifier) == 36 and len(head) == 8 else identifier
