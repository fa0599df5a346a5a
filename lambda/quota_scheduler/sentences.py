"""Reason codes and their sentences, one table. A sentence says what happens and the numbers behind it."""

from __future__ import annotations

from quota_scheduler.admission import largest_with_pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_scheduler.ledger import Ledger
    from quota_scheduler.ruling import Ruling

_LISTED = 3
"""So many ids are named in a sentence; of more only the count."""


def sentence_of(ruling: Ruling, ledger: Ledger) -> str:
    """Say in one sentence what was decided and why.

    Args:
        ruling: the decision.
        ledger: the books, for the configuration of the share.
    """
    start, tell = _SENTENCES[ruling.outcome, ruling.reason]
    return f"{start}: {tell(_Facts(ruling, ledger))}"


class _Facts:
    """The numbers of a ruling, for the instance type that decides."""

    def __init__(self, ruling: Ruling, ledger: Ledger) -> None:
        self.ruling: Ruling = ruling
        self.share: str = ruling.job.share
        self.ledger: Ledger = ledger
        numbers = max(ruling.numbers, key=lambda numbers: ruling.needs.get(numbers.unit, 0))
        if ruling.outcome == "never_fits":
            numbers = next((each for each in ruling.numbers if self._breaks(each)), numbers)
        self.numbers: Numbers = numbers

    @property
    def usage(self) -> str:
        """For example `research uses 6 of 6 ml.p4d.24xlarge`."""
        return f"{self.share} uses {self.numbers.usage:,} of {self.numbers.limit:,} {self.numbers.unit}"

    @property
    def asked(self) -> str:
        """For example `the job asks for 4`."""
        return f"the job asks for {self.numbers.amount:,}"

    @property
    def stopped(self) -> str:
        """For example `2 jobs (a1, a2)`."""
        targets = self.ruling.targets
        ids = sorted(job.id for job in targets.likely) if targets is not None else []
        listed = ", ".join(ids[:_LISTED]) + (", …" if len(ids) > _LISTED else "")
        return f"{len(ids)} job{'' if len(ids) == 1 else 's'} ({listed})"

    @property
    def largest(self) -> int:
        """What the share and all that lend to it have together."""
        return self._largest_of(self.numbers)

    def _largest_of(self, numbers: Numbers) -> int:
        return largest_with_pool(self.ledger.cell(self.share, numbers.unit), self.ledger.knobs)

    def _breaks(self, numbers: Numbers) -> bool:
        """Say whether this instance type is the one for which the job can never fit."""
        if self.ruling.reason == "type_not_listed":
            return not self.ledger.cell(self.share, numbers.unit).may_use
        if self.ruling.reason in ("limit", "borrow_limit"):
            return numbers.cap is not None and numbers.amount > numbers.cap
        if self.ruling.reason == "environment":
            return numbers.amount > numbers.environment
        return numbers.amount > self._largest_of(numbers)


class Numbers:
    """The books of one instance type, seen by one job at the moment of its decision.

    Args:
        unit: the instance type.
        amount: what the job asks for.
        usage: what its share uses.
        limit: the share's limit.
        cap: the most the share may hold, None without limit.
        lent: what lenders have idle beyond all that is borrowed.
        free: what is free and not kept by other RESERVE shares.
        environment: what the environment has.
    """

    __slots__ = ("amount", "cap", "environment", "free", "lent", "limit", "unit", "usage")

    def __init__(
        self, unit: str, amount: int, usage: int, limit: int, cap: int | None, lent: int, free: int, environment: int
    ) -> None:
        self.unit = unit
        self.amount = amount
        self.usage = usage
        self.limit = limit
        self.cap = cap
        self.lent = lent
        self.free = free
        self.environment = environment


