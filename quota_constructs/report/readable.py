"""Ids as a reader wants to see them, and texts that can do nothing but be read. No layout."""

from __future__ import annotations

import re

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


def short_id(identifier: str) -> str:
    """Give the part of an id that people use: the first group of a UUID, else the whole."""
    head, dash, _ = identifier.partition("-")
    return head if dash and len(identifier) == 36 and len(head) == 8 else identifier
