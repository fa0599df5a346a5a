"""Where results go: standard output, or a file that is either whole or as it was before."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from quota_constructs.cli.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console


def write(text: str, target: str | None) -> None:
    """Write a result.

    A file is written aside and then put in its place, so that an interruption leaves no half of it.

    Args:
        text: The result; a final newline is added where it has none.
        target: File name, or None for standard output.

    Raises:
        Failure: The file cannot be written.
    """
    if not text.endswith("\n"):
        text += "\n"
    if target is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(target)
    try:
        _replace(path, text)
    except OSError as error:
        raise Failure(f"cannot write {target}: {(error.strerror or str(error)).lower()}") from error


def write_json(document: object, target: str | None) -> None:
    """Write a JSON document, indented, as `write` writes a text."""
    import json

    write(json.dumps(document, indent=2, ensure_ascii=False), target)


def write_text(print_to: Callable[[Console], None], target: str | None) -> None:
    """Write what is printed to a console: with colour to a terminal, plain to a file or a pipe.

    Args:
        print_to: Prints to the console it is given.
        target: File name, or None for standard output.
    """
    from quota_constructs.cli import console

    if target is None and sys.stdout.isatty():
        print_to(console.console())
    else:
        write(console.plain_text(print_to), target)


def _replace(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")  # a device or a pipe is written to as it is
        return
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(aside).chmod(mode)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
