"""Limits and removals: what to keep until the work that needs it is done."""

from __future__ import annotations

from quota_scheduler.advice.advice import Advice
from quota_scheduler.change import Change
from quota_scheduler.share import DISABLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.advice.what_if import WhatIf
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.job import Job
    from quota_scheduler.state import QueueState


def advise_disabling(state: QueueState, change: Change, assessment: Assessment) -> Iterator[Advice]:
    """Say how to take away a share that has work: disable it first.

    Source: UpdateQuotaShare and DeleteQuotaShare: a disabled share takes no new jobs and finishes those it has;
    deleting one ends its jobs.
    """
    terminated = set(assessment.terminated)
    for name, members in sorted(change.shares.items()):
        jobs = [job for job in state.jobs if job.share == name and job.id in terminated]
        if members is None and jobs:
            how_many = "the last job" if len(jobs) == 1 else f"the last of {len(jobs)} jobs"
            yield Advice(
                "disable_first",
                f"disable share {name} now and remove it when {how_many} has ended: disabled it takes no new jobs and "
                "finishes those it has",
                {"first": {"shares": {name: {"state": DISABLED}}}, "share": name, "jobs": sorted(j.id for j in jobs)},
            )


def advise_keeping_limits(
    state: QueueState, change: Change, assessment: Assessment, what_if: WhatIf
) -> Iterator[Advice]:
    """Say which limits to keep so that waiting jobs can still run."""
    jobs = {job.id: job for job in state.jobs}
    stuck: dict[str, list[Job]] = {}
    for job_id in assessment.never_fits:
        job = jobs[job_id]
        if assessment.jobs[job_id].newly and job.share in state.shares:
            stuck.setdefault(job.share, []).append(job)
    for name, waiting in sorted(stuck.items()):
        members = change.shares.get(name)
        limits = _needed_limits(state, members, name, waiting)
        if members is None or limits is None or not what_if.can_ask(state):
            continue
        kept = Change(change.environment, {**change.shares, name: {**members, "limits": limits}})
        outcome = what_if.ask(state, kept)
        if not {job.id for job in waiting} & set(outcome.never_fits):
            ids = sorted(job.id for job in waiting)
            shown = " and ".join(f"{amount} {unit}" for unit, amount in sorted(limits.items()))
            named = " and ".join(ids) if len(ids) <= 3 else f"the {len(ids)} largest jobs"
            yield Advice(
                "keep_limit",
                f"keep the limit of share {name} at {shown} until {named} "
                f"{'has' if len(ids) == 1 else 'have'} run: with less {'it' if len(ids) == 1 else 'they'} never can",
                {"share": name, "limits": limits, "jobs": ids},
            )


def _needed_limits(state: QueueState, members: object, name: str, waiting: list[Job]) -> dict[str, int] | None:
    """Give the new limits, raised to what the waiting jobs need, but not beyond what the share has now."""
    before = state.shares[name].limits
    after = members.get("limits") if hasattr(members, "get") else None
    if not after:
        return None
    needed = dict(after)
    for job in waiting:
        for unit, amount in job.uses.items():
            needed[unit] = max(needed.get(unit, 0), min(amount, before.get(unit, 0)))
    return needed if needed != dict(after) else None
