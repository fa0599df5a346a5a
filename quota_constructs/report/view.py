"""An assessment turned into what a reader looks for: rows, ready-made texts and the order they come in.

Every format (terminal, Markdown, HTML) is laid out from the same view, so that they cannot tell different stories.
Pure; layout and colours are left to the formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from quota_constructs.report.questions import assumption_text
from quota_constructs.report.readable import has_control, readable
from quota_constructs.report.rows import (
    AT_RISK,
    JobRow,
    ShareRow,
    job_rows,
    share_rows,
    with_names,
)
from quota_scheduler.assessment import RISKS
from quota_scheduler.consequences import consequences, consequences_on_the_way
from quota_scheduler.differences import Difference, differences
from quota_scheduler.wording import moment, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_constructs.report.assessed import Assessed
    from quota_scheduler.assessment import Bounds


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
    changes: tuple[Difference, ...]
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

    @property
    def number_at_risk(self) -> int:
        """How many jobs are at risk, whether they have a row or not."""
        return sum(number for risk, number in self.risk_counts.items() if risk in AT_RISK)


def view(assessed: Assessed, *, every_job: bool = False, most_jobs: int | None = None) -> View:
    """Turn an assessment into what a report shows; no text of it can do more than be read.

    Args:
        assessed: The queue, the change and the outcome.
        every_job: Whether jobs that are not at risk get a row, too; they are counted in any case.
        most_jobs: How many jobs get a row, the worst first; all, unless given.
    """
    shown = _view(assessed, every_job, most_jobs)
    return _readable(shown) if has_control("".join(_texts(shown))) else shown


def _texts(value: object) -> Iterator[str]:
    """Give all texts of a view."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (name for name in value if isinstance(name, str))
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, View | JobRow | ShareRow | Difference):
        for item in fields(value):
            yield from _texts(getattr(value, item.name))


def _readable(value: Any) -> Any:  # noqa: ANN401  # gives back what it gets
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, tuple):
        return tuple(_readable(item) for item in value)
    if isinstance(value, View | JobRow | ShareRow | Difference):
        return replace(value, **{item.name: _readable(getattr(value, item.name)) for item in fields(value)})
    if isinstance(value, Mapping):
        return {_readable(name): member for name, member in value.items()}
    return value


def _view(assessed: Assessed, every_job: bool, most_jobs: int | None) -> View:
    assessment, state = assessed.assessment, assessed.state
    known = {job.id: job for job in state.jobs}
    counts = Counter([outcome.risk for outcome in assessment.jobs.values()])
    return View(
        title=assessed.label or state.queue or "queue",
        stack=assessed.stack,
        place=", ".join(part for part in (_queue_name(assessed), state.region, state.account) if part),
        at=state.at,
        taken=moment(state.at),
        verdict=assessed.verdict or assessment.verdict,
        headline=(
            *consequences(assessment, state, assessed.declared),
            *consequences_on_the_way(assessment, state, assessed.on_the_way),
        ),
        changes=tuple(differences(state, assessed.change)),
        shares=tuple(share_rows(assessment, state)),
        environment=state.environment if assessed.change.environment is None else assessed.change.environment,
        jobs=job_rows(assessment, state, known, every_job=every_job, most=most_jobs),
        bounds=_bounds(assessment.bounds),
        starts=tuple((known[name].name or name) if name in known else name for name in assessment.starts),
        advice=tuple(with_names(advice.sentence, known) for advice in assessment.advice),
        assumptions=tuple(
            assumption_text(assumed.knob, assumed.value, len(assumed.affects)) for assumed in assessment.assumptions
        ),
        findings=tuple(
            (finding.severity, finding.id, finding.where, finding.message)
            for finding in (*assessed.declared, *assessment.findings)
        ),
        acknowledge=assessed.acknowledge,
        guard=assessed.guard,
        notes=assessed.notes,
        risk_counts={risk: counts[risk] for risk in RISKS if counts[risk]},
    )


def _queue_name(assessed: Assessed) -> str:
    name = assessed.state.queue
    return f"queue {name}" if name and assessed.label else ""


def _bounds(bounds: Bounds) -> tuple[str, ...]:
    """Say what waiting work would stop: jobs, instances and GPU-hours; nothing where that is nothing."""
    if not bounds.jobs[1]:
        return ()
    measures = ((bounds.jobs, "job"), (bounds.instances, "instance"), (bounds.gpu_hours, "GPU-hour"))
    texts = [(span(*measure), noun) for measure, noun in measures]
    return tuple(f"{text} {noun}" if text == "1" else f"{text} {noun}s" for text, noun in texts)
