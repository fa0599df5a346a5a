"""What the walkthrough prints: numbered steps, commands, and their output set apart."""

from __future__ import annotations

import subprocess
import textwrap
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

_MARGIN = "    │ "
_DIFF_STYLES = {"+": "green", "-": "red"}


class Screen:
    """A person's terminal, or a log file: the same words, colour only on a terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._steps = 0
        self.columns = max(80, self._console.width - len(_MARGIN))

    def step(self, sentence: str) -> None:
        """Announce the next step in one line."""
        self._steps += 1
        self._console.print(Text(f"\n{self._steps:2}  {sentence}", style="bold"))

    def say(self, sentence: str) -> None:
        """Print a remark below the step."""
        self._console.print(Text(f"    {sentence}"))

    def diff(self, lines: str) -> None:
        """Print a source diff."""
        for line in lines.splitlines():
            self._console.print(Text(f"    {line}", style=_DIFF_STYLES.get(line[:1], "dim")))

    def run(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        shown: Callable[[str | None], Iterable[str]] = lambda line: () if line is None else (line,),
    ) -> tuple[int, str]:
        """Run a command, pass its output on line by line as it comes, and return exit code and output.

        Args:
            command: the words of the command.
            folder: where it runs.
            environment: its whole environment.
            shown: what a reader wants to see once the output has come to a line, and to its end (None); all lines are
                returned.
        """
        self._console.print(Text(f"    $ {' '.join(command)}", style="cyan"))
        lines: list[str] = []
        with subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        ) as process:
            try:
                for line in process.stdout or ():
                    lines.append(line.rstrip())
                    self._pass_on(shown(lines[-1]))
            except BaseException:
                process.terminate()
                raise
        self._pass_on(shown(None))
        return process.returncode, "\n".join(lines)

    def _pass_on(self, told: Iterable[str]) -> None:
        """Print lines of a command behind the margin, long ones on several lines."""
        for line in told:
            indent = line[: len(line) - len(line.lstrip())]
            parts = textwrap.wrap(
                line,
                self.columns,
                subsequent_indent=f"{indent}  ",
                break_long_words=False,
                break_on_hyphens=False,
                drop_whitespace=True,
            )
            for part in parts if len(line) > self.columns else (line,):
                self._console.print(Text(_MARGIN, style="dim") + Text.from_ansi(part))
