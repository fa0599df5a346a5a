"""Tables on a terminal of any width: what has no room in a row is told below it, and names stay apart.

Which columns stay, and how wide each one is, is decided by `fit`; the rest lays that out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.report.shorten import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

MARGIN = 2
_GAP = 2
_COMFORT = 40
"""Width that a long column gets before the others get what they want."""
_MOST_BELOW = 120
"""Characters of a cell that is told below its row."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, with what becomes of it where not all columns have room.

    Args:
        title: Its heading.
        cells: One a row.
        rank: Where not all have room, those with the highest are left out; that of rank 0 always stays.
        least: The narrowest it may be cut to; it is not cut, unless given.
        is_number: Whether its cells stand on the right.
        told: How a cell that has no room is told below its row; not at all where this is empty.
    """

    title: str
    cells: Sequence[Text]
    rank: int
    least: int | None = None
    is_number: bool = False
    told: str = "{title} {cell}"

    @property
    def widest(self) -> int:
        """The width at which nothing is cut, in cells of the terminal."""
        from rich.cells import cell_len

        return max(cell_len(self.title), *(cell.cell_len for cell in self.cells), 0)

    @property
    def narrowest(self) -> int:
        """The width below which it does not stay; a heading of several words may take several lines."""
        from rich.cells import cell_len

        word = max(map(cell_len, self.title.split()), default=0)
        cells = max((cell.cell_len for cell in self.cells), default=0)
        return max(word, cells if self.least is None else min(cells, self.least))


def fit(columns: Sequence[Column], room: int) -> dict[str, int]:
    """Give the columns that have room, with their widths.

    Args:
        columns: In the order in which they are shown.
        room: Characters of a line.
    """
    ranked = sorted(columns, key=lambda column: column.rank)
    widths: dict[str, int] = {}
    for column in ranked:
        gap = _GAP if widths else 0
        if widths and column.narrowest + gap > room:
            break
        widths[column.title] = min(column.narrowest, room)
        room -= widths[column.title] + gap
    for most in (_COMFORT, None):
        for column in ranked:
            if column.title in widths:
                wanted = column.widest if most is None else min(column.widest, most)
                more = max(0, min(room, wanted - widths[column.title]))
                widths[column.title] += more
                room -= more
    return widths


def room_of(console: Console) -> int:
    """Give how many characters of a line a table has beside the margin."""
    return max(20, console.width - MARGIN)


def one_line(text: str, style: str = "") -> Text:
    """Give a text of strangers as a cell, which is one line."""
    from rich.text import Text

    return Text(" ".join(text.split()), style=style)


def left_out_text(_: int, left_out: tuple[str, ...]) -> str:
    """Give what had no room in a row as the text below it."""
    return " · ".join(left_out)


def table_parts(
    console: Console, columns: Sequence[Column], below: Callable[[int, tuple[str, ...]], str] = left_out_text
) -> Iterator[RenderableType]:
    """Give a table to be printed part by part: the headings, each row, and below each row what is told there.

    Args:
        console: Where it is printed.
        columns: In the order in which they are shown.
        below: Gives the text below a row from its number and from what had no room in it; that alone, unless given.
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    widths = fit(columns, room_of(console))
    shown = [column for column in columns if column.title in widths]
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for column in shown:
        width = widths[column.title]
        grid.add_column(
            column.title, justify="right" if column.is_number else "left", vertical="bottom", width=width, no_wrap=False
        )
    for row in zip(*(_cells(column, widths[column.title]) for column in shown), strict=True):
        grid.add_row(*row)
    lines = _lines(console, grid)
    headings = len(lines) - len(columns[0].cells)
    yield from lines[:headings]
    for index, line in enumerate(lines[headings:]):
        yield line
        text = below(index, _left_out(columns, widths, index))
        if text:
            yield Padding(Text(text, style="dim"), (0, 0, 0, MARGIN + 4))


def _cells(column: Column, width: int) -> Iterator[Text]:
    """Give the cells of a column as one line each, cut where they are wider than it."""
    texts = shortened((cell.plain for cell in column.cells), width) if column.least and column.told else {}
    for cell in column.cells:
        text = cell.copy()
        if cell.plain in texts:
            text.plain = texts[cell.plain]
        text.no_wrap, text.overflow = True, "ellipsis"
        yield text


def _left_out(columns: Sequence[Column], widths: Mapping[str, int], index: int) -> tuple[str, ...]:
    left = [column for column in columns if column.title not in widths and column.told]
    cells = [(column, column.cells[index].plain) for column in left]
    return tuple(
        column.told.format(title=column.title, cell=shortened([cell], _MOST_BELOW)[cell])
        for column, cell in cells
        if cell not in ("", "-")
    )


def _lines(console: Console, grid: Table) -> list[Text]:
    """Render a table with a margin, and give its lines one by one."""
    from rich.text import Text

    options = console.options.update(width=room_of(console))
    lines = []
    for segments in console.render_lines(grid, options, pad=False):
        line = Text(" " * MARGIN, no_wrap=True)
        for segment in segments:
            line.append(segment.text, style=segment.style)
        line.rstrip()
        lines.append(line)
    return lines
