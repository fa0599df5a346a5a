"""The rows of a report: what changes, the shares, the jobs with their risk. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs.report.measures import UNKNOWN, amounts, duration, short_id, span
from quota_scheduler.assessment import RISKS

if TYPE_CHECKING:
    from quota_constructs.report.assessed import Document
    from quota_scheduler import Change, Job, QueueState

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
class ChangeRow:
    """One line of the difference: `sign` is `~`, `+` or `-`."""

    sign: str
    what: str
    member: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A share's numbers for one instance type; None where there is no limit or no cap."""

    share: str
    unit: str
    limit_before: int | None
    limit_after: int | None
    usage: int
    over_before: int
    over_after: int
    cap_after: int | None
    strategy: str
    waiting: int


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job with its risk; times as milliseconds for charts and as texts for tables."""

    id: str
    short: str
    name: str
    share: str
    risk: str
    newly: bool
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


_NEW_SHARE: Mapping[str, Any] = {"in_share_preemption": False, "state": "ENABLED"}
"""What a new share has where nothing else is said; not worth a line."""


def change_rows(state: QueueState, change: Change) -> list[ChangeRow]:
    """Give the difference that a change makes, a line a member; what stays is left out."""
    rows = []
    if change.environment is not None:
        rows += _limit_rows("environment", state.environment, change.environment)
    for name, members in change.shares.items():
        what = f"share {name}"
        share = state.shares.get(name)
        if members is None:
            rows.append(ChangeRow("-", what, "", amounts(share.limits) if share else "", "removed"))
            continue
        before: Mapping[str, Any] = share.to_dict() if share else {}
        after = dict(members)
        limits = after.pop("limits", None)
        if isinstance(limits, Mapping):
            rows += _limit_rows(what, before.get("limits", {}), limits, new=share is None)
        for member, value in after.items():
            if before.get(member, _NEW_SHARE.get(member)) != value:
                rows.append(ChangeRow("~" if share else "+", what, member, _said(member, before), _said(member, after)))
    return rows


def _limit_rows(what: str, before: Mapping[str, int], after: Mapping[str, int], new: bool = False) -> list[ChangeRow]:
    rows = []
    for unit in sorted({*before, *after}):
        old, now = before.get(unit), after.get(unit)
        if old != now:
            sign = "+" if new or old is None else "-" if now is None else "~"
            rows.append(
                ChangeRow(sign, what, unit, "" if old is None else str(old), "gone" if now is None else str(now))
            )
    return rows


def _said(member: str, members: Mapping[str, Any]) -> str:
    if member not in members:
        return ""
    value = members[member]
    if member == "borrow_limit_percent":
        return "unlimited" if value == -1 else f"{value} %"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def share_rows(document: Document, state: QueueState, change: Change) -> list[ShareRow]:
    """Give the numbers of every share and instance type."""
    waiting: dict[tuple[str, str], int] = {}
    for job in state.jobs:
        if job.status == "RUNNABLE":
            for unit, amount in job.uses.items():
                waiting[job.share, unit] = waiting.get((job.share, unit), 0) + amount
    return [
        ShareRow(
            share=name,
            unit=unit,
            limit_before=numbers["limit_before"],
            limit_after=numbers["limit_after"],
            usage=numbers["usage"],
            over_before=numbers["over_before"],
            over_after=numbers["over_after"],
            cap_after=numbers["borrow_cap_after"],
            strategy=_strategy(name, state, change),
            waiting=waiting.get((name, unit), 0),
        )
        for name, units in document["shares"].items()
        for unit, numbers in units.items()
    ]


def _strategy(name: str, state: QueueState, change: Change) -> str:
    members = change.shares.get(name)
    if members and "strategy" in members:
        return str(members["strategy"])
    return state.shares[name].strategy if name in state.shares else ""


def job_rows(document: Document, state: QueueState, known: Mapping[str, Job], every_job: bool) -> tuple[JobRow, ...]:
    """Give a row a job, the worst risk first; jobs that are not at risk only where every job is wanted."""
    rows = [
        _job_row(known[name], outcome, state.at, known)
        for name, outcome in document["jobs"].items()
        if every_job or outcome["risk"] in AT_RISK
    ]
    order = {risk: index for index, risk in enumerate(RISKS)}
    rows.sort(key=lambda row: (order[row.risk], not row.newly, -row.loss_high, row.id))
    return tuple(rows)


_THEN = {"requeued": "back to the queue", "failed": "fails", None: ""}


def _job_row(job: Job, outcome: Document, at: int, known: Mapping[str, Job]) -> JobRow:
    low, high = outcome["loss_gpu_hours"]
    started = job.started_at
    saved = job.checkpointed_at
    return JobRow(
        id=job.id,
        short=short_id(job.id),
        name=job.name or job.id,
        share=job.share,
        risk=outcome["risk"],
        newly=outcome["newly"],
        status=job.status,
        size=amounts(job.uses),
        instances=sum(job.uses.values()),
        runs="" if started is None else duration(at - started),
        ends="" if job.expected_end is None else duration(job.expected_end - at),
        priority=UNKNOWN if job.priority is None else str(job.priority),
        checkpoint="" if started is None else UNKNOWN if saved is None else f"{duration(at - saved)} ago",
        loss=span(low, high),
        loss_high=high,
        then="" if outcome["risk"] == "terminated" else _THEN[outcome["after_preemption"]],
        owner=outcome["owner"] or "",
        sentence=with_names(outcome["sentence"], known) if outcome["risk"] in AT_RISK else outcome["sentence"],
        started_at=started,
        expected_end=job.expected_end,
    )


_WORD = re.compile(r"[^\s,;:()]+")


def with_names(sentence: str, jobs: Mapping[str, Job]) -> str:
    """Put the names of jobs for their ids in a sentence; ids of jobs without a name stay."""

    def named(word: re.Match[str]) -> str:
        job = jobs.get(word[0])
        return word[0] if job is None or job.name is None else " ".join(job.name.split())

    return _WORD.sub(named, sentence)
