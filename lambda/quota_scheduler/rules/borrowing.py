"""Rules about how much one share may borrow."""

from __future__ import annotations

from quota_scheduler.document import LARGEST, shown
from quota_scheduler.rules.configuration import Unknown, given, is_whole_number, known_amounts
from quota_scheduler.rules.finding import ERROR, INFO, WARNING
from quota_scheduler.rules.rule import Rule
from quota_scheduler.share import LEND, LEND_AND_BORROW, RESERVE, STRATEGIES, UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration, ShareConfiguration

LENDING = (LEND, LEND_AND_BORROW)


def lent_by_all(queue: QueueConfiguration) -> dict[str, int]:
    """Give, by type, the limits of all shares that lend."""
    lent: dict[str, int] = {}
    for share in queue.shares:
        if share.strategy in LENDING:
            for unit, amount in known_amounts(share.limits).items():
                lent[unit] = lent.get(unit, 0) + amount
    return lent


def lent_to(share: ShareConfiguration, lent: dict[str, int]) -> dict[str, int]:
    """Give, by type of the share, the most it can ever borrow: the limits of the other shares that lend.

    Args:
        share: who borrows.
        lent: the limits of all shares that lend.

    Source: AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration.
    """
    lends = share.strategy in LENDING
    return {unit: lent.get(unit, 0) - (amount if lends else 0) for unit, amount in known_amounts(share.limits).items()}


def is_unlimited(share: ShareConfiguration) -> bool:
    """Say whether a share may borrow whatever is idle. A borrow limit that is left out means that."""
    limit = share.borrow_limit_percent
    return share.strategy == LEND_AND_BORROW and (limit is None or (is_whole_number(limit) and limit == UNLIMITED))


def _percent(share: ShareConfiguration) -> int:
    """Give the borrow limit of a share that borrows a known percentage, else 0."""
    limit = share.borrow_limit_percent
    if share.strategy == LEND_AND_BORROW and is_whole_number(limit) and 0 < limit <= LARGEST:
        return limit
    return 0


def _where(share: ShareConfiguration) -> str:
    return f"{share.path}.borrow_limit_percent"


