"""A plan as one HTML file that needs nothing else: no network, no script to be read, dark or light, fit to print.

Everything that comes from outside goes through autoescaping. The content security policy of the page allows its own
sorting script by hash and nothing else, so that even a text that slipped through could not run.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quota_constructs.report.charts import Sizes, Timeline, UnitBars, share_bars, sizes, timeline
from quota_constructs.report.rows import AT_RISK, RISK_MEANINGS, JobRow
from quota_constructs.report.verdicts import worst
from quota_constructs.report.view import View, view
from quota_constructs.report.words import (
    cap_text,
    limit_text,
    over_text,
    owner_label,
    risk_label,
    usage_text,
    verdict_label,
    where,
)
from quota_scheduler.assessment import RISKS
from quota_scheduler.differences import member_label
from quota_scheduler.wording import count, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.report.assessed import Assessed

MOST_OTHERS = 12_000
"""Jobs without risk that the page lists; more are counted."""

_SIGN_CLASSES = {"+": "sign-add", "-": "sign-del", "~": "sign-mod"}


@dataclass(frozen=True, slots=True)
class _Queue:
    view: View
    charts: tuple[UnitBars, ...]
    sizes: Sizes
    timeline: Timeline | None
    risks: tuple[str, ...]
    order: dict[str, int]
    others: tuple[JobRow, ...]
    other_count: int


def render_html(plans: Sequence[Assessed]) -> str:
    """Give plans as one page.

    Args:
        plans: One a queue.

    Returns:
        The whole HTML document.
    """
    views = [view(plan, every_job=True) for plan in plans]
    script = _asset("sort.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html")
        .render(
            queues=[_queue(shown) for shown in views],
            verdict=worst(shown.verdict for shown in views),
            acknowledge=",".join(shown.acknowledge for shown in views if shown.acknowledge),
            meanings=RISK_MEANINGS,
            listed=AT_RISK,
            library_css=Markup(_asset("charts.min.css")),  # noqa: S704  # our own files, not input
            css=Markup(_asset("report.css")),  # noqa: S704  # as above
            script=Markup(script),  # noqa: S704  # as above
            script_hash=f"sha256-{digest}",
        )
    )


def _queue(shown: View) -> _Queue:
    others = tuple(row for row in shown.jobs if row.risk not in AT_RISK)
    charts = share_bars(shown)
    return _Queue(
        view=shown,
        charts=charts,
        sizes=sizes(charts),
        timeline=timeline(shown),
        risks=tuple(risk for risk in RISKS if risk in shown.risk_counts),
        order={risk: index for index, risk in enumerate(RISKS)},
        others=others[:MOST_OTHERS],
        other_count=len(others),
    )


def _asset(name: str) -> str:
    return (files("quota_constructs.report") / "templates" / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("quota_constructs.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        label=verdict_label,
        where=where,
        member=member_label,
        words=risk_label,
        limit=limit_text,
        in_use=usage_text,
        over=over_text,
        cap=cap_text,
        owner=owner_label,
        count=count,
        sign_class=_SIGN_CLASSES.__getitem__,
        share=lambda part: f"{part:.4f}".rstrip("0").rstrip(".") or "0",
        listed=lambda names: listed(names, 12),
    )
    return environment
