"""What a queue looks like now: who uses, borrows and lends how much, and why the first one of each share waits.

`status_document` is pure; `status_table` lays it out for a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.readable import readable
from quota_constructs.report.rows import with_names
from quota_scheduler.wording import amounts, count, duration, moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console, RenderableType
    from rich.text import Text

    from quota_scheduler import Job, Knobs, QueueState

_NARROWEST_BAR, _WIDEST_BAR = 6, 40
_BESIDES = 44
"""Characters that the numbers and the gaps of a row take."""
_BLOCKS = {"own": "█", "borrowed": "▓", "idle": "░"}
_ASCII = {"own": "#", "borrowed": "+", "idle": "."}
_STYLES = {"own": "green", "borrowed": "yellow", "idle": "bright_black"}


def status_document(state: QueueState, knobs: Knobs) -> dict[str, Any]:
    """Work out the status of a queue as a JSON document; the schema is `status.schema.json`.

    `lent` is a range: which lender a borrowed instance comes from is not defined, only how much all of them lend.

    Args:
        state: The queue.
        knobs: Answers to what AWS leaves open, for the reasons of those that wait.
    """
    from quota_scheduler.timestamp import format_timestamp

    usage = _sums(job for job in state.jobs if job.is_dispatched)
    waiting = _sums(job for job in state.jobs if job.is_waiting)
    lent = _lent(state, usage)
    return {
        "version": 1,
        "at": format_timestamp(state.at),
        "queue": state.queue,
        "region": state.region,
        "account": state.account,
        "environment": {
            unit: {"limit": limit, "used": sum(used for (_, of), used in usage.items() if of == unit)}
            for unit, limit in sorted(state.environment.items())
        },
        "shares": {
            name: {
                "strategy": share.strategy,
                "state": share.state,
                "types": {
                    unit: _numbers(name, unit, share.limits.get(unit, 0), usage, waiting, lent)
                    for unit in sorted({*share.limits, *(of for owner, of in usage if owner == name)})
                },
                "jobs": {
                    "dispatched": sum(1 for job in state.jobs if job.share == name and job.is_dispatched),
                    "waiting": sum(1 for job in state.jobs if job.share == name and job.is_waiting),
                },
                "head": _head(state, name, knobs),
            }
            for name, share in sorted(state.shares.items())
        },
    }


def _sums(jobs: Iterable[Job]) -> dict[tuple[str, str], int]:
    sums: dict[tuple[str, str], int] = {}
    for job in jobs:
        for unit, amount in job.uses.items():
            sums[job.share, unit] = sums.get((job.share, unit), 0) + amount
    return sums


def _lent(state: QueueState, usage: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], list[int]]:
    """Give how much of each share's idle capacity is lent, at least and at most."""
    units = {unit for share in state.shares.values() for unit in share.limits}
    lent = {}
    for unit in units:
        over = {
            name: max(0, usage.get((name, unit), 0) - share.limits.get(unit, 0)) for name, share in state.shares.items()
        }
        idle = {
            name: max(0, share.limits.get(unit, 0) - usage.get((name, unit), 0)) if share.lends else 0
            for name, share in state.shares.items()
        }
        borrowed, lendable = sum(over.values()), sum(idle.values())
        for name, amount in idle.items():
            lent[name, unit] = [min(amount, max(0, borrowed - (lendable - amount))), min(amount, borrowed)]
    return lent


def _numbers(
    name: str,
    unit: str,
    limit: int,
    usage: Mapping[tuple[str, str], int],
    waiting: Mapping[tuple[str, str], int],
    lent: Mapping[tuple[str, str], list[int]],
) -> dict[str, Any]:
    used = usage.get((name, unit), 0)
    return {
        "limit": limit,
        "used": used,
        "borrowed": max(0, used - limit),
        "lent": lent.get((name, unit), [0, 0]),
        "waiting": waiting.get((name, unit), 0),
    }


def _head(state: QueueState, share: str, knobs: Knobs) -> dict[str, Any] | None:
    from quota_scheduler import explain

    waiting = [job for job in state.jobs if job.share == share and job.is_waiting]
    if not waiting:
        return None
    head = min(waiting, key=_turn)
    decision = explain(state, head.id, knobs)
    return {
        "job": head.id,
        "name": head.name,
        "owner": head.owner,
        "uses": dict(head.uses),
        "waits_seconds": None if head.created_at is None else (state.at - head.created_at) // 1000,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": with_names(decision.sentence, {job.id: job for job in state.jobs}),
    }


def _turn(job: Job) -> tuple[int, int, str]:
    """1. higher priority, 2. submitted earlier, 3. id."""
    return (-(job.priority or 0), job.created_at or 0, job.id)


def status_table(console: Console, document: Mapping[str, Any], at: int) -> RenderableType:
    """Lay a status out for a terminal."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    place = ", ".join(part for part in (document["region"], document["account"]) if part)
    head = Text(readable(document["queue"] or "queue"), style="bold")
    head.append(f"  {readable(place) + ', ' if place else ''}{moment(at)}", style="not bold dim")
    uses = "; ".join(
        f"{unit} {numbers['used']} of {numbers['limit']} in use" for unit, numbers in document["environment"].items()
    )
    blocks = _BLOCKS if console.encoding.lower().startswith("utf") else _ASCII
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    names = (*document["shares"], "share")
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
                _cut("" if index else share, "dim" if told["state"] == "DISABLED" else ""),
                _cut(unit),
                _bar(numbers, longest.get(unit, 1), cells, blocks),
                str(numbers["used"]),
                str(numbers["limit"]),
                _or_dash(numbers["borrowed"]),
                _range(numbers["lent"]),
                _or_dash(numbers["waiting"]),
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


def _or_dash(amount: int) -> str:
    return str(amount) if amount else "-"


def _range(ends: list[int]) -> str:
    low, high = ends
    return _or_dash(high) if low == high else f"{low} to {high}"


def _heads(document: Mapping[str, Any]) -> list[Any]:
    from rich.padding import Padding
    from rich.text import Text

    lines: list[Any] = []
    for share, told in document["shares"].items():
        head = told["head"]
        if head is None:
            continue
        waits = "" if head["waits_seconds"] is None else f", for {duration(head['waits_seconds'] * 1000)}"
        owner = f", {head['owner']}" if head["owner"] else ""
        lines.append(Text())
        line = Text(f"{readable(share)}: ", style="bold")
        line.append(f"{count(told['jobs']['waiting'], 'job')} waiting, first ", style="not bold")
        line.append(readable(head["name"] or head["job"]), style="bold")
        line.append(readable(f" ({amounts(head['uses'])}{owner}{waits})"), style="not bold")
        lines.append(Padding(line, (0, 0, 0, 2)))
        lines.append(Padding(Text(readable(head["sentence"]), style="dim"), (0, 0, 0, 4)))
    if lines:
        lines[:0] = [Text(), Text("Waiting", style="bold")]
        del lines[2]
    return lines
