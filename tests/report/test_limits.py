"""Sizes: a comment that GitHub takes, a page that opens, whatever the queue holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli_support import TYPE
from report_support import DEMO, assessed, crowded, crowded_change

from quota_constructs.report.html import render_html
from quota_constructs.report.markdown import LIMIT, render_markdown

MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize("queues", [1, 3])
def test_markdown_with_2000_jobs_at_risk_stays_below_the_limit(queues: int) -> None:
    plan = assessed(crowded(), crowded_change())
    text = render_markdown([plan] * queues)
    assert LIMIT * 0.9 < len(text.encode()) <= LIMIT
    assert "more jobs do not fit into a comment" in text
    assert text.count("<details>") == text.count("</details>") == queues


def test_markdown_lists_all_jobs_where_they_fit() -> None:
    text = render_markdown([assessed(crowded(100), {"shares": {"team-00": {"limits": {TYPE: 1}}}})])
    assert "do not fit" not in text
    assert text.count("| eligible |") == 5


def test_markdown_that_is_too_long_without_any_job_is_cut_at_a_line() -> None:
    plan = assessed(*DEMO["cut-blocked"][:2])
    text = render_markdown([replace(plan, label="q" * 300, notes=("n" * 2000,) * 30)] * 40)
    assert len(text.encode()) <= LIMIT
    assert text.endswith("`--format html` holds all of it.\n")
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0


def test_html_of_a_full_queue_stays_below_5_mebibytes() -> None:
    page = render_html([assessed(crowded(2000, 10_000), crowded_change())])
    assert len(page.encode()) <= 5 * MEBIBYTE
    assert "10,000 other unfinished jobs" in page
