"""`batch-quota rules`: the configuration rules, and one of them explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quota_constructs.cli.options import debug_option, format_option, output_option

if TYPE_CHECKING:
    from quota_scheduler.rules import Rule


@click.command(
    name="rules",
    short_help="List the configuration rules, or explain one of them.",
    epilog="Example: batch-quota rules QS007",
)
@click.argument("rule", required=False)
@format_option("text", "json", "markdown")
@output_option
@debug_option
def command(rule: str | None, layout: str, output: str | None) -> None:
    """List the rules a configuration is checked against, or explain RULE with an example and its source."""
    from quota_constructs.cli import output as out
    from quota_constructs.report import rules as report

    chosen = _chosen(rule)
    if layout == "json":
        out.write_json(report.rules_document(chosen), output)
    elif layout == "markdown":
        out.write(report.rules_markdown(chosen), output)
    elif rule is not None:
        out.write_text(lambda console: report.print_rule(console, chosen[0]), output)
    else:
        out.write_text(lambda console: report.print_rules(console, chosen), output)


def _chosen(rule: str | None) -> tuple[Rule, ...]:
    from quota_scheduler.document import nearest
    from quota_scheduler.rules import RULES

    if rule is None:
        return tuple(RULES.values())
    digits = rule.upper().removeprefix("QS")
    name = f"QS{digits.zfill(3)}" if digits.isdigit() else rule.upper()
    if name not in RULES:
        hint = nearest(name, tuple(RULES)) or f"; they are {min(RULES)} to {max(RULES)}"
        raise click.UsageError(f"there is no rule {rule}{hint}")
    return (RULES[name],)
