"""A plan on a terminal, and in a few plain lines for places that have room for no more.

`print_view` needs a rich console; `short` is plain text and loads nothing. Colour is left to the console, which has
none when it does not write to a terminal or `NO_COLOR` is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.report.terminal_table import Column, one_line, table_parts
from quota_constructs.report.view import view
from quota_constructs.report.words import (
    ACKNOWLEDGE,
    cap_text,
    change_text,
    counts_at_risk,
    facts,
    limit_text,
    over_text,
    owner_label,
    risk_label,
    told_shares,
    usage_text,
    verdict_label,
    where,
)
from quota_scheduler.differences import member_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from quota_constructs.report.assessed import Assessed
    from quota_constructs.report.rows import JobRow
    from quota_constructs.report.view import View

MOST_JOBS = 15
"""Jobs that the terminal lists one by one; the other formats list all of them."""

MOST_FINDINGS = 12
"""Findings of one severity on the terminal."""

MOST_SHARES = 20
"""Rows of the table of shares on the terminal."""

_NARROW = 72
"""Columns of a terminal below which a change is told in words rather than in columns."""

_VERDICT_STYLES = {
    "invalid": "bold white on red",
    "destructive": "bold white on red",
    "disruptive": "bold white on red",
    "at_risk": "bold black on yellow",
    "notice": "bold black on cyan",
    "safe": "bold black on green",
}
_RISK_STYLES = {
    "terminated": "bold red",
    "never_fits": "bold red",
    "certain": "red",
    "likely": "red",
    "possible": "yellow",
    "eligible": "yellow",
}
_SIGN_STYLES = {"+": "green", "-": "red", "~": "yellow"}


def short(assessed: Assessed, most_jobs: int = 5) -> str:
    """Give a plan in a few plain lines without colour, one block a queue.

    Args:
        assessed: The queue, the change and the outcome.
        most_jobs: How many jobs are named one by one.

    Returns:
        The lines, joined; the first one holds queue, verdict and what it means.
    """
    shown = view(assessed, most_jobs=most_jobs)
    head = f"{shown.title}: {verdict_label(shown.verdict)}: {shown.headline[0]}"
    lines = [head, *(f"  {sentence}" for sentence in shown.headline[1:])]
    lines += [f"  {row.sign} {change_text(row)}" for row in shown.changes]
    lines += [f"  {_job_line(row)}" for row in shown.at_risk]
    if shown.number_at_risk > most_jobs:
        lines.append(f"  and {shown.number_at_risk - most_jobs:,} more jobs")
    lines += [f"  note: {note}" for note in shown.notes]
    lines += [f"  {advice}" for advice in shown.advice[:2]]
    if shown.guard:
        lines.append(f"  {shown.guard}")
    if shown.acknowledge:
        lines.append(f"  to deploy anyway: cdk deploy -c {ACKNOWLEDGE}={shown.acknowledge}")
    return "\n".join(lines)


def _job_line(row: JobRow) -> str:
    owner = f", {owner_label(row.owner)}" if row.owner else ""
    return f"{risk_label(row.risk)}: {row.name} (share {row.share}, {row.size}, {row.loss} GPU-hours{owner})"


def print_view(console: Console, shown: View) -> None:
    """Print a plan for one queue.

    Args:
        console: Where to; its width decides the layout.
        shown: What to print.
    """
    from rich.padding import Padding
    from rich.text import Text

    head = Text(f" {verdict_label(shown.verdict)} ", style=_VERDICT_STYLES[shown.verdict])
    head.append(f"  {shown.title}", style="bold not reverse default on default")
    console.print(head)
    about = ", ".join(part for part in (where(shown), f"as of {shown.taken}") if part)
    console.print(Padding(Text(about, style="dim"), (0, 0, 0, 2)))
    for sentence in shown.headline:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    if shown.guard:
        console.print(Padding(Text(shown.guard, style="bold"), (0, 0, 0, 2)))
    _print_lines(console, "Note", shown.notes)
    _print_changes(console, shown)
    _print_findings(console, shown, "Errors", "error")
    _print_shares(console, shown)
    _print_jobs(console, shown)
    _print_findings(console, shown, "Warnings", "warning")
    _print_lines(console, "Advice", shown.advice)
    _print_lines(console, "Assumed, because AWS does not document it", shown.assumptions)


def print_acknowledgement(console: Console, views: Iterable[View]) -> None:
    """Print what lets all blocked changes pass together; nothing where nothing is blocked."""
    given = ",".join(shown.acknowledge for shown in views if shown.acknowledge)
    if given:
        _section(console, "To deploy it anyway")
        console.print(f"  cdk deploy -c {ACKNOWLEDGE}={given}", markup=False, highlight=False, soft_wrap=True)


def _section(console: Console, title: str) -> None:
    console.print()
    console.print(title, style="bold", markup=False, highlight=False)


def _print_lines(console: Console, title: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    from rich.padding import Padding
    from rich.text import Text

    _section(console, title)
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def _print_changes(console: Console, shown: View) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    _section(console, "Change")
    if not shown.changes:
        console.print("  nothing: this is how the queue is now")
        return
    grid = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(2 if console.width < _NARROW else 4):
        grid.add_column(overflow="fold")
    for row in shown.changes:
        sign = Text(row.sign, style=_SIGN_STYLES[row.sign])
        if console.width < _NARROW:
            grid.add_row(sign, Text(change_text(row)))
            continue
        if row.after == "removed":
            values = Text(f"removed (had {row.before or 'nothing'})", style="red")
        else:
            values = Text(f"{row.before} → {row.after}" if row.before else row.after)
        grid.add_row(sign, Text(row.what), Text(member_label(row.member)), values)
    console.print(Padding(grid, (0, 0, 0, 2)))


_SEVERITY_STYLES = {"error": "red", "warning": "yellow"}


def _print_findings(console: Console, shown: View, title: str, severity: str) -> None:
    told = [finding for finding in shown.findings if finding[0] == severity]
    if not told:
        return
    from rich.padding import Padding
    from rich.text import Text

    _section(console, title)
    for _, rule, place, message in told[:MOST_FINDINGS]:
        line = Text(f"{rule} ", style=_SEVERITY_STYLES[severity])
        line.append(message, style="not bold default")
        line.append(f" ({place})", style="dim default")
        console.print(Padding(line, (0, 0, 0, 2)))
    if len(told) > MOST_FINDINGS:
        console.print(f"  and {len(told) - MOST_FINDINGS} more", style="dim")


def _print_shares(console: Console, shown: View) -> None:
    told = told_shares(shown)
    if not told:
        return
    rows = told[:MOST_SHARES]
    from rich.text import Text

    _section(console, "Shares")
    columns = (
        Column("share", [one_line(row.share) for row in rows], rank=0, least=16),
        Column("type", [one_line(row.unit) for row in rows], rank=1),
        Column("limit", [Text(limit_text(row)) for row in rows], rank=2, is_number=True),
        Column("in use", [Text(usage_text(row)) for row in rows], rank=4, is_number=True),
        Column(
            "over limit",
            [Text(over_text(row), style="red" if row.over_after else "") for row in rows],
            rank=3,
            is_number=True,
        ),
        Column("may use", [Text(cap_text(row)) for row in rows], rank=6, is_number=True),
        Column("waiting", [Text(f"{row.waiting:,}") for row in rows], rank=5, is_number=True),
    )
    for part in table_parts(console, columns):
        console.print(part)
    if len(told) > len(rows):
        console.print(f"  and {len(told) - len(rows)} more that change or are above their limits", style="dim")
    hidden = len(shown.shares) - len(told)
    if hidden:
        console.print(f"  {hidden} more within their limits, unchanged", style="dim")


def _print_jobs(console: Console, shown: View) -> None:
    if not shown.number_at_risk:
        return
    from rich.text import Text

    _section(console, f"Jobs at risk: {shown.number_at_risk:,}")
    console.print(f"  {counts_at_risk(shown)}", style="dim", markup=False, highlight=False)
    rows = shown.at_risk[:MOST_JOBS]
    columns = (
        Column("risk", [Text(risk_label(row.risk), style=_RISK_STYLES.get(row.risk, "")) for row in rows], rank=1),
        Column("job", [one_line(row.name) for row in rows], rank=0, least=24),
        Column("share", [one_line(row.share) for row in rows], rank=2, least=16),
        Column("size", [one_line(row.size) for row in rows], rank=5, told="{cell}"),
        Column("GPU-hours", [Text(row.loss) for row in rows], rank=3, is_number=True, told="{cell} GPU-hours"),
        Column("owner", [one_line(owner_label(row.owner)) for row in rows], rank=4),
    )

    def below(index: int, left_out: tuple[str, ...]) -> str:
        row = rows[index]
        return "\n".join(part for part in (row.sentence, " · ".join((*left_out, facts(row)))) if part)

    for part in table_parts(console, columns, below):
        console.print(part)
    more = shown.number_at_risk - MOST_JOBS
    if more > 0:
        console.print(f"  and {more:,} more; --format json and html list them all", style="dim")
