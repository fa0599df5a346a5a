"""What the model says about input it cannot use.

    ValueError
      └── DocumentError      a state, change or policy document that cannot be; all its problems at once

The error carries data (`problems`), so that nobody has to parse sentences.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a document.

    Args:
        path: where, as a JSON path from the root of the document (`$.jobs[3].uses`).
        message: what is wrong there, what was got and what is allowed.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class DocumentError(ValueError):
    """A document that cannot be read, with every problem it has.

    Args:
        problems: at least one problem, in the order of the document.
    """

    def __init__(self, problems: tuple[Problem, ...] | list[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[DocumentError], tuple[tuple[Problem, ...]]]:
        return (DocumentError, (self.problems,))
