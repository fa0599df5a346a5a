"""Charts of a report as numbers between 0 and 1: bars of the shares, bars of the running jobs over time. Pure.

What draws them is the style sheet (docs/decisions/0050-charts-are-tables-styled-by-charts-css.md).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs.report.rows import AT_RISK, JobRow, ShareRow
from quota_constructs.report.shorten import shortened
from quota_scheduler.assessment import RISKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.report.view import View

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

LONGEST_LABEL = 36
"""Characters of a label beside a bar; longer names lose their middle."""

MOST_LANES = 400
"""Jobs in the timeline; beyond that the ones with the least risk are left out, and that is said."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Usage of a share of one type against its limit, in fractions of the chart's width.

    Args:
        label: What the bar is about: `before` or `after`.
        within: Instances used within the limit.
        over: Instances used above it.
        limit: Where the limit is; None where there is none.
        text: The numbers in words.
    """

    label: str
    within: float
    over: float
    limit: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of one share and type, before and after the change; the label is its name as it fits beside them."""

    share: str
    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class UnitBars:
    """All shares of one instance type on one scale."""

    unit: str
    most: int
    shares: tuple[Bars, ...]


def share_bars(shown: View) -> tuple[UnitBars, ...]:
    """Give the bars of all shares, one chart an instance type, on the scale of its largest limit or usage."""
    charts = []
    labels = shortened((row.share for row in shown.shares), LONGEST_LABEL)
    for unit in dict.fromkeys(row.unit for row in shown.shares):
        rows = [row for row in shown.shares if row.unit == unit]
        most = max((max(row.usage, row.limit_before or 0, row.limit_after or 0) for row in rows), default=0)
        bars = tuple(Bars(row.share, labels[row.share], _bars(row, max(most, 1))) for row in rows)
        charts.append(UnitBars(unit, most, bars))
    return tuple(charts)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Room that the texts beside the bars of a queue need in characters, and what the bars show.

    Args:
        label: Of the longest name of a share.
        words: Of the longest numbers in words.
        has_own: Whether anything is in use within a limit.
        has_over: Whether anything is in use above a limit.
    """

    label: int
    words: int
    has_own: bool
    has_over: bool


def sizes(charts: Sequence[UnitBars]) -> Sizes:
    """Measure all charts of a queue together, so that their bars begin and end at the same places."""
    shares = [bars for chart in charts for bars in chart.shares]
    bars = [bar for share in shares for bar in share.bars]
    return Sizes(
        label=max((len(share.label) for share in shares), default=0),
        words=max((len(bar.text) for bar in bars), default=0),
        has_own=any(bar.within for bar in bars),
        has_over=any(bar.over for bar in bars),
    )


def _bars(row: ShareRow, most: int) -> tuple[Bar, ...]:
    before = _bar("before", row.usage, row.limit_before, row.over_before, most)
    after = _bar("after", 0 if row.limit_after is None else row.usage, row.limit_after, row.over_after, most)
    return (after,) if row.limit_before == row.limit_after else (before, after)


def _bar(label: str, usage: int, limit: int | None, over: int, most: int) -> Bar:
    text = "removed" if limit is None else f"{usage:,} of {limit:,}" + (f", {over:,} over" if over else "")
    return Bar(label, (usage - over) / most, over / most, None if limit is None else limit / most, text)


@dataclass(frozen=True, slots=True)
class Lane:
    """One running job in the timeline, in fractions of its width.

    Args:
        job: The job.
        label: Its name as it fits beside the bar.
        start: Where its bar begins.
        now: Where the moment of the picture is.
        end: Where the bar ends.
        is_open: Whether its end is not known, so that the bar only reaches the moment of the picture.
    """

    job: JobRow
    label: str
    start: float
    now: float
    end: float
    is_open: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """Running jobs from their start to their expected end.

    Args:
        lanes: One a job, the worst risk first, then by start.
        now: Where the moment of the picture is.
        ticks: Marks of the axis, as place and text.
        hidden: How many jobs did not fit.
    """

    lanes: tuple[Lane, ...]
    now: float
    ticks: tuple[tuple[float, str], ...]
    hidden: int

    @property
    def risks(self) -> tuple[str, ...]:
        """The risks that its bars have, the worst first."""
        found = {lane.job.risk for lane in self.lanes}
        return tuple(risk for risk in RISKS if risk in found)

    @property
    def has_rest(self) -> bool:
        """Whether the end of any job is known, so that what is still to run is seen."""
        return any(not lane.is_open for lane in self.lanes)

    @property
    def longest_label(self) -> int:
        """Characters of the longest label."""
        return max(len(lane.label) for lane in self.lanes)


def timeline(shown: View) -> Timeline | None:
    """Give the timeline of the jobs that have started; None where there is none."""
    started = [row for row in shown.jobs if row.started_at is not None and row.started_at <= shown.at]
    if not started:
        return None
    started.sort(key=lambda row: (RISKS.index(row.risk) if row.risk in AT_RISK else len(RISKS), row.started_at or 0))
    jobs = started[:MOST_LANES]
    first = min(row.started_at or 0 for row in jobs)
    last = max(max(row.expected_end or 0 for row in jobs), shown.at)
    width = max(last - first, MINUTE)
    labels = shortened((row.name for row in jobs), LONGEST_LABEL)

    def place(moment: int) -> float:
        return (moment - first) / width

    lanes = tuple(
        Lane(
            job=row,
            label=labels[row.name],
            start=place(row.started_at or 0),
            now=place(shown.at),
            end=place(max(row.expected_end or 0, shown.at)),
            is_open=row.expected_end is None,
        )
        for row in jobs
    )
    ticks = tuple((place(moment), text) for moment, text in _ticks(first, last))
    return Timeline(lanes, place(shown.at), ticks, len(started) - len(jobs))


_STEPS = (10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY)


def _ticks(first: int, last: int, most: int = 4) -> Sequence[tuple[int, str]]:
    """Give at most `most` round moments in a span of time."""
    span = last - first
    step = next((size for size in _STEPS if span / size <= most), span // most + 1)
    layout = "%d %b" if step >= DAY else "%d %b %H:%M" if span > DAY else "%H:%M"
    moments = range(-(-first // step) * step, last + 1, step)
    return [(moment, time.strftime(layout, time.gmtime(moment / 1000))) for moment in moments]
