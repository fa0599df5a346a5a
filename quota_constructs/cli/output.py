"""Where results go: standard output, or a file that is either whole or as it was before."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quota_constructs.cli.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rich.console import Console


_STANDARD_OUTPUT = (None, "-")


def write(text: str, target: str | None) -> None:
    """Write a result.

    A file is written aside and then put in its place, so that an interruption leaves no half of it.

    Args:
        text: The result; a final newline is added where it has none.
        target: File name, or None or `-` for standard output.

    Raises:
        Failure: The file or standard output cannot be written.
    """
    if not text.endswith("\n"):
        text += "\n"
    try:
        if target in _STANDARD_OUTPUT:
            _print(text)
        else:
            _replace(Path(os.path.realpath(target)), text)  # what a link leads to, not the link
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        where = "standard output" if target in _STANDARD_OUTPUT else target or "a file without a name"
        raise Failure(f"cannot write {where}: {reason.lower()}") from error


def write_json(document: Mapping[str, Any], target: str | None) -> None:
    """Write a JSON document as `write` writes a text, an entry a line to the second level so that it diffs well."""
    text = json_text(document)
    if target in _STANDARD_OUTPUT and not _prints_everything():
        text = _in_ascii(text)
    write(text, target)


def json_text(document: Mapping[str, Any]) -> str:
    """Give a JSON document with an entry a line down to the second level, quick to write and fit to be compared.

    >>> print(json_text({"version": 1, "jobs": [{"id": "a"}, {"id": "b"}], "shares": {}}))
    {
      "version": 1,
      "jobs": [
        {"id": "a"},
        {"id": "b"}
      ],
      "shares": {}
    }
    """
    import json

    encode = json.JSONEncoder(ensure_ascii=False).encode
    members = []
    for name, value in document.items():
        if value and isinstance(value, dict):
            entries = ",\n    ".join([f"{encode(key)}: {encode(entry)}" for key, entry in value.items()])
            members.append(f"{encode(name)}: {{\n    {entries}\n  }}")
        elif value and isinstance(value, list):
            entries = ",\n    ".join([encode(entry) for entry in value])
            members.append(f"{encode(name)}: [\n    {entries}\n  ]")
        else:
            members.append(f"{encode(name)}: {encode(value)}")
    return "{\n  " + ",\n  ".join(members) + "\n}"


def write_text(print_to: Callable[[Console], None], target: str | None) -> None:
    """Write what is printed to a console: with colour to a terminal, plain to a file or a pipe.

    Args:
        print_to: Prints to the console it is given.
        target: File name, or None for standard output.
    """
    from quota_constructs.cli import console

    if target is None and sys.stdout is not None and sys.stdout.isatty():
        print_to(console.console())
    else:
        write(console.plain_text(print_to), target)


def write_notes(notes: Iterable[str]) -> None:
    """Say on standard error what the reader of a document should know that has no place in it, a line a note."""
    import click

    from quota_constructs.report.readable import readable

    for note in notes:
        click.echo(f"batch-quota: {readable(' '.join(note.split()))}", err=True)


def _print(text: str) -> None:
    if sys.stdout is None:
        raise Failure("standard output is closed; write to a file with -o FILE")
    sys.stdout.write(text)
    sys.stdout.flush()


def _prints_everything() -> bool:
    """Say whether standard output can take every character as it is."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").startswith("utf")


def _in_ascii(text: str) -> str:
    """Escape what is not ASCII in a JSON text; it stands in strings only."""
    import json

    return text if text.isascii() else "".join([sign if sign.isascii() else json.dumps(sign)[1:-1] for sign in text])


def _replace(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")  # a device or a pipe is written to as it is
        return
    if path.is_symlink():
        path = path.resolve()  # what the link leads to is replaced, not the link
    import tempfile

    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(aside).chmod(mode)
        Path(aside).replace(path)
    except BaseException:  # an interrupt as well: nothing half-written may stay behind
        Path(aside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
