"""The status of a queue as Markdown, for a channel or a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quota_constructs.report.markup import paragraph
from quota_constructs.report.readable import readable
from quota_constructs.report.status_words import head_size, headings, lent_text, or_dash, share_label
from quota_scheduler.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def status_markdown(document: Mapping[str, Any], at: int, notes: Sequence[str] = ()) -> str:
    """Give a status as Markdown: the shares as a table, and the first waiting job of each.

    Args:
        document: What `status_document` gives.
        at: When the queue was looked at, in milliseconds since 1970 UTC.
        notes: What the reader should know about how it was looked at.
    """
    title, place, uses = headings(document, at)
    lines = [f"**{_plain(title)}** {_plain(place)}", "", _plain(uses), ""]
    lines += ["| share | instance type | used | of | borrows | lends | waiting |"]
    lines += ["| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    lines += _rows(document["shares"])
    heads = list(_heads(document["shares"]))
    lines += ["", *heads] if heads else []
    for note in notes:
        lines += ["", _plain(note)]
    return "\n".join(lines)


def _rows(shares: Mapping[str, Any]) -> Iterator[str]:
    for share, told in shares.items():
        name = _plain(share_label(share, told))
        for unit, numbers in told["types"].items():
            cells = (
                name,
                _plain(unit),
                f"{numbers['used']:,}",
                f"{numbers['limit']:,}",
                or_dash(numbers["borrowed"]),
                lent_text(numbers),
                or_dash(numbers["waiting"]),
            )
            yield f"| {' | '.join(cells)} |"


def _heads(shares: Mapping[str, Any]) -> Iterator[str]:
    for share, told in shares.items():
        head = told["head"]
        if head is not None:
            waiting = count(told["jobs"]["waiting"], "job")
            first = f"{_plain(head['name'] or head['job'])} ({_plain(head_size(head))})"
            yield f"- **{_plain(share)}**: {waiting} waiting, first {first}: {_plain(head['sentence'])}"


def _plain(text: str) -> str:
    return paragraph(readable(text))