def _no_capacity(facts: _Facts) -> str:
    numbers = facts.numbers
    if numbers.usage + numbers.amount <= numbers.limit:
        return (
            f"{facts.usage} and {facts.asked}, but {max(0, numbers.free)} of {numbers.environment} in the environment "
            "are free and not reserved"
        )
    if numbers.cap is not None and numbers.cap <= numbers.limit:
        return f"{facts.usage} and {facts.asked}; it does not borrow"
    more = "any number" if numbers.cap is None else str(max(0, numbers.cap - numbers.usage))
    return (
        f"{facts.usage} and may take {more} more with its borrow limit, but lenders have {max(0, numbers.lent)} idle; "
        f"{facts.asked}"
    )


_SENTENCES: dict[tuple[str, str], tuple[str, Callable[[_Facts], str]]] = {
    ("dispatch", "within_limit"): ("starts", lambda facts: f"{facts.usage} and {facts.asked}"),
    ("dispatch", "borrow"): (
        "starts",
        lambda facts: f"{facts.usage} and {facts.asked}; it will be {facts.ruling.borrowing} over its limit",
    ),
    ("preempt", "reclaim"): (
        "starts after a stop",
        lambda facts: (
            f"{facts.usage} and {facts.asked} of its own back; likely stops {facts.stopped} of shares over their limits"
        ),
    ),
    ("preempt", "in_share"): (
        "starts after a stop",
        lambda facts: f"{facts.usage} and {facts.asked}; likely stops {facts.stopped} of lower priority in its share",
    ),
    ("preempt", "mixed"): (
        "starts after a stop",
        lambda facts: (
            f"{facts.usage} and {facts.asked}; likely stops {facts.stopped}, of its own share and of others over "
            "their limits"
        ),
    ),
    ("wait", "no_capacity"): ("waits", _no_capacity),
    ("wait", "borrow_limit"): (
        "waits",
        lambda facts: f"{facts.usage} and may hold {facts.numbers.cap} with its borrow limit; {facts.asked}",
    ),
    ("wait", "limit_now"): (
        "waits",
        lambda facts: f"{facts.usage} and {facts.asked}; it does not borrow, and in-share preemption is off",
    ),
    ("wait", "no_candidates"): (
        "waits",
        lambda facts: f"{facts.usage} and {facts.asked}; none of its dispatched jobs has a lower priority",
    ),
    ("wait", "cannot_help"): (
        "waits",
        lambda facts: f"{facts.usage} and {facts.asked}; stopping all jobs that could be stopped would not be enough",
    ),
    ("wait", "would_borrow"): (
        "waits",
        lambda facts: f"{facts.usage} and {facts.asked}; it would have to borrow, and no job is stopped for a loan",
    ),
    ("wait", "larger_than_limit"): (
        "waits",
        lambda facts: f"{facts.usage} and {facts.asked}; a job larger than the limit of its share stops no other",
    ),
    ("wait", "head_blocked"): (
        "waits",
        lambda facts: f"another waiting job of {facts.share} comes first",
    ),
    ("never_fits", "limit"): (
        "can never run",
        lambda facts: f"{facts.asked} {facts.numbers.unit}, the limit of {facts.share} is {facts.numbers.limit}",
    ),
    ("never_fits", "borrow_limit"): (
        "can never run",
        lambda facts: (
            f"{facts.asked} {facts.numbers.unit}, {facts.share} may hold {facts.numbers.cap} with its borrow limit"
        ),
    ),
    ("never_fits", "borrowable_pool"): (
        "can never run",
        lambda facts: (
            f"{facts.asked} {facts.numbers.unit}, {facts.share} and all shares that lend have {facts.largest} together"
        ),
    ),
    ("never_fits", "environment"): (
        "can never run",
        lambda facts: f"{facts.asked} {facts.numbers.unit}, the environment has {facts.numbers.environment}",
    ),
    ("never_fits", "type_not_listed"): (
        "can never run",
        lambda facts: f"{facts.share} has no limit for {facts.numbers.unit}",
    ),
}
REASONS = tuple(sorted({reason for _, reason in _SENTENCES}))
