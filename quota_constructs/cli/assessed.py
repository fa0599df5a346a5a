"""Writing of assessments in the format that was asked for; `plan` and `assess` share it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.cli.output import write, write_json, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from quota_constructs.report.assessed import Assessed


def write_assessed(
    plans: Sequence[Assessed], layout: str, output: str | None, document: dict[str, Any] | None = None
) -> None:
    """Write assessments.

    Args:
        plans: One a queue.
        layout: `text`, `json`, `markdown` or `html`.
        output: File name, or None for standard output.
        document: The JSON document; the assessment of the only queue, unless given.
    """
    if layout == "json":
        write_json(plans[0].assessment.to_dict() if document is None else document, output)
    elif layout == "markdown":
        from quota_constructs.report.markdown import render_markdown

        write(render_markdown(plans), output)
    elif layout == "html":
        from quota_constructs.report.html import render_html

        write(render_html(plans), output)
    else:
        write_text(lambda console: print_plans(console, plans), output)


def print_plans(console: Console, plans: Sequence[Assessed]) -> None:
    """Print plans one below the other, and what lets them pass together."""
    from quota_constructs.report.text import MOST_JOBS, print_acknowledgement, print_view
    from quota_constructs.report.view import view

    views = [view(assessed, most_jobs=MOST_JOBS) for assessed in plans]
    if not views:
        console.print("no stack changes a queue with quota management")
    for index, shown in enumerate(views):
        if index:
            console.print()
            console.rule(style="dim")
        print_view(console, shown)
    print_acknowledgement(console, views)
