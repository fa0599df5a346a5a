"""Write docs/rules.md from the registry of rules: `python tools/rules_page.py > docs/rules.md`, or `make docs`."""

from __future__ import annotations

import json
import re
import sys

from quota_scheduler.rules import RULES, Rule
from quota_scheduler.rules.examples import message_of

HEAD = """\
# Configuration rules

Generated from the registry of rules by `make docs`; change the rules in `lambda/quota_scheduler/rules/`.

The same rules are applied at synth, by the guard in a deployment, by `batch-quota` and by the local Batch. An *error*
is refused; a *warning* and an *info* are only said. What is not known yet (an unresolved token, a resource that is only
referred to) breaks no rule. An id is never used for another rule. A source that says *assumed* names the decision
record with the reasons; AWS does not document those.

`batch-quota rules QS007` shows one of them.
"""

DECISION = re.compile(r"docs/(decisions/(\d{4})-[\w-]+\.md)")
LINK = r"[decision \2](\1)"

LOOKS_AT = {
    "queues": "The examples are two queues of one deployment.",
    "update": "The examples are a queue before and after an update.",
}


def page() -> str:
    """Write the page."""
    table = [f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity} | {rule.title} |" for rule in RULES.values()]
    sections = [section(rule) for rule in RULES.values()]
    return "\n".join([HEAD, "| rule | severity | what holds |", "| --- | --- | --- |", *table, *sections, ""])


def section(rule: Rule) -> str:
    """Write the section about one rule."""
    lines = [
        "",
        f"## {rule.id}",
        "",
        f"{rule.title[0].upper()}{rule.title[1:]} ({rule.severity}).",
        "",
        f"- **Says, for example:** {message_of(rule)}",
        f"- **What to do:** {rule.fix}",
        f"- **Source:** {DECISION.sub(LINK, rule.source)}",
        "",
        *([LOOKS_AT[rule.looks_at], ""] if rule.looks_at in LOOKS_AT else []),
        "Breaks it:",
        "",
        *block(rule.bad),
        "",
        "Keeps it:",
        "",
        *block(rule.good),
    ]
    return "\n".join(lines)


def block(example: str) -> list[str]:
    """Write an example as a code block, short ones on one line."""
    document = json.loads(example)
    parts = document if isinstance(document, list) else [document]
    lines = [line for part in parts for line in layout(part)]
    return ["```json", *lines, "```"]


def layout(part: dict[str, object], width: int = 100) -> list[str]:
    """Write one document: on one line if it fits, else a line for each member, and for each item of a list."""
    whole = json.dumps(part)
    if len(whole) <= width:
        return [whole]
    lines = ["{"]
    for position, (name, value) in enumerate(part.items()):
        comma = "," if position < len(part) - 1 else ""
        if isinstance(value, list) and value:
            lines.append(f"  {json.dumps(name)}: [")
            lines += [f"    {json.dumps(item)}{',' if item is not value[-1] else ''}" for item in value]
            lines.append(f"  ]{comma}")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}{comma}")
    return [*lines, "}"]


if __name__ == "__main__":
    sys.stdout.write(page())
