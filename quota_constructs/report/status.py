"""What a queue looks like now: who uses, borrows and lends how much, and why the first job of a share waits. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.rows import with_names
from quota_scheduler.job_index import share_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler import Job, Knobs, QueueState


def status_document(state: QueueState, knobs: Knobs) -> dict[str, Any]:
    """Work out the status of a queue as a JSON document; the schema is `status.schema.json`.

    `lent` is a range: which lender a borrowed instance comes from is not defined, only how much all of them lend.

    Args:
        state: The queue.
        knobs: Answers to what AWS leaves open, for the reasons of those that wait.
    """
    from quota_scheduler.timestamp import format_timestamp

    usage = _sums(job for job in state.jobs if job.is_dispatched)
    waiting = _sums(job for job in state.jobs if job.is_waiting)
    lent = _lent(state, usage)
    return {
        "version": 1,
        "at": format_timestamp(state.at),
        "queue": state.queue,
        "region": state.region,
        "account": state.account,
        "environment": {
            unit: {"limit": limit, "used": sum(used for (_, of), used in usage.items() if of == unit)}
            for unit, limit in sorted(state.environment.items())
        },
        "shares": {
            name: {
                "strategy": share.strategy,
                "state": share.state,
                "types": {
                    unit: _numbers(name, unit, share.limits.get(unit, 0), usage, waiting, lent)
                    for unit in sorted({*share.limits, *(of for owner, of in usage if owner == name)})
                },
                "jobs": {
                    "dispatched": sum(1 for job in state.jobs if job.share == name and job.is_dispatched),
                    "waiting": sum(1 for job in state.jobs if job.share == name and job.is_waiting),
                },
                "head": _head(state, name, knobs),
            }
            for name, share in sorted(state.shares.items())
        },
    }


def _sums(jobs: Iterable[Job]) -> dict[tuple[str, str], int]:
    sums: dict[tuple[str, str], int] = {}
    for job in jobs:
        for unit, amount in job.uses.items():
            sums[job.share, unit] = sums.get((job.share, unit), 0) + amount
    return sums


def _lent(state: QueueState, usage: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], list[int]]:
    """Give how much of each share's idle capacity is lent, at least and at most."""
    units = {unit for share in state.shares.values() for unit in share.limits}
    lent = {}
    for unit in units:
        over = {
            name: max(0, usage.get((name, unit), 0) - share.limits.get(unit, 0)) for name, share in state.shares.items()
        }
        idle = {
            name: max(0, share.limits.get(unit, 0) - usage.get((name, unit), 0)) if share.lends else 0
            for name, share in state.shares.items()
        }
        borrowed, lendable = sum(over.values()), sum(idle.values())
        for name, amount in idle.items():
            lent[name, unit] = [min(amount, max(0, borrowed - (lendable - amount))), min(amount, borrowed)]
    return lent


def _numbers(
    name: str,
    unit: str,
    limit: int,
    usage: Mapping[tuple[str, str], int],
    waiting: Mapping[tuple[str, str], int],
    lent: Mapping[tuple[str, str], list[int]],
) -> dict[str, Any]:
    used = usage.get((name, unit), 0)
    return {
        "limit": limit,
        "used": used,
        "borrowed": max(0, used - limit),
        "lent": lent.get((name, unit), [0, 0]),
        "waiting": waiting.get((name, unit), 0),
    }


def _head(state: QueueState, share: str, knobs: Knobs) -> dict[str, Any] | None:
    from quota_scheduler import explain

    waiting = [job for job in state.jobs if job.share == share and job.is_waiting]
    if not waiting:
        return None
    head = min(waiting, key=share_order)
    decision = explain(state, head.id, knobs)
    return {
        "job": head.id,
        "name": head.name,
        "owner": head.owner,
        "uses": dict(head.uses),
        "waits_seconds": None if head.created_at is None else (state.at - head.created_at) // 1000,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": with_names(decision.sentence, {job.id: job for job in state.jobs}),
    }
