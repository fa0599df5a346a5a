"""The configuration rules as a table, and one rule explained."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from quota_scheduler.rules import Rule

_SEVERITY_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}


def rules_document(rules: Sequence[Rule]) -> dict[str, Any]:
    """Give rules as a JSON document; the schema is `rules.schema.json`."""
    return {
        "version": 1,
        "rules": [
            {
                "id": rule.id,
                "severity": rule.severity,
                "title": rule.title,
                "fix": rule.fix,
                "source": rule.source,
                "bad": json.loads(rule.bad),
                "good": json.loads(rule.good),
            }
            for rule in rules
        ],
    }


def rules_markdown(rules: Sequence[Rule]) -> str:
    """Give rules as a Markdown table."""
    lines = ["| rule | severity | what holds | what to do |", "| --- | --- | --- | --- |"]
    lines += [f"| {rule.id} | {rule.severity} | {_cell(rule.title)} | {_cell(rule.fix)} |" for rule in rules]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def print_rules(console: Console, rules: Sequence[Rule]) -> None:
    """Print a table of rules, a line or two each."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("rule", no_wrap=True)
    grid.add_column("severity", no_wrap=True)
    grid.add_column("what holds")
    for rule in rules:
        grid.add_row(rule.id, Text(rule.severity, style=_SEVERITY_STYLES.get(rule.severity, "")), Text(rule.title))
    console.print(grid)
    console.print()
    console.print("batch-quota rules QS001 explains one of them.", style="dim", highlight=False)


def print_rule(console: Console, rule: Rule) -> None:
    """Print one rule with an example that breaks it, the example mended, and its source."""
    from rich.padding import Padding
    from rich.text import Text

    head = Text(f"{rule.id} ", style="bold")
    head.append(rule.severity, style=_SEVERITY_STYLES.get(rule.severity, ""))
    console.print(head)
    for line in textwrap.wrap(rule.title, max(20, console.width - 2)):
        console.print(f"  {line}", markup=False, highlight=False)
    for title, body in (
        ("What to do", rule.fix),
        ("Breaks it", _indented(rule.bad)),
        ("Keeps it", _indented(rule.good)),
        ("Source", rule.source),
    ):
        console.print()
        console.print(title, style="bold")
        console.print(Padding(Text(body), (0, 0, 0, 2)))


def _indented(example: str) -> str:
    return json.dumps(json.loads(example), indent=2, ensure_ascii=False)
