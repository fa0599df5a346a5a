"""A plan as Markdown, fit for a comment on a pull request.

GitHub cuts nothing: a comment above its limit is refused. So job rows are given as far as they fit, the worst first,
and what was left out is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.report.markup import code, paragraph
from quota_constructs.report.rows import AT_RISK, RISK_MEANINGS, JobRow
from quota_constructs.report.verdicts import worst
from quota_constructs.report.view import View, view
from quota_constructs.report.words import (
    ACKNOWLEDGE,
    cap_text,
    change_text,
    counts_at_risk,
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
from quota_scheduler.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.report.assessed import Assessed

LIMIT = 65_536
"""Most bytes of a comment. Source: GitHub refuses the body of a comment above 65,536 characters."""

MARKER = "<!-- batch-quota plan -->"
"""First line, by which a workflow finds the comment that it wrote before."""

_MARKS = {"invalid": "⛔", "destructive": "⛔", "disruptive": "⛔", "at_risk": "⚠️", "notice": "ℹ️", "safe": "✅"}  # noqa: RUF001  # the sign for information
_MOST_LINES = 40


def render_markdown(plans: Sequence[Assessed]) -> str:
    """Give plans as one comment of at most `LIMIT` bytes.

    Args:
        plans: One a queue.

    Returns:
        Markdown that GitHub renders, with the job list folded away.
    """
    views = [view(plan) for plan in plans]
    most = max((len(shown.at_risk) for shown in views), default=0)
    whole = _render(views, most)
    if _size(whole) <= LIMIT:
        return whole
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(_render(views, middle)) <= LIMIT else (low, middle - 1)
    return _cut(_render(views, low))


def _size(text: str) -> int:
    return len(text.encode())


def _cut(text: str) -> str:
    """Keep whole lines up to the limit, where even without any job row there is too much to say."""
    if _size(text) <= LIMIT:
        return text
    rest = "\n\nThe plan is longer than a comment may be; `--format html` holds all of it.\n"
    kept: list[str] = []
    size = _size(rest)
    for line in text.splitlines(keepends=True):
        size += _size(line)
        if size > LIMIT - 64:
            break
        kept.append(line)
    body = "".join(kept)
    fence = "\n```" if body.count("```") % 2 else ""
    fold = "\n\n</details>" * (body.count("<details>") - body.count("</details>"))
    return f"{body}{fence}{fold}{rest}"


def _render(views: Sequence[View], rows: int) -> str:
    verdict = worst(shown.verdict for shown in views)
    lines = [MARKER, f"## {_MARKS[verdict]} Quota plan: {verdict_label(verdict).lower()}", ""]
    if not views:
        lines += ["No stack changes a queue with quota management.", ""]
    for shown in views:
        lines += _queue(shown, rows, titled=len(views) > 1)
    given = ",".join(shown.acknowledge for shown in views if shown.acknowledge)
    if given:
        lines += ["To deploy it anyway:", "", "```sh", f"cdk deploy -c {ACKNOWLEDGE}={given}", "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _queue(shown: View, rows: int, titled: bool) -> list[str]:
    title = f"{_MARKS[shown.verdict]} {paragraph(shown.title)}: {verdict_label(shown.verdict).lower()}"
    lines = [f"### {title}", ""] if titled else [f"**{paragraph(shown.title)}**", ""]
    about = [paragraph(part) for part in (where(shown), f"as of {shown.taken}") if part]
    lines += [f"<sub>{', '.join(about)}</sub>", ""]
    lines += [*(f"- {paragraph(sentence)}" for sentence in shown.headline)]
    lines += [f"- **{paragraph(shown.guard)}**", ""] if shown.guard else [""]
    lines += _list("Note", shown.notes)
    lines += _changes(shown)
    lines += _shares(shown)
    lines += _findings(shown)
    lines += _jobs(shown, rows)
    lines += _list("Advice", shown.advice)
    lines += _list("Assumed, because AWS does not document it", shown.assumptions)
    return lines


def _changes(shown: View) -> list[str]:
    if not shown.changes:
        return ["Nothing changes; this is how the queue is now.", ""]
    lines = ["```diff"]
    for row in shown.changes[:_MOST_LINES]:
        if row.sign == "~":
            lines.append(f"- {_in_fence(f'{row.what} {member_label(row.member)} {row.before}')}")
            lines.append(f"+ {_in_fence(f'{row.what} {member_label(row.member)} {row.after}')}")
        else:
            lines.append(f"{row.sign} {_in_fence(change_text(row))}")
    if len(shown.changes) > _MOST_LINES:
        lines.append(f"  and {len(shown.changes) - _MOST_LINES} more")
    return [*lines, "```", ""]


def _in_fence(text: str) -> str:
    return " ".join(text.split()).replace("```", "'''")


def _shares(shown: View) -> list[str]:
    rows = told_shares(shown)
    if not rows:
        return []
    lines = ["| share | instance type | limit | in use | over limit | may use | waiting |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows[:_MOST_LINES]:
        over = over_text(row)
        lines.append(
            f"| {paragraph(row.share)} | {paragraph(row.unit)} | {limit_text(row)} | {usage_text(row)}"
            f" | {f'**{over}**' if row.over_after else over} | {cap_text(row)} | {row.waiting:,} |"
        )
    if len(rows) > _MOST_LINES:
        lines.append(f"| and {len(rows) - _MOST_LINES} more | | | | | | |")
    return [*lines, ""]


def _findings(shown: View) -> list[str]:
    told = [
        f"{severity}: {message} [{rule}] {place}"
        for severity, rule, place, message in shown.findings
        if severity != "info"
    ]
    return _list("Rules", told)


def _list(title: str, sentences: Sequence[str]) -> list[str]:
    if not sentences:
        return []
    lines = [f"**{title}**", "", *(f"- {paragraph(sentence)}" for sentence in sentences[:_MOST_LINES])]
    if len(sentences) > _MOST_LINES:
        lines.append(f"- and {len(sentences) - _MOST_LINES} more")
    return [*lines, ""]


def _jobs(shown: View, rows: int) -> list[str]:
    jobs = shown.at_risk
    if not jobs:
        return []
    bounds = ", ".join(shown.bounds)
    lines = [f"<details><summary>{count(len(jobs), 'job')} at risk: {counts_at_risk(shown)}</summary>", ""]
    lines += [f"What waits now would stop {bounds}.", ""] if bounds else []
    lines.append("| risk | job | share | size | runs for | checkpoint | GPU-hours | priority | owner | why |")
    lines.append("| --- | --- | --- | --- | --- | --- | ---: | ---: | --- | --- |")
    lines += [_job(row) for row in jobs[:rows]]
    if len(jobs) > rows:
        lines += ["", f"{len(jobs) - rows:,} more jobs do not fit into a comment; `--format html` lists all of them."]
    meanings = "; ".join(f"{risk_label(risk)}: {RISK_MEANINGS[risk]}" for risk in shown.risk_counts if risk in AT_RISK)
    return [*lines, "", f"<sub>{meanings}</sub>", "", "</details>", ""]


def _job(row: JobRow) -> str:
    name = code(row.name) if row.name == row.id else f"{paragraph(row.name)} {code(row.short)}"
    cells = (
        risk_label(row.risk),
        name,
        paragraph(row.share),
        paragraph(row.size),
        ", ".join(part for part in (row.runs or row.status.lower(), row.ends and f"ends in {row.ends}") if part),
        row.checkpoint or "-",
        row.loss,
        row.priority,
        paragraph(owner_label(row.owner)),
        paragraph(f"{row.sentence}; then {row.then}" if row.then else row.sentence),
    )
    return f"| {' | '.join(cells)} |"
