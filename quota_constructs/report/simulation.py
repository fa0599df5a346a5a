"""What came of a queue over time, as it is and with a change: numbers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.markup import paragraph
from quota_constructs.report.readable import readable
from quota_constructs.report.terminal_table import Column, one_line, table_parts
from quota_scheduler.wording import duration, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

    Place = tuple[str, ...]

_ROWS = (
    ("jobs finished", ("jobs", "finished")),
    ("jobs ended by the change", ("jobs", "terminated")),
    ("jobs refused at submission", ("jobs", "refused")),
    ("jobs preempted", ("jobs", "preempted")),
    ("jobs failed after preemption", ("jobs", "failed")),
    ("jobs still waiting", ("jobs", "waiting")),
    ("jobs that can never run", ("jobs", "never_fits")),
    ("jobs still running", ("jobs", "running")),
    ("waiting, mean", ("waiting_seconds", "mean")),
    ("waiting, longest", ("waiting_seconds", "longest")),
    ("GPU-hours lost", ("lost_gpu_hours",)),
    ("capacity in use", ("used",)),
)
_SHARE_COLUMNS = (
    ("waiting, mean", ("waiting_seconds", "mean")),
    ("longest", ("waiting_seconds", "longest")),
    ("still waiting", ("waiting",)),
    ("never run", ("never_fits",)),
    ("ended", ("terminated",)),
    ("refused", ("refused",)),
    ("preempted", ("preempted",)),
    ("GPU-hours lost", ("lost_gpu_hours",)),
)
_ONLY_IF_ANY = ("never_fits", "terminated", "refused")
"""Columns that are left out where no share has any."""


def print_simulation(console: Console, document: Mapping[str, Any], notes: Sequence[str]) -> None:
    """Print the runs of a simulation side by side, over all and by share."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console.print(Text(_title(document), style="bold"))
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("")
    for run in document["runs"]:
        grid.add_column(run["name"], justify="right", no_wrap=True)
    for label, values in _totals(document):
        grid.add_row(label, *values)
    console.print(Padding(grid, (1, 0, 1, 2)))
    numbers = _share_columns(document)
    rows = list(_by_share(document, numbers))
    columns = [Column("share", [one_line(readable(name)) for name, _ in rows], rank=0, least=16)]
    for index, (label, _) in enumerate(numbers):
        columns.append(Column(label, [Text(cells[index]) for _, cells in rows], rank=index + 1, is_number=True))
    for part in table_parts(console, columns):
        console.print(part)
    for note in notes:
        console.print(Padding(Text(readable(note), style="dim"), (1, 0, 0, 2)))


def simulation_markdown(document: Mapping[str, Any], notes: Sequence[str]) -> str:
    """Give the runs of a simulation as Markdown: two tables, over all and by share."""
    runs = document["runs"]
    lines = [f"**{_title(document)}**", "", f"| | {' | '.join(run['name'] for run in runs)} |"]
    lines += [f"| --- |{' ---: |' * len(runs)}"]
    lines += [f"| {label} | {' | '.join(values)} |" for label, values in _totals(document)]
    columns = _share_columns(document)
    lines += ["", f"| share | {' | '.join([label for label, _ in columns])} |", f"| --- |{' ---: |' * len(columns)}"]
    lines += [f"| {paragraph(readable(name))} | {' | '.join(cells)} |" for name, cells in _by_share(document, columns)]
    for note in notes:
        lines += ["", paragraph(readable(note))]
    return "\n".join(lines)


def _title(document: Mapping[str, Any]) -> str:
    return f"From {document['start']} to {document['end']}"


def _totals(document: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Give the rows over all shares; what is nothing in every run is left out."""
    for label, place in _ROWS:
        if any(_at(run, place) for run in document["runs"]) or label in ("jobs finished", "waiting, mean"):
            yield label, [_shown(run, place) for run in document["runs"]]


def _share_columns(document: Mapping[str, Any]) -> list[tuple[str, Place]]:
    """Give the columns by share; some only where they say something."""
    shares = [share for run in document["runs"] for share in run["shares"].values()]
    return [
        (label, place)
        for label, place in _SHARE_COLUMNS
        if place[0] not in _ONLY_IF_ANY or any(_at(share, place) for share in shares)
    ]


def _by_share(document: Mapping[str, Any], columns: Sequence[tuple[str, Place]]) -> Iterator[tuple[str, list[str]]]:
    """Give the rows by share, in each cell what is different between the runs."""
    runs = document["runs"]
    for name in sorted({share for run in runs for share in run["shares"]}):
        told = [run["shares"].get(name) for run in runs]
        yield (
            name,
            [
                " → ".join(dict.fromkeys(["-" if each is None else _shown(each, place) for each in told]))
                for _, place in columns
            ],
        )


def _at(numbers: Mapping[str, Any], place: Place) -> Any:  # noqa: ANN401  # a number of the document
    value: Any = numbers
    for name in place:
        value = value[name]
    return value


def _shown(numbers: Mapping[str, Any], place: Place) -> str:
    """Give a number of a run or of a share; times of jobs that have not started are at least what they waited."""
    value = _at(numbers, place)
    if value is None:
        return "-"
    if place[0] == "waiting_seconds":
        waited = duration(value * 1000)
        return f"≥{waited}" if numbers["waiting_seconds"]["not_started"] else waited
    if place[0] == "used":
        return f"{value * 100:.0f} %"
    return number(value) if isinstance(value, float) else f"{value:,}"
