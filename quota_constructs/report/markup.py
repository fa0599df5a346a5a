"""Texts of strangers inside Markdown: names of jobs and owners can hold anything, and must stay texts."""

from __future__ import annotations

import re

_FORMATTING = re.compile(r"([\\`*_\[\]|~])")
_MENTION = re.compile(r"(^|\W)([@#])(?=\w)")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def paragraph(text: str) -> str:
    r"""Escape a text for a line of Markdown: no HTML, no formatting, no mention, no line break.

    >>> paragraph("<script>*x*")
    '&lt;script&gt;\\\\*x\\\\*'
    """
    plain = " ".join(text.split())
    escaped = _FORMATTING.sub(r"\\\1", plain)
    escaped = re.sub(r"[&<>]", lambda match: _HTML[match[0]], escaped)
    return _MENTION.sub("\\1\\2\u2060", escaped)  # a word joiner, so that nobody is called


def code(text: str) -> str:
    """Give a text as code, whatever it holds; backticks become apostrophes."""
    plain = " ".join(text.split()).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`" if plain else ""
