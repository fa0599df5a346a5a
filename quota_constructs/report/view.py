"""An assessment turned into what a reader looks for: rows, ready-made texts and the order they come in.

Every format (terminal, Markdown, HTML) is laid out from the same view, so that they cannot tell different stories.
Pure; layout and colours are left to the formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from quota_constructs.report.headline import headline
from quota_constructs.report.measures import (
    UNKNOWN,
    amounts,
    duration,
    has_control,
    listed,
    moment,
    readable,
    short_id,
    span,
)
from quota_constructs.report.questions import assumption_text
from quota_scheduler import VERDICTS

if TYPE_CHECKING:
    from quota_constructs.report.assessed import Assessed, Document
    from quota_scheduler import Change, Job, QueueState

RISKS = ("terminated", "never_fits", "certain", "likely", "possible", "eligible", "stopping", "blocked", "safe")
"""Risks from the worst on, as they are sorted."""

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


@dataclass(frozen=True, slots=True)
class View:
    """All that a report says about one queue and one change."""

    title: str
    stack: str
    place: str
    at: int
    taken: str
    verdict: str
    headline: tuple[str, ...]
    changes: tuple[ChangeRow, ...]
    shares: tuple[ShareRow, ...]
    environment: Mapping[str, int]
    jobs: tuple[JobRow, ...]
    bounds: tuple[str, ...]
    starts: tuple[str, ...]
    advice: tuple[str, ...]
    assumptions: tuple[str, ...]
    findings: tuple[tuple[str, str, str, str], ...]
    acknowledge: str
    guard: str = ""
    notes: tuple[str, ...] = ()
    risk_counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def at_risk(self) -> tuple[JobRow, ...]:
        """The jobs that are listed one by one, the worst first."""
        return tuple(row for row in self.jobs if row.risk in AT_RISK)


def view(assessed: Assessed, every_job: bool = False) -> View:
    """Turn an assessment into what a report shows; no text of it can do more than be read.

    Args:
        assessed: The queue, the change and the outcome.
        every_job: Whether jobs that are not at risk get a row, too; they are counted in any case.
    """
    shown = _view(assessed, every_job)
    return _readable(shown) if _is_suspect(assessed) else shown


def _is_suspect(assessed: Assessed) -> bool:
    state = assessed.state
    texts = [assessed.label, assessed.stack, assessed.guard, *assessed.notes, *state.shares, *assessed.change.shares]
    texts += [part or "" for part in (state.queue, state.region, state.account)]
    texts += [part or "" for job in state.jobs for part in (job.id, job.name, job.owner, job.share)]
    return has_control("".join((*texts, *state.environment, *(assessed.change.environment or ()))))


def _readable(value: Any) -> Any:  # noqa: ANN401  # gives back what it gets
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, tuple):
        return tuple(_readable(item) for item in value)
    if isinstance(value, View | JobRow | ShareRow | ChangeRow):
        return replace(value, **{item.name: _readable(getattr(value, item.name)) for item in fields(value)})
    if isinstance(value, Mapping):
        return {_readable(name): member for name, member in value.items()}
    return value


def _view(assessed: Assessed, every_job: bool) -> View:
    document = assessed.assessment.to_dict()
    state = assessed.state
    known = {job.id: job for job in state.jobs}
    jobs = _job_rows(document, state, known, every_job)
    counts = Counter(outcome["risk"] for outcome in document["jobs"].values())
    return View(
        title=assessed.label or state.queue or "queue",
        stack=assessed.stack,
        place=", ".join(part for part in (_queue_name(assessed), state.region, state.account) if part),
        at=state.at,
        taken=moment(state.at),
        verdict=assessed.verdict or document["verdict"],
        headline=_headline(assessed, document, known),
        changes=tuple(change_rows(state, assessed.change)),
        shares=tuple(_share_rows(document, state, assessed.change)),
        environment=state.environment if assessed.change.environment is None else assessed.change.environment,
        jobs=jobs,
        bounds=_bounds(document),
        starts=tuple((known[name].name or name) if name in known else name for name in document["starts"]),
        advice=tuple(with_names(item["sentence"], known) for item in document["advice"]),
        assumptions=tuple(
            assumption_text(item["knob"], item["value"], len(item["affects"])) for item in document["assumptions"]
        ),
        findings=(
            *((item.severity, item.id, item.where, item.message) for item in assessed.declared),
            *((item["severity"], item["id"], item["where"], item["message"]) for item in document["findings"]),
        ),
        acknowledge=assessed.acknowledge,
        guard=assessed.guard,
        notes=assessed.notes,
        risk_counts={risk: counts[risk] for risk in RISKS if counts[risk]},
    )


def _headline(assessed: Assessed, document: Document, jobs: Mapping[str, Job]) -> tuple[str, ...]:
    """Say what the change does, what is declared wrongly, and what happens on the way only."""
    sentences = list(headline(document, jobs))
    if assessed.declared:
        broken = listed(sorted({item.id for item in assessed.declared}))
        sentences.insert(0, f"what is declared breaks {broken}")
    for label, verdict, step in assessed.on_the_way:
        if VERDICTS.index(verdict) < VERDICTS.index(document["verdict"]):
            told = {**step.to_dict(), "verdict": verdict}
            sentences.append(f"on the way ({label}): {headline(told, jobs)[0]}")
    return tuple(sentences)


def _queue_name(assessed: Assessed) -> str:
    name = assessed.state.queue
    return f"queue {name}" if name and assessed.label else ""


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


def _share_rows(document: Document, state: QueueState, change: Change) -> list[ShareRow]:
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


def _job_rows(document: Document, state: QueueState, known: Mapping[str, Job], every_job: bool) -> tuple[JobRow, ...]:
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


def _bounds(document: Document) -> tuple[str, ...]:
    """Say what waiting work would stop: jobs, instances and GPU-hours; nothing where that is nothing."""
    if not document["bounds"]["jobs"][1]:
        return ()
    told = []
    for measure, noun in (("jobs", "job"), ("instances", "instance"), ("gpu_hours", "GPU-hour")):
        text = span(*document["bounds"][measure])
        told.append(f"{text} {noun}" if text == "1" else f"{text} {noun}s")
    return tuple(told)
