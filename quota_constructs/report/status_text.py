"""The status of a queue on a terminal: shares as bars, and the first waiting job of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.readable import readable
from quota_constructs.report.status_words import head_size, headings, lent_text, or_dash, share_label
from quota_constructs.report.terminal_table import Column, fit, one_line, room_of, table_parts
from quota_scheduler.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.text import Text

_NARROWEST_BAR, _WIDEST_BAR = 10, 40
_BAR = "in use"
_BLOCKS = {"own": "█", "borrowed": "▓", "idle": "░"}
_ASCII = {"own": "#", "borrowed": "+", "idle": "."}
_STYLES = {"own": "green", "borrowed": "yellow", "idle": "bright_black"}


def status_table(console: Console, document: Mapping[str, Any], at: int, notes: Sequence[str] = ()) -> RenderableType:
    """Lay a status out for a terminal."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    title, place, uses = headings(document, at)
    head = Text(readable(title), style="bold")
    head.append(f"  {readable(place)}", style="not bold dim")
    blocks = _BLOCKS if console.encoding.lower().startswith("utf") else _ASCII
    return Group(
        head,
        Padding(Text(readable(uses)), (0, 0, 0, 2)),
        Text(),
        *_shares(console, document, blocks),
        *_heads(document),
        *(Padding(Text(readable(note), style="dim"), (1, 0, 0, 2)) for note in notes),
    )


def _shares(console: Console, document: Mapping[str, Any], blocks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Give the table of the shares, with bars and what they mean where there is room."""
    from rich.text import Text

    rows = [
        (share_label(share, told), told["state"] == "DISABLED", unit, numbers, index == 0)
        for share, told in document["shares"].items()
        for index, (unit, numbers) in enumerate(told["types"].items())
    ]

    def of_numbers(
        title: str, rank: int, text: Callable[[Mapping[str, Any]], str], told: str = "{title} {cell}"
    ) -> Column:
        return Column(title, [Text(text(numbers)) for _, _, _, numbers, _ in rows], rank, is_number=True, told=told)

    names = [
        one_line(readable(name) if is_first else "", "dim" if is_off else "") for name, is_off, _, _, is_first in rows
    ]
    columns = [
        Column("share", names, rank=0, least=16),
        Column("type", [one_line(readable(unit)) for _, _, unit, _, _ in rows], rank=1),
        Column(_BAR, [Text(" " * _WIDEST_BAR)] * len(rows), rank=7, least=_NARROWEST_BAR, told=""),
        of_numbers("used", 2, lambda numbers: f"{numbers['used']:,}"),
        of_numbers("of", 3, lambda numbers: f"{numbers['limit']:,}", told="limit {cell}"),
        of_numbers("borrows", 5, lambda numbers: or_dash(numbers["borrowed"])),
        of_numbers("lends", 6, lent_text),
        of_numbers("waiting", 4, lambda numbers: or_dash(numbers["waiting"])),
    ]
    cells = fit(columns, room_of(console)).get(_BAR)
    longest = _longest(document)
    bars = [_bar(numbers, longest.get(unit, 1), cells, blocks) for _, _, unit, numbers, _ in rows] if cells else []
    columns[2:3] = [Column(_BAR, bars, rank=7, least=_NARROWEST_BAR, told="")] if cells else []
    yield from table_parts(console, columns)
    if cells:
        legend = Text("  ", style="dim")
        for kind, label in (("own", "own"), ("borrowed", "borrowed"), ("idle", "idle")):
            legend.append(blocks[kind] * 2, style=_STYLES[kind])
            legend.append(f" {label}  ")
        yield legend


def _longest(document: Mapping[str, Any]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for told in document["shares"].values():
        for unit, numbers in told["types"].items():
            longest[unit] = max(longest.get(unit, 1), numbers["used"], numbers["limit"])
    return longest


def _bar(numbers: Mapping[str, Any], longest: int, width: int, blocks: Mapping[str, str]) -> Text:
    from rich.text import Text

    own = min(numbers["used"], numbers["limit"])
    rest = ("borrowed", numbers["borrowed"]) if numbers["borrowed"] else ("idle", numbers["limit"] - own)
    bar = Text()
    for kind, amount, most in (("own", own, width - bool(rest[1])), (*rest, width)):
        cells = 0 if not amount else max(1, min(round(width * amount / longest), most - len(bar)))
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
