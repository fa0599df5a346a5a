"""One decision of the scheduler, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.report.readable import readable
from quota_constructs.report.rows import with_names
from quota_scheduler.job_index import share_order
from quota_scheduler.wording import amounts, duration, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from quota_constructs.report.assessed import Document
    from quota_scheduler import Job, QueueState

_OUTCOMES = {
    "dispatch": ("STARTS", "bold black on green"),
    "preempt": ("STARTS AFTER STOPPING OTHERS", "bold black on yellow"),
    "wait": ("WAITS", "bold black on cyan"),
    "never_fits": ("CAN NEVER RUN", "bold white on red"),
}


def facts_of(decision: Document, job: Job, state: QueueState) -> list[tuple[str, str]]:
    """Give what is worth telling about a decision, as pairs of label and text."""
    known = {other.id: other for other in state.jobs}

    def named(ids: Sequence[str]) -> str:
        return listed([_job_text(known[name]) if name in known else name for name in ids], 8)

    age = "" if job.created_at is None else duration(state.at - job.created_at)
    facts = [
        ("job", f"{job.name} ({job.id})" if job.name else job.id),
        ("share", job.share),
        ("asks for", amounts(job.uses)),
        ("priority", "unknown" if job.priority is None else str(job.priority)),
        ("waits for", age),
        ("reason", decision["reason"]),
        ("behind", _job_text(_first_of_share(job, state)) if decision["reason"] == "head_blocked" else ""),
        ("still needs", amounts(decision["needs"]) if decision["needs"] else ""),
        ("borrows", str(decision["borrowing"]) if decision["borrowing"] else ""),
        ("stops, likely", named(decision["preempted"])),
        ("stops, certain", named(decision["certain"])),
        ("could stop", named(decision["possible"])),
    ]
    return [(label, readable(text)) for label, text in facts if text]


def _first_of_share(job: Job, state: QueueState) -> Job:
    return min((other for other in state.jobs if other.is_waiting and other.share == job.share), key=share_order)


def _sentence(decision: Document, state: QueueState) -> str:
    return readable(with_names(decision["sentence"], {job.id: job for job in state.jobs}))


def _job_text(job: Job) -> str:
    return f"{job.name or job.id} ({job.share}, {amounts(job.uses)})"


def print_decision(
    console: Console, decision: Document, job: Job, state: QueueState, notes: Sequence[str] = ()
) -> None:
    """Print a decision: the outcome, its sentence, and the numbers behind it."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    label, style = _OUTCOMES[decision["outcome"]]
    head = Text(f" {label} ", style=style)
    head.append(f"  {readable(job.name or job.id)}", style="not reverse bold default on default")
    console.print(head)
    console.print(Padding(Text(_sentence(decision, state)), (0, 0, 1, 2)))
    grid = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for name, text in facts_of(decision, job, state):
        grid.add_row(name, Text(text))
    console.print(Padding(grid, (0, 0, 0, 2)))
    for note in notes:
        console.print(Padding(Text(note, style="dim"), (1, 0, 0, 2)))


def decision_markdown(decision: Document, job: Job, state: QueueState, notes: Sequence[str] = ()) -> str:
    """Give a decision as Markdown."""
    from quota_constructs.report.markup import paragraph

    label, _ = _OUTCOMES[decision["outcome"]]
    lines = [
        f"**{paragraph(readable(job.name or job.id))}: {label.lower()}**",
        "",
        paragraph(_sentence(decision, state)),
        "",
    ]
    lines += ["| | |", "| --- | --- |"]
    lines += [f"| {name} | {paragraph(text)} |" for name, text in facts_of(decision, job, state)]
    for note in notes:
        lines += ["", paragraph(readable(note))]
    return "\n".join(lines)
