"""What came of a queue that was played, as a document; the schema is `simulation.schema.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_scheduler.loss import gpu_hours
from quota_scheduler.timestamp import format_timestamp

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from quota_constructs.simulation.run import Run

_COUNTED = ("finished", "preempted", "failed", "terminated", "refused")


def simulation_document(runs: Mapping[str, Run], until: int | None = None) -> dict[str, Any]:
    """Give runs of one queue as a document, all over the same period.

    Args:
        runs: The runs by name, from the same start; at least one.
        until: End of the period, in milliseconds since 1970 UTC; the latest end of a run, unless given.
    """
    start = min(run.start for run in runs.values())
    end = max(run.end for run in runs.values()) if until is None else until
    return {
        "version": 1,
        "start": format_timestamp(start),
        "end": format_timestamp(end),
        "runs": [_run(name, run, end) for name, run in runs.items()],
    }


def _run(name: str, run: Run, end: int) -> dict[str, Any]:
    capacity = sum(run.environment.values()) * (end - run.start)
    every = {*run.shares, *(item.share for item in run.happenings)}
    return {
        "name": name,
        "end": format_timestamp(run.end),
        "jobs": {**_counts(run, every), "running": len(run.still_running)},
        "waiting_seconds": _waits(run, end, every),
        "lost_gpu_hours": _lost(run, every),
        "used": None if capacity <= 0 else round(sum(run.busy.values()) / capacity, 4),
        "shares": {
            share: {
                **_counts(run, {share}),
                "waiting_seconds": _waits(run, end, {share}),
                "lost_gpu_hours": _lost(run, {share}),
            }
            for share in sorted(every)
        },
        "events": [
            {"at": format_timestamp(item.at), "what": item.what, "job": item.job, "share": item.share}
            for item in run.happenings
        ],
    }


def _counts(run: Run, shares: Collection[str]) -> dict[str, int]:
    counts = dict.fromkeys((*_COUNTED, "waiting", "never_fits"), 0)
    for item in run.happenings:
        if item.what in counts and item.share in shares:
            counts[item.what] += 1
    for job, share in run.still_waiting.items():
        if share in shares:
            counts["waiting"] += 1
            counts["never_fits"] += job in run.never_fits
    return counts


def _lost(run: Run, shares: Collection[str]) -> float:
    return gpu_hours(sum([item.lost for item in run.happenings if item.share in shares]))


def _waits(run: Run, end: int, shares: Collection[str]) -> dict[str, int | None]:
    """Give how long jobs waited for their first start; those that have not started yet, until the end."""
    waits = [wait for wait in run.waits.values() if wait.share in shares]
    waited = [max(0, (end if wait.until is None else wait.until) - wait.since) for wait in waits]
    return {
        "jobs": len(waits),
        "not_started": sum(1 for wait in waits if wait.until is None),
        "mean": round(sum(waited) / len(waited) / 1000) if waited else None,
        "longest": round(max(waited) / 1000) if waited else None,
    }
