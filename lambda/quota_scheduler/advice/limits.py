"""Limits and removals: what to keep until the work that needs it is done."""

from __future__ import annotations

from collections.abc import Mapping

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
    """Say which limits of shares, or of the environment, to keep so that waiting jobs can still run."""
    if not assessment.never_fits:
        return
    stuck = _newly_stuck(state, assessment)
    for name, waiting in sorted(stuck.items()):
        members = change.shares.get(name)
        if members is None or "limits" not in members:
            continue
        limits = _kept(state.shares[name].limits, _amounts(members["limits"]), waiting)
        kept = Change(change.environment, {**change.shares, name: {**members, "limits": limits}})
        yield from _keep(state, kept, waiting, f"limit of share {name}", {"share": name, "limits": limits}, what_if)
    if stuck and change.environment is not None:
        everyone = [job for waiting in stuck.values() for job in waiting]
        environment = _kept(state.environment, change.environment, everyone)
        kept = Change(environment, change.shares)
        if environment != change.environment:
            yield from _keep(state, kept, everyone, "environment", {"environment": environment}, what_if)


def _newly_stuck(state: QueueState, assessment: Assessment) -> dict[str, list[Job]]:
    """Give the waiting jobs that the change keeps from ever running, by share."""
    stuck: dict[str, list[Job]] = {}
    for job in state.jobs:
        risk = assessment.jobs.get(job.id)
        if risk is not None and risk.risk == "never_fits" and risk.newly:
            stuck.setdefault(job.share, []).append(job)
    return stuck


def _keep(
    state: QueueState, kept: Change, waiting: list[Job], what: str, data: dict[str, object], what_if: WhatIf
) -> Iterator[Advice]:
    """Advise to keep something if that lets all these jobs run."""
    if not what_if.can_ask(state):
        return
    ids = sorted(job.id for job in waiting)
    if not set(ids) & set(what_if.ask(state, kept).never_fits):
        amounts = kept.environment if what == "environment" else data["limits"]
        shown = " and ".join(f"{amount} {unit}" for unit, amount in sorted(_amounts(amounts).items()))
        named, has, it = (ids[0], "has", "it") if len(ids) == 1 else (_named(ids), "have", "they")
        yield Advice(
            "keep_limit",
            f"keep the {what} at {shown} until {named} {has} run: with less {it} never can",
            {**data, "jobs": ids},
        )


def _kept(before: Mapping[str, int], after: Mapping[str, int], waiting: list[Job]) -> dict[str, int]:
    """Give new amounts, raised to what the waiting jobs need, but not beyond what there is now."""
    needed = dict(after)
    for job in waiting:
        for unit, amount in job.uses.items():
            if unit in before:
                needed[unit] = max(needed.get(unit, 0), min(amount, before[unit]))
    return needed


def _amounts(limits: object) -> Mapping[str, int]:
    return limits if isinstance(limits, Mapping) else {}


def _named(ids: list[str]) -> str:
    return " and ".join(ids) if len(ids) <= 3 else f"the {len(ids)} jobs that need it"
