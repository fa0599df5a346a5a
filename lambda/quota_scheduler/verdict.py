"""The verdict about a change, from the difference it makes.

The first that holds:

invalid       it introduces an error of configuration
destructive   it terminates jobs, or a waiting job newly can never run
disruptive    work that waits would stop running work because of it
at_risk       jobs are newly eligible, or a share is further above its limit; nothing that waits claims it now
notice        something may be stopped with or without the change, a job would start before but not after, or a
              share starts nothing until its usage falls
safe          otherwise
"""

from __future__ import annotations

from quota_scheduler.sharing import reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler.knobs import Knobs
    from quota_scheduler.risk import Risk
    from quota_scheduler.state import QueueState

VERDICTS = ("invalid", "destructive", "disruptive", "at_risk", "notice", "safe")
"""Worst first."""


def worst(verdicts: Iterable[str]) -> str:
    """Give the verdict that speaks for several; `safe` where there is none.

    >>> worst(["safe", "at_risk", "notice"])
    'at_risk'
    """
    return min(verdicts, key=VERDICTS.index, default="safe")


def verdict_of(before: Risk, after: Risk, risk_verdict: str, *, is_invalid: bool, terminates: bool) -> str:
    """Give the verdict about a change.

    Args:
        before: the risk without the change.
        after: the risk with it.
        risk_verdict: about that risk alone.
        is_invalid: whether the change introduces an error of configuration.
        terminates: whether it terminates jobs.
    """
    if is_invalid:
        return "invalid"
    if terminates or not after.never_fits.keys() <= before.never_fits.keys():
        return "destructive"
    return risk_verdict


def risk_verdict_of(before: Risk, after: Risk, *, is_further_over: bool, is_out_of_reach: bool) -> str:
    """Give the verdict about what running work risks, whatever the rules say, and whoever can never run.

    Args:
        before: the risk without the change.
        after: the risk with it.
        is_further_over: whether a share is further above its limit.
        is_out_of_reach: whether the reach of a share fell to its usage or below.
    """
    if not after.possible <= before.possible or _grew(before, after):
        return "disruptive"
    if not after.eligible <= before.eligible or is_further_over:
        return "at_risk"
    if after.possible or not before.starts <= after.starts or is_out_of_reach:
        return "notice"
    return "safe"


def _grew(before: Risk, after: Risk) -> bool:
    """Say whether the bounds in jobs or in instances grew, the least or the most."""
    return any(
        new > old for old, new in zip(before.least[:2] + before.most[:2], after.least[:2] + after.most[:2], strict=True)
    )


def is_out_of_reach(
    before: QueueState, after: QueueState, usage: Mapping[str, Mapping[str, int]], knobs: Knobs
) -> bool:
    """Say whether the reach of a share fell and its usage is at or above it: it starts nothing until usage falls.

    Args:
        before: the state without the change.
        after: the state with it.
        usage: usage by share and type.
        knobs: what is assumed.
    """
    for name, share in after.shares.items():
        old = before.shares.get(name)
        if old is None:
            continue
        for unit in {*old.limits, *share.limits, *usage.get(name, ())}:
            now = reach(share, unit, after.shares, after.environment, knobs)
            if usage.get(name, {}).get(unit, 0) >= now and now < reach(
                old, unit, before.shares, before.environment, knobs
            ):
                return True
    return False
