"""The rows of a report: the shares, and the jobs with their risk. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.report.readable import short_id
from quota_scheduler.assessment import RISKS
from quota_scheduler.wording import amounts, duration, span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler import Assessment, Job, QueueState
    from quota_scheduler.assessment import JobRisk

AT_RISK = frozenset(RISKS[:6])
"""Risks that are listed job by job."""

RISK_MEANINGS = {
    "terminated": "ends with its share",
    "never_fits": "can never run after the change",
    "certain": "stopped whatever the scheduler picks",
    "likely": "picked by the default heuristic",
    "possible": "could be picked",
    "eligible": "may be preempted once somebody asks",
    "stopping": "already being stopped",
    "blocked": "waits behind a job that can never run",
    "safe": "not touched",
}


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A share's numbers for one instance type; None where there is no limit or no cap.

    `usage` is what its jobs hold now, also where the share goes.
    """

    share: str
    unit: str
    limit_before: int | None
    limit_after: int | None
    usage: int
    over_before: int
    over_after: int
    cap_after: int | None
    waiting: int


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job with its risk; times as milliseconds for charts and as texts for tables."""

    id: str
    short: str
    name: str
    share: str
    risk: str
    status: str
    size: str
    instances: int
    runs: str
    ends: str
    priority: str
    checkpoint: str
    loss: str
    loss_high: float
    then: str
    owner: str
    sentence: str
    started_at: int | None
    expected_end: int | None


def share_rows(assessment: Assessment, state: QueueState) -> list[ShareRow]:
    """Give the numbers of every share and instance type."""
    waiting: dict[tuple[str, str], int] = {}
    usage: dict[tuple[str, str], int] = {}
    for job in state.jobs:
        amounts_of = waiting if job.is_waiting else usage if job.is_dispatched else {}
        for unit, amount in job.uses.items():
            amounts_of[job.share, unit] = amounts_of.get((job.share, unit), 0) + amount
    return [
        ShareRow(
            share=name,
            unit=unit,
            limit_before=numbers["limit_before"],
            limit_after=numbers["limit_after"],
            usage=usage.get((name, unit), 0),
            over_before=numbers["over_before"] or 0,
            over_after=numbers["over_after"] or 0,
            cap_after=numbers["borrow_cap_after"],
            waiting=waiting.get((name, unit), 0),
        )
        for name, units in assessment.shares.items()
        for unit, numbers in units.items()
    ]


def job_rows(
    assessment: Assessment, state: QueueState, known: Mapping[str, Job], *, every_job: bool, most: int | None
) -> tuple[JobRow, ...]:
    """Give a row a job, the worst risk first.

    Args:
        assessment: Of the change.
        state: The queue without it.
        known: Its jobs by id.
        every_job: Whether jobs that are not at risk are among them.
        most: How many rows are wanted; None is all.
    """
    order = {risk: index for index, risk in enumerate(RISKS)}
    jobs = [(name, outcome) for name, outcome in assessment.jobs.items() if every_job or outcome.risk in AT_RISK]
    jobs.sort(key=lambda job: (order[job[1].risk], not job[1].newly, -job[1].loss_gpu_hours[1], job[0]))
    return tuple(_job_row(known[name], outcome, state.at, known) for name, outcome in jobs[:most])


_THEN = {"requeued": "back to the queue", "failed": "fails", None: ""}


def _job_row(job: Job, outcome: JobRisk, at: int, known: Mapping[str, Job]) -> JobRow:
    low, high = outcome.loss_gpu_hours
    started = job.started_at
    saved = job.checkpointed_at
    return JobRow(
        id=job.id,
        short=short_id(job.id),
        name=job.name or job.id,
        share=job.share,
        risk=outcome.risk,
        status=job.status,
        size=amounts(job.uses),
        instances=sum(job.uses.values()),
        runs="" if started is None else duration(at - started),
        ends="" if job.expected_end is None else duration(job.expected_end - at),
        priority="unknown" if job.priority is None else str(job.priority),
        checkpoint="" if started is None else "unknown" if saved is None else f"{duration(at - saved)} ago",
        loss="unknown" if job.status == "RUNNING" and started is None else span(low, high),
        loss_high=high,
        then="" if outcome.risk == "terminated" else _THEN[outcome.after_preemption],
        owner=outcome.owner or "",
        sentence=with_names(outcome.sentence, known) if outcome.risk in AT_RISK else outcome.sentence,
        started_at=started,
        expected_end=job.expected_end,
    )


_WORD = re.compile(r"[^\s,;:()]+")


def with_names(sentence: str, jobs: Mapping[str, Job]) -> str:
    """Put the names of jobs for their ids in a sentence.

    Ids of jobs without a name stay, and so do those that could be a number or a short word of the sentence.
    """

    def named(word: re.Match[str]) -> str:
        job = jobs.get(word[0])
        if job is None or job.name is None or word[0].isdigit() or len(word[0]) < 3:
            return word[0]
        return " ".join(job.name.split())

    return _WORD.sub(named, sentence)
