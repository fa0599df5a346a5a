"""Rules about what the strategies of all shares come to, together."""

from __future__ import annotations

from quota_scheduler.rules.borrowing import LENDING
from quota_scheduler.rules.configuration import are_types_known, known_types
from quota_scheduler.rules.finding import INFO, WARNING
from quota_scheduler.rules.rule import Rule
from quota_scheduler.share import LEND, LEND_AND_BORROW, RESERVE, STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration, ShareConfiguration


def _is_known(queue: QueueConfiguration) -> bool:
    """Say whether all shares are known, each with its strategy and its types."""
    return queue.all_shares and all(
        share.strategy in STRATEGIES and are_types_known(share.limits) for share in queue.shares
    )


def _may_borrow(share: ShareConfiguration) -> bool:
    return share.strategy == LEND_AND_BORROW and share.borrow_limit_percent != 0


def _check_all_reserve(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if _is_known(queue) and len(queue.shares) > 1 and all(share.strategy == RESERVE for share in queue.shares):
        yield (
            "shares",
            (
                f"all {len(queue.shares)} shares are RESERVE, so what one does not use stays idle, whoever waits; "
                "choose LEND for those that may lend"
            ),
        )


def _check_no_partner(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if not _is_known(queue):
        return
    types = [known_types(share.limits) for share in queue.shares]
    lenders = _count([own for share, own in zip(queue.shares, types, strict=True) if share.strategy in LENDING])
    borrowers = _count([own for share, own in zip(queue.shares, types, strict=True) if _may_borrow(share)])
    for share, own in zip(queue.shares, types, strict=True):
        shown = " or ".join(sorted(own))
        if share.strategy == LEND_AND_BORROW and share.borrow_limit_percent == 0:
            yield (
                f"{share.path}.borrow_limit_percent",
                (
                    f"{share.label} is LEND_AND_BORROW with a borrow limit of 0, so it never borrows; say LEND or "
                    "give a borrow limit"
                ),
            )
        elif share.strategy == LEND_AND_BORROW and own and not any(lenders[unit] > 1 for unit in own):
            yield (
                f"{share.path}.strategy",
                (
                    f"{share.label} may borrow, but no other share lends {shown}; choose LEND or LEND_AND_BORROW for "
                    "those that may lend"
                ),
            )
    yield from _check_lenders(queue, types, borrowers)


def _check_lenders(
    queue: QueueConfiguration, types: list[set[str]], borrowers: dict[str, int]
) -> Iterator[tuple[str, str]]:
    alone = [
        (share, own)
        for share, own in zip(queue.shares, types, strict=True)
        if share.strategy == LEND and own and not any(borrowers.get(unit) for unit in own)
    ]
    if len(alone) > 1 and not borrowers:
        names = sorted(share.label.removeprefix("share ") for share, _ in alone)
        shown = " and ".join(names) if len(names) <= 3 else f"{len(names)} shares"
        yield (
            "shares",
            f"{shown} lend, but no share may borrow; choose LEND_AND_BORROW for those that may borrow",
        )
        return
    for share, own in alone if len(queue.shares) > 1 else ():
        yield (
            f"{share.path}.strategy",
            (
                f"{share.label} lends, but no other share may borrow {' or '.join(sorted(own))}; choose "
                "LEND_AND_BORROW for those that may borrow"
            ),
        )


def _count(types: list[set[str]]) -> dict[str, int]:
    """Count in how many of the sets each type is."""
    counts: dict[str, int] = {}
    for own in types:
        for unit in own:
            counts[unit] = counts.get(unit, 0) + 1
    return counts


def _example(first: str, second: str) -> str:
    limits = '"capacityLimits": [{"capacityUnit": "ml.p5.48xlarge", "maxCapacity": 4}]'
    return (
        f'{{"shares": [{{"quotaShareName": "research", {limits}, "resourceSharingConfiguration": {first}}}, '
        f'{{"quotaShareName": "vision", {limits}, "resourceSharingConfiguration": {second}}}]}}'
    )


_BORROWS = '{"strategy": "LEND_AND_BORROW", "borrowLimit": 100}'

RULES = (
    Rule(
        id="QS020",
        title="with RESERVE everywhere nothing is shared",
        severity=INFO,
        source="AWS Batch User Guide, Quota shares",
        check=_check_all_reserve,
        fix="nothing, if fixed parts are what you want; else LEND or LEND_AND_BORROW",
        bad=_example('{"strategy": "RESERVE"}', '{"strategy": "RESERVE"}'),
        good=_example('{"strategy": "RESERVE"}', '{"strategy": "LEND"}'),
    ),
    Rule(
        id="QS021",
        title="who lends has a borrower, and who borrows has a lender",
        severity=WARNING,
        source="AWS Batch User Guide, Quota shares; only LEND and LEND_AND_BORROW lend, only LEND_AND_BORROW borrows",
        check=_check_no_partner,
        fix="change the strategies so that they meet, or say RESERVE where nothing is shared",
        bad=_example(_BORROWS, '{"strategy": "RESERVE"}'),
        good=_example(_BORROWS, '{"strategy": "LEND"}'),
    ),
)
