"""The status of a queue on a terminal: shares as bars, and the first waiting job of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.readable import readable
from quota_constructs.report.status_words import head_size, headings, lent_text, or_dash, share_label
from quota_scheduler.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.text import Text

_NARROWEST_BAR, _WIDEST_BAR = 6, 40
_BESIDES = 44
"""Characters that the numbers and the gaps of a row take."""
_BLOCKS = {"own": "█", "borrowed": "▓", "idle": "░"}
_ASCII = {"own": "#", "borrowed": "+", "idle": "."}
_STYLES = {"own": "green", "borrowed": "yellow", "idle": "bright_black"}


def status_table(console: Console, document: Mapping[str, Any], at: int, notes: Sequence[str] = ()) -> RenderableType:
    """Lay a status out for a terminal."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    title, place, uses = headings(document, at)
    head = Text(readable(title), style="bold")
    head.append(f"  {readable(place)}", style="not bold dim")
    blocks = _BLOCKS if console.encoding.lower().startswith("utf") else _ASCII
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    names = (*(share_label(share, told) for share, told in document["shares"].items()), "share")
    units = [unit for told in document["shares"].values() for unit in told["types"]]
    width = console.width - _BESIDES - max(map(len, names)) - max(map(len, (*units, "type")))
    cells = max(_NARROWEST_BAR, min(_WIDEST_BAR, width))
    for name in ("share", "type"):
        grid.add_column(name)
    grid.add_column("in use", no_wrap=True)
    for name in ("used", "of", "borrows", "lends", "waiting"):
        grid.add_column(name, justify="right", no_wrap=True)
    longest = _longest(document)
    for share, told in document["shares"].items():
        for index, (unit, numbers) in enumerate(told["types"].items()):
            grid.add_row(
                _cut("" if index else share_label(share, told), "dim" if told["state"] == "DISABLED" else ""),
                _cut(unit),
                _bar(numbers, longest.get(unit, 1), cells, blocks),
                str(numbers["used"]),
                str(numbers["limit"]),
                or_dash(numbers["borrowed"]),
                lent_text(numbers),
                or_dash(numbers["waiting"]),
            )
    legend = Text("  ", style="dim")
    for kind, label in (("own", "own"), ("borrowed", "borrowed"), ("idle", "idle")):
        legend.append(blocks[kind] * 2, style=_STYLES[kind])
        legend.append(f" {label}  ")
    return Group(
        head,
        Padding(Text(readable(uses)), (0, 0, 0, 2)),
        Text(),
        Padding(grid, (0, 0, 0, 2)),
        legend,
        *_heads(document),
        *(Padding(Text(readable(note), style="dim"), (1, 0, 0, 2)) for note in notes),
    )


def _cut(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(readable(text), style=style, no_wrap=True, overflow="ellipsis")


def _longest(document: Mapping[str, Any]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for told in document["shares"].values():
        for unit, numbers in told["types"].items():
            longest[unit] = max(longest.get(unit, 1), numbers["used"], numbers["limit"])
    return longest


def _bar(numbers: Mapping[str, Any], longest: int, width: int, blocks: Mapping[str, str]) -> Text:
    from rich.text import Text

    own = min(numbers["used"], numbers["limit"])
    bar = Text()
    for kind, amount in (("own", own), ("borrowed", numbers["borrowed"]), ("idle", numbers["limit"] - own)):
        cells = 0 if not amount else max(1, round(width * amount / longest))
        bar.append(blocks[kind] * cells, style=_STYLES[kind])
    return bar


def _heads(document: Mapping[str, Any]) -> list[Any]:
    from rich.padding import Padding
    from rich.text import Text

    lines: list[Any] = []
    for share, told in document["shares"].items():
        head = told["head"]
        if head is None:
            continue
        lines.append(Text())
        line = Text(f"{readable(share)}: ", style="bold")
        line.append(f"{count(told['jobs']['waiting'], 'job')} waiting, first ", style="not bold")
        line.append(readable(head["name"] or head["job"]), style="bold")
        line.append(readable(f" ({head_size(head)})"), style="not bold")
        lines.append(Padding(line, (0, 0, 0, 2)))
        lines.append(Padding(Text(readable(head["sentence"]), style="dim"), (0, 0, 0, 4)))
    if lines:
        lines[:0] = [Text(), Text("Waiting", style="bold")]
        del lines[2]
    return lines
