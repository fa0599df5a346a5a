"""One piece of advice, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Advice(Value):
    """What to do to lose less.

    Args:
        kind: `wait`, `order`, `priority`, `disable_first` or `keep_limit`.
        sentence: what to do and what it gives, in one sentence.
        data: the same for a program; the members depend on the kind.
    """

    kind: str
    sentence: str
    data: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", MappingProxyType(dict(self.data)))

    def to_dict(self) -> dict[str, object]:
        """Give the members in the form of an assessment document."""
        return {"kind": self.kind, "sentence": self.sentence, **self.data}
