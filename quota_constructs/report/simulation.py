"""What came of a queue over time, as it is and with a change: numbers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.markup import paragraph
from quota_constructs.report.readable import readable
from quota_scheduler.wording import duration, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

_ROWS = (
    ("jobs finished", ("jobs", "finished")),
    ("jobs ended by the change", ("jobs", "terminated")),
    ("jobs preempted", ("jobs", "preempted")),
    ("jobs failed after preemption", ("jobs", "failed")),
    ("jobs still waiting", ("jobs", "waiting")),
    ("jobs still running", ("jobs", "running")),
    ("waiting, mean", ("waiting_seconds", "mean")),
    ("waiting, longest", ("waiting_seconds", "longest")),
    ("GPU-hours lost", ("lost_gpu_hours",)),
    ("capacity in use", ("used",)),
)
_SHARE_COLUMNS = ("waiting, mean", "longest", "still waiting", "preempted", "GPU-hours lost")


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
    shares = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shares.add_column("share")
    for label in _SHARE_COLUMNS:
        shares.add_column(label, justify="right")
    for name, cells in _by_share(document):
        shares.add_row(Text(readable(name)), *cells)
    console.print(Padding(shares, (0, 0, 0, 2)))
    for note in notes:
        console.print(Padding(Text(readable(note), style="dim"), (1, 0, 0, 2)))


def simulation_markdown(document: Mapping[str, Any], notes: Sequence[str]) -> str:
    """Give the runs of a simulation as Markdown: two tables, over all and by share."""
    runs = document["runs"]
    lines = [f"**{_title(document)}**", "", f"| | {' | '.join(run['name'] for run in runs)} |"]
    lines += [f"| --- |{' ---: |' * len(runs)}"]
    lines += [f"| {label} | {' | '.join(values)} |" for label, values in _totals(document)]
    lines += ["", f"| share | {' | '.join(_SHARE_COLUMNS)} |", f"| --- |{' ---: |' * len(_SHARE_COLUMNS)}"]
    lines += [f"| {paragraph(readable(name))} | {' | '.join(cells)} |" for name, cells in _by_share(document)]
    for note in notes:
        lines += ["", paragraph(readable(note))]
    return "\n".join(lines)


def _title(document: Mapping[str, Any]) -> str:
    return f"From {document['start']} to {max(run['end'] for run in document['runs'])}"


def _totals(document: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Give the rows over all shares; what is nothing in every run is left out."""
    for label, place in _ROWS:
        values = [_at(run, place) for run in document["runs"]]
        if any(values) or label in ("jobs finished", "waiting, mean"):
            yield label, [_shown(place, value) for value in values]


def _by_share(document: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Give the rows by share, in each cell what is different between the runs."""
    runs = document["runs"]
    for name in sorted({share for run in runs for share in run["shares"]}):
        told = [run["shares"].get(name) for run in runs]
        cells = [
            [_waited(each, "mean") for each in told],
            [_waited(each, "longest") for each in told],
            [str(each["waiting"]) if each else "-" for each in told],
            [str(each["preempted"]) if each else "-" for each in told],
            [number(each["lost_gpu_hours"]) if each else "-" for each in told],
        ]
        yield name, [" → ".join(dict.fromkeys(values)) for values in cells]


def _waited(share: Mapping[str, Any] | None, measure: str) -> str:
    """Give how long jobs of a share waited until they started; a dash where there is no share or none has started."""
    if share is None:
        return "-"
    seconds = share["waiting_seconds"][measure]
    return "-" if share["waiting"] and not share["waiting_seconds"]["longest"] else duration(seconds * 1000)


def _at(run: Mapping[str, Any], place: tuple[str, ...]) -> Any:  # noqa: ANN401  # a number of the document
    value: Any = run
    for name in place:
        value = value[name]
    return value


def _shown(place: tuple[str, ...], value: Any) -> str:  # noqa: ANN401  # as above
    if place[0] == "waiting_seconds":
        return duration(value * 1000)
    if place[0] == "used":
        return "-" if value is None else f"{value * 100:.0f} %"
    return number(value) if isinstance(value, float) else f"{value:,}"
