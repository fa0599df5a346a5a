"""The terminal: a rich console for a stream, with colour and width as the stream has them."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

NARROWEST, PLAIN = 40, 80
_MOST_DIGITS = 4  # of a width in columns


def console() -> Console:
    """Give the console of standard output; colour on a terminal only, and none with `NO_COLOR`."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=False, emoji=False)


def plain_text(write: Callable[[Console], None]) -> str:
    """Give what is written to a console as text without colour, as wide as `COLUMNS` says or 80."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    is_width = columns.isascii() and columns.isdigit() and len(columns) <= _MOST_DIGITS
    width = max(NARROWEST, int(columns)) if is_width else PLAIN
    buffer = io.StringIO()
    write(Console(file=buffer, width=width, color_system=None, highlight=False, emoji=False, legacy_windows=False))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())
