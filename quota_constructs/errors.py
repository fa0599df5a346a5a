"""The errors the constructs raise.

    QuotaConstructError (ValueError)    values, or combinations of constructs, that cannot work
    QuotaTypeError (TypeError)          values of another type than the parameter takes

Each says what is wrong, what was got, what is allowed and what to change, a line for each problem, all problems of one
construct at once, with the id of the rule: `QS…` are the rules of quota management, which the guard, the command line
and the local cloud apply as well; `QC…` are the rules of these constructs (`quota_constructs.construct_rules`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class ConstructProblem:
    """One thing that is wrong.

    Args:
        rule_id: The rule that says so, for example `QS009`.
        where: Path of the construct, or empty for a value that belongs to none yet.
        message: What is wrong, what was got, what is allowed, what to change.
    """

    rule_id: str
    where: str
    message: str

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.message} [{self.rule_id}]"


class QuotaConstructError(ValueError):
    """A value, or a combination of constructs, that cannot work.

    Args:
        problems: What is wrong, at least one.

    Attributes:
        problems: What is wrong.
        rule_ids: The ids of the broken rules, in the order of the text.
    """

    def __init__(self, problems: "Sequence[ConstructProblem]") -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
        self.rule_ids = tuple(problem.rule_id for problem in problems)


class QuotaTypeError(TypeError):
    """A value of another type than the parameter takes.

    Args:
        problems: What is wrong, at least one.

    Attributes:
        problems: What is wrong.
        rule_ids: The ids of the broken rules, in the order of the text.
    """

    def __init__(self, problems: "Sequence[ConstructProblem]") -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
        self.rule_ids = tuple(problem.rule_id for problem in problems)
