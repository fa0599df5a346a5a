"""Checks of types at the edge of the public constructs, because what is wrong there shows up far away otherwise."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import TYPE
from quota_constructs.errors import ConstructProblem, QuotaTypeError

if TYPE_CHECKING:
    from enum import StrEnum

LIMITS = 'a mapping of instance types to amounts, such as {"ml.g5.xlarge": 3}'
TAGS = 'a mapping of keys to values, such as {"team": "vision"}'


class TypeChecks:
    """Collects what has the wrong type, to say all of it at once.

    Args:
        where: Path of the construct that is being made.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._problems: list[ConstructProblem] = []

    def done(self) -> None:
        """Raise if anything was wrong.

        Raises:
            QuotaTypeError: With a line for each parameter.
        """
        if self._problems:
            raise QuotaTypeError(self._problems)

    def text(self, name: str, value: object, *, optional: bool = False) -> None:
        """Expect text."""
        if not (isinstance(value, str) or (optional and value is None)):
            self._wrong(name, value, "text")

    def flag(self, name: str, value: object) -> None:
        """Expect True or False."""
        if not isinstance(value, bool):
            self._wrong(name, value, "True or False")

    def number(self, name: str, value: object, *, optional: bool = False) -> None:
        """Expect a number, or a token for one."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number or (optional and value is None)):
            self._wrong(name, value, "a number")

    def mapping(self, name: str, value: object, wanted: str, *, optional: bool = False) -> None:
        """Expect a mapping; its contents are for the rules."""
        if not (isinstance(value, Mapping) or (optional and value is None)):
            self._wrong(name, value, wanted)

    def choice(self, name: str, value: object, choices: "type[StrEnum]", *, optional: bool = False) -> None:
        """Expect a member of an enumeration."""
        if not (isinstance(value, choices) or (optional and value is None)):
            self._wrong(name, value, f"one of {', '.join(f'{choices.__name__}.{choice.name}' for choice in choices)}")

    def instance(self, name: str, value: object, kind: type, made_by: str = "", *, optional: bool = False) -> None:
        """Expect a value of a class."""
        if not (isinstance(value, kind) or (optional and value is None)):
            article = "an" if kind.__name__[0] in "AEIO" else "a"
            self._wrong(name, value, f"{article} {kind.__name__}{made_by and f', made by {made_by}'}")

    def sequence(self, name: str, value: object, kind: type) -> None:
        """Expect a sequence of values of a class."""
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        wrong = [item for item in items if not isinstance(item, kind)]
        if items is not value or wrong:
            self._wrong(name, wrong[0] if wrong else value, f"a list of {kind.__name__}")

    def _wrong(self, name: str, value: object, wanted: str) -> None:
        got = "a token" if is_token(value) else f"{value!r} ({type(value).__name__})"
        self._problems.append(TYPE.problem(f"{name} has the wrong type, got {got}; give {wanted}", self._where))