def _check_strategy(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        if not isinstance(share.strategy, Unknown) and share.strategy not in STRATEGIES:
            got = "nothing" if share.strategy is None else share.strategy
            yield (
                f"{share.path}.strategy",
                f"the sharing strategy of {share.label} must be RESERVE, LEND or LEND_AND_BORROW, got {got}",
            )


def _check_needs_strategy(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        if share.strategy in (RESERVE, LEND) and given(share.borrow_limit_percent):
            yield (
                _where(share),
                (
                    f"the borrow limit of {share.label} needs LEND_AND_BORROW, got {share.strategy}; drop it "
                    "or change the strategy"
                ),
            )


def _check_range(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        limit = share.borrow_limit_percent
        if is_whole_number(limit) and limit > LARGEST:
            yield (
                _where(share),
                (
                    f"the borrow limit of {share.label} is larger than any the service takes, got {shown(limit)}, "
                    f"allowed are 0 to {LARGEST}; lower it, or let the share borrow without limit"
                ),
            )
        elif given(limit) and not (is_whole_number(limit) and limit >= UNLIMITED):
            yield (
                _where(share),
                (
                    f"the borrow limit of {share.label} must be a whole percentage from 0, or -1 for no limit, "
                    f"got {limit!r}"
                ),
            )


def _check_left_out(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        if share.strategy == LEND_AND_BORROW and share.borrow_limit_percent is None:
            yield (
                _where(share),
                (
                    f"the borrow limit of {share.label} is left out, so it borrows without limit; say so with -1, "
                    "or give a percentage of its own limits (0 for no borrowing)"
                ),
            )


def _check_unlimited(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    unlimited = [(share, known_amounts(share.limits)) for share in queue.shares if is_unlimited(share)]
    if len(unlimited) < 2:
        return
    environment, lent_in_all = known_amounts(queue.environment.limits), lent_by_all(queue)
    for share, own in unlimited:
        lent = lent_to(share, lent_in_all)
        reaches, rivals = [], set()
        for unit in sorted(own):
            others = [other.label for other, amounts in unlimited if other is not share and unit in amounts]
            reach = own[unit] + lent[unit]
            if unit in environment:
                reach = min(reach, environment[unit])
            if others and reach > own[unit]:
                of = f" of {environment[unit]}" if unit in environment else ""
                reaches.append(f"{reach}{of} {unit} with a limit of {own[unit]}")
                rivals.update(others)
        if reaches:
            yield (
                _where(share),
                (
                    f"{share.label} alone may hold {' and '.join(reaches)}, since it borrows without limit, as "
                    f"{_named(rivals)} may; whoever asks first takes all that is idle, so give it a limit"
                ),
            )


def _named(labels: set[str]) -> str:
    """Name up to three shares, else say how many they are."""
    return " and ".join(sorted(labels)) if len(labels) <= 3 else f"{len(labels)} other shares"


def _check_rounds_to_nothing(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        percent = _percent(share)
        nothing = {
            unit: amount
            for unit, amount in sorted(known_amounts(share.limits).items())
            if percent and amount and amount * percent < 100
        }
        if nothing:
            needed = max(-(-100 // amount) for amount in nothing.values())
            yield (
                _where(share),
                (
                    f"{share.label} cannot borrow, since {percent} % of "
                    f"{' and of '.join(f'{amount} {unit}' for unit, amount in nothing.items())} is less than one; "
                    f"give at least {needed}"
                ),
            )


def _check_more_than_lent(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not queue.all_shares or any(isinstance(share.strategy, Unknown) for share in queue.shares):
        return
    lent_in_all = lent_by_all(queue)
    for share in queue.shares:
        percent = _percent(share)
        lent = lent_to(share, lent_in_all) if percent else {}
        beyond = [
            f"{amount * percent // 100} {unit}, the other lending shares own {lent[unit]}"
            for unit, amount in sorted(known_amounts(share.limits).items())
            if 0 < lent.get(unit, 0) < amount * percent // 100
        ]
        if beyond:
            yield (
                _where(share),
                f"the borrow limit of {share.label} allows {'; and '.join(beyond)}: no more than that can be borrowed",
            )


def _example(borrow: str, *, limit: int = 2, strategy: str = LEND_AND_BORROW, other: str = "") -> str:
    return (
        f'{{"shares": [{{"quotaShareName": "research", "capacityLimits": [{{"capacityUnit": "ml.p5.48xlarge",'
        f' "maxCapacity": {limit}}}], "resourceSharingConfiguration": {{"strategy": "{strategy}"{borrow}}}}}{other}]}}'
    )


def _other(borrow: str = "", *, strategy: str = LEND_AND_BORROW) -> str:
    return (
        ', {"quotaShareName": "vision", "capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 4}],'
        f' "resourceSharingConfiguration": {{"strategy": "{strategy}"{borrow}}}}}'
    )


RULES = (
    Rule(
        id="QS004",
        title="a borrow limit needs LEND_AND_BORROW",
        severity=ERROR,
        source="Batch API, QuotaShareResourceSharingConfiguration.borrowLimit",
        check=_check_needs_strategy,
        fix="drop the borrow limit or choose LEND_AND_BORROW",
        bad=_example(', "borrowLimit": 100', strategy=RESERVE),
        good=_example("", strategy=RESERVE),
    ),
    Rule(
        id="QS014",
        title="the sharing strategy is RESERVE, LEND or LEND_AND_BORROW",
        severity=ERROR,
        source="Batch API, QuotaShareResourceSharingConfiguration.strategy",
        check=_check_strategy,
        fix="choose one of the three",
        bad=_example("", strategy="BORROW"),
        good=_example("", strategy=LEND),
    ),
    Rule(
        id="QS015",
        title="a borrow limit is a whole percentage from 0 to 2,147,483,647, or -1 for no limit",
        severity=ERROR,
        source="CloudFormation schema of AWS::Batch::QuotaShare, BorrowLimit; Batch API, whose integers have 32 bits "
        "(the most)",
        check=_check_range,
        fix="give 0 for no borrowing, 100 for as much again as the own limit, -1 for no limit",
        bad=_example(', "borrowLimit": -2'),
        good=_example(', "borrowLimit": -1'),
    ),
    Rule(
        id="QS016",
        title="a borrow limit that is left out means no limit",
        severity=INFO,
        source="Batch API, QuotaShareResourceSharingConfiguration.borrowLimit: the default is -1",
        check=_check_left_out,
        fix="give the borrow limit, be it -1",
        bad=_example(""),
        good=_example(', "borrowLimit": 100'),
    ),
    Rule(
        id="QS017",
        title="at most one share borrows without limit",
        severity=WARNING,
        source="AWS Batch User Guide, Quota shares; idle capacity goes to borrowers in FIFO order, Batch API, "
        "QuotaSharePolicy.idleResourceAssignmentStrategy",
        check=_check_unlimited,
        fix="give all but one of them a borrow limit",
        bad=_example(', "borrowLimit": -1', other=_other(', "borrowLimit": -1')),
        good=_example(', "borrowLimit": -1', other=_other(', "borrowLimit": 100')),
    ),
    Rule(
        id="QS018",
        title="a borrow limit amounts to at least one instance",
        severity=WARNING,
        source="Batch API, QuotaShareResourceSharingConfiguration.borrowLimit: a percentage of each limit; that a part "
        "of an instance counts as none is assumed, docs/decisions/0018-rules-beyond-the-documentation.md",
        check=_check_rounds_to_nothing,
        fix="give a percentage that makes a whole instance of the smallest limit",
        bad=_example(', "borrowLimit": 50', limit=1),
        good=_example(', "borrowLimit": 100', limit=1),
    ),
    Rule(
        id="QS019",
        title="a borrow limit beyond what the other shares lend is never reached",
        severity=INFO,
        source="AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration",
        check=_check_more_than_lent,
        fix="nothing, or lower it to what can be borrowed",
        bad=_example(', "borrowLimit": 300', other=_other(strategy=LEND)),
        good=_example(', "borrowLimit": 200', other=_other(strategy=LEND)),
    ),
)
