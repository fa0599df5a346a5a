"""Checks of types at the edge of the public constructs, because what is wrong there shows up far away otherwise."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from quota_constructs._tokens import has_member, is_token
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
        """Expect a number, or a token for one; neither infinity nor what is no number."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        if not (is_number or (optional and value is None)):
            self._wrong(name, value, "a number")

    def texts(self, name: str, value: object, wanted: str) -> None:
        """Expect a mapping of texts to texts."""
        if not isinstance(value, Mapping):
            self._wrong(name, value, wanted)
            return
        for key, member in value.items():
            if not isinstance(key, str):
                self._wrong(f"a key of {name}", key, "text")
            if not isinstance(member, str):
                self._wrong(f"{name}[{key!r}]", member, "text")

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

    def construct(self, name: str, value: object, member: str, wanted: str, *, optional: bool = True) -> None:
        """Expect a construct, which is known by a member that constructs of its kind alone have."""
        if optional and value is None:
            return
        if not has_member(value, member):
            self._wrong(name, value, wanted)

    def duration(self, name: str, value: object, *, optional: bool = False) -> None:
        """Expect a duration of whole seconds; of one that is a token, CloudFormation gives the seconds."""
        from aws_cdk import Duration

        if not isinstance(value, Duration):
            if not (optional and value is None):
                self._wrong(name, value, "a Duration, such as Duration.hours(1)")
        elif value.is_unresolved():
            if value.unit_label() != "seconds":
                self.problem(f"{name} is a token of {value.unit_label()}, got no seconds; give Duration.seconds(…)")
        elif not float(value.to_seconds(integral=False)).is_integer():
            self.problem(
                f"{name} is no whole number of seconds, got {value.to_seconds(integral=False)}; "
                "give whole seconds, such as Duration.seconds(600)"
            )

    def sequence(self, name: str, value: object, kind: type) -> None:
        """Expect a sequence of values of a class."""
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        wrong = [item for item in items if not isinstance(item, kind)]
        if items is not value or wrong:
            self._wrong(name, wrong[0] if wrong else value, f"a list of {kind.__name__}")

    def problem(self, message: str) -> None:
        """Say what else is wrong with a value."""
        self._problems.append(TYPE.problem(message, self._where))

    def _wrong(self, name: str, value: object, wanted: str) -> None:
        got = "a token" if is_token(value) else f"{value!r} ({type(value).__name__})"
        self.problem(f"{name} has the wrong type, got {got}; give {wanted}")
