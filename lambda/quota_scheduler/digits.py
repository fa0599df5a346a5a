"""Whole numbers that are given as text, as deploy-time values and command lines do."""

from __future__ import annotations

MOST_DIGITS = 18
"""Of a number that can be meant: more is no amount of anything."""


def whole_number(text: object, most_digits: int = MOST_DIGITS) -> int | None:
    """Read a whole number that is written in the digits 0 to 9, with a minus in front or none.

    Args:
        text: what may be one.
        most_digits: of the number.

    Returns:
        The number; None for anything else.

    >>> whole_number("-12"), whole_number("²"), whole_number("1.0"), whole_number(3)
    (-12, None, None, None)
    """
    if not isinstance(text, str):
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= most_digits else None
