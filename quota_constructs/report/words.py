"""How a view is put into words: labels, limits, facts. Every format uses the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.report.rows import AT_RISK
from quota_scheduler.differences import REMOVED, Difference, member_label

if TYPE_CHECKING:
    from quota_constructs.report.rows import JobRow, ShareRow
    from quota_constructs.report.view import View

ACKNOWLEDGE = "quota-acknowledge"
"""Name of the context value that carries an acknowledgement."""


def verdict_label(verdict: str) -> str:
    """Give a verdict as people read it, such as `AT RISK`."""
    return verdict.replace("_", " ").upper()


def where(shown: View) -> str:
    """Give the stack and the queue a view is about, in one line."""
    parts = [f"stack {shown.stack}" if shown.stack else "", shown.place]
    return ", ".join(part for part in parts if part)


def change_text(row: Difference) -> str:
    """Give one line of the difference without its sign."""
    if row.after == REMOVED:
        return f"{row.what} removed (had {row.before or 'nothing'})"
    values = f"{row.before} → {row.after}" if row.before else row.after
    return f"{row.what} {member_label(row.member)} {values}"


def told_shares(shown: View) -> list[ShareRow]:
    """Give the share rows that tell something, those of shares that change first, then the furthest above a limit."""
    changed = {row.what.removeprefix("share ") for row in shown.changes}
    told = [row for row in shown.shares if row.share in changed or row.over_after or row.over_before]
    return sorted(told, key=lambda row: (row.share not in changed, -row.over_after if row.share not in changed else 0))


def limit_text(row: ShareRow) -> str:
    """Give a limit, with the one before where it changes."""
    before = "-" if row.limit_before is None else f"{row.limit_before:,}"
    after = "-" if row.limit_after is None else f"{row.limit_after:,}"
    return after if before == after else f"{before} → {after}"


def usage_text(row: ShareRow) -> str:
    """Give the instances that a share's jobs hold; those of a removed share give them back."""
    return f"{row.usage:,} → 0" if row.limit_after is None and row.usage else f"{row.usage:,}"


def over_text(row: ShareRow) -> str:
    """Give how far a share is over its limit, with the amount before where it changes."""
    after = f"{row.over_after:,}"
    return after if row.over_before == row.over_after else f"{row.over_before:,} → {after}"


def cap_text(row: ShareRow) -> str:
    """Give the most a share may use with what it may borrow."""
    if row.limit_after is None:
        return "-"
    return "any" if row.cap_after is None else f"{row.cap_after:,}"


def counts_at_risk(shown: View) -> str:
    """Give how many jobs at risk there are of each risk, the worst first."""
    return ", ".join(f"{amount:,} {risk_label(risk)}" for risk, amount in shown.risk_counts.items() if risk in AT_RISK)


def risk_label(risk: str) -> str:
    """Give a risk as people read it, such as `never fits`."""
    return risk.replace("_", " ")


_ARN_PARTS = 6
_KINDS_OF_PRINCIPAL = ("assumed-role", "federated-user", "role", "user")


def owner_label(owner: str) -> str:
    """Give of an owner what tells people apart: of the ARN of a principal what follows its account and kind.

    Source: IAM identifiers, `arn:partition:service:region:account:kind/name`.

    >>> owner_label("arn:aws:sts::111122223333:assumed-role/DataScience/ann"), owner_label("team-vision")
    ('DataScience/ann', 'team-vision')
    """
    parts = owner.split(":", _ARN_PARTS - 1)
    if parts[0] != "arn" or len(parts) < _ARN_PARTS or not parts[-1]:
        return owner
    kind, _, name = parts[-1].partition("/")
    return name if name and kind in _KINDS_OF_PRINCIPAL else parts[-1]


def facts(row: JobRow) -> str:
    """Give what else is known of a job, in one line."""
    parts = [
        f"runs for {row.runs}" if row.runs else row.status.lower(),
        f"ends in {row.ends}" if row.ends else "",
        f"priority {row.priority}",
        f"checkpoint {row.checkpoint}" if row.checkpoint else "",
        row.then,
        "" if row.name == row.id else row.short,
    ]
    return " · ".join(part for part in parts if part)
