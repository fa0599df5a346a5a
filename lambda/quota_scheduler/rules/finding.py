"""A finding: one place where a configuration breaks a rule."""

from __future__ import annotations

from dataclasses import dataclass

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""Worst first. An error is refused at synth and by the guard; a warning and an info are only said."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One breach of a rule. Findings sort by rule, then by place.

    Args:
        id: the rule, for example `QS007`.
        severity: `error`, `warning` or `info`.
        where: the place, as a path such as `shares.research.limits`.
        message: what is wrong, what was got, what is allowed and what to change; one line.

    >>> print(Finding("QS007", "error", "shares.a.limits.ml.g5.xlarge", "share a may use 9 of 8"))
    shares.a.limits.ml.g5.xlarge: share a may use 9 of 8 [QS007]
    """

    id: str
    severity: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.id}]"

    def to_dict(self) -> dict[str, str]:
        """Give the members in the form of an assessment document."""
        return {"id": self.id, "severity": self.severity, "where": self.where, "message": self.message}
