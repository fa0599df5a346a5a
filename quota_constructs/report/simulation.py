"""What came of a queue over time, as it is and with a change: numbers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.readable import readable
from quota_scheduler.wording import duration, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def print_simulation(console: Console, document: Mapping[str, Any], notes: Sequence[str]) -> None:
    """Print the runs of a simulation side by side, over all and by share."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    runs = document["runs"]
    console.print(Text(f"From {document['start']} to {max(run['end'] for run in runs)}", style="bold"))
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("")
    for run in runs:
        grid.add_column(run["name"], justify="right", no_wrap=True)
    for label, place in _ROWS:
        values = [_at(run, place) for run in runs]
        if any(values) or label in ("jobs finished", "waiting, mean"):
            grid.add_row(label, *(_shown(place, value) for value in values))
    console.print(Padding(grid, (1, 0, 1, 2)))
    shares = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shares.add_column("share")
    for label in ("waiting, mean", "longest", "preempted", "GPU-hours lost"):
        shares.add_column(label, justify="right")
    for name in sorted({share for run in runs for share in run["shares"]}):
        told = [run["shares"].get(name) for run in runs]
        cells = [
            [duration(each["waiting_seconds"]["mean"] * 1000) if each else "-" for each in told],
            [duration(each["waiting_seconds"]["longest"] * 1000) if each else "-" for each in told],
            [str(each["preempted"]) if each else "-" for each in told],
            [number(each["lost_gpu_hours"]) if each else "-" for each in told],
        ]
        shares.add_row(Text(readable(name)), *(" → ".join(dict.fromkeys(values)) for values in cells))
    console.print(Padding(shares, (0, 0, 0, 2)))
    for note in notes:
        console.print(Padding(Text(readable(note), style="dim"), (1, 0, 0, 2)))


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
