"""A decision about one waiting job, as a value that can be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from quota_scheduler.job_index import names
from quota_scheduler.sentences import sentence_of
from quota_scheduler.state import VERSION
from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.ledger import Ledger
    from quota_scheduler.ruling import Ruling
    from quota_scheduler.sentences import Numbers


@dataclass(frozen=True, slots=True)
class Decision(Value):
    """What happens to a waiting job now, and why.

    Args:
        job: its id.
        outcome: `dispatch`, `preempt`, `wait` or `never_fits`.
        preempted: ids of the jobs that are likely stopped for it, sorted.
        possible: ids of the jobs that may be stopped for it whatever the heuristic is, sorted.
        certain: ids of the jobs that are stopped for it in any case, sorted.
        borrowing: by how many instances its share is over its limit once it runs, 0 if it does not.
        reason: reason code; docs/model.md lists them.
        sentence: the same in one sentence, with the numbers.
        needs: per type, instances that would have to be given back; empty for dispatch and never_fits.
        is_exact: whether `possible` and `certain` are exact; if not, nothing outside `possible` is possible and all
            of `certain` are certain.
        numbers: the books behind it, per type of the job, as they were when it was decided.

    Lists are empty unless the outcome is `preempt`.
    """

    job: str
    outcome: str
    preempted: tuple[str, ...]
    possible: tuple[str, ...]
    certain: tuple[str, ...]
    borrowing: int
    reason: str
    sentence: str
    needs: Mapping[str, int]
    is_exact: bool = True
    numbers: tuple[Numbers, ...] = field(default=(), compare=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Give the decision document."""
        return {
            "version": VERSION,
            "job": self.job,
            "outcome": self.outcome,
            "preempted": list(self.preempted),
            "possible": list(self.possible),
            "certain": list(self.certain),
            "borrowing": self.borrowing,
            "reason": self.reason,
            "sentence": self.sentence,
            "needs": dict(self.needs),
        }


def make_decision(ruling: Ruling, ledger: Ledger) -> Decision:
    """Write a ruling down."""
    targets = ruling.targets
    return Decision(
        ruling.job.id,
        ruling.outcome,
        () if targets is None else tuple(names(targets.likely)),
        () if targets is None else tuple(sorted(targets.possible)),
        () if targets is None else tuple(sorted(targets.certain)),
        ruling.borrowing,
        ruling.reason,
        ruling.sentence or sentence_of(ruling, ledger),
        MappingProxyType(ruling.needs),
        targets is None or targets.is_exact,
        ruling.numbers,
    )
