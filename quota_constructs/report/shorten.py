"""Long names cut to a width so that they still can be told apart. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ELLIPSIS = "…"


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """Cut names that are looked at together; those that fit stay as they are.

    A name loses its middle, at the place where most of the names stay different. Names that are different only in
    what all of them would lose show that part instead of their end.

    Args:
        names: What is shown together.
        width: Most characters of each, at least 4.

    Returns:
        The text to show for each name.

    >>> sorted(shortened(["pretraining-europe-1", "pretraining-europe-2", "asr"], 12).values())
    ['asr', 'pretrain…e-1', 'pretrain…e-2']
    >>> sorted(shortened(["pretraining-1-of-the-model", "pretraining-2-of-the-model"], 12).values())
    ['pre…g-1-of-…', 'pre…g-2-of-…']
    """
    known = dict.fromkeys(names)
    long = [name for name in known if len(name) > width]
    whole = {name: name for name in known if len(name) <= width}
    cut = whole | _without_middle(long, width)
    alike: dict[str, list[str]] = {}
    for name, text in cut.items():
        alike.setdefault(text, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            cut |= _from_difference([name for name in group if len(name) > width], width)
    return {name: cut[name] for name in known}


def _without_middle(names: list[str], width: int) -> dict[str, str]:
    kept = width - len(ELLIPSIS)
    wanted = kept - kept // 3
    best: dict[str, str] = {}
    most = 0
    for head in sorted(range(1, kept), key=lambda size: abs(size - wanted)):
        texts = {name: name[:head] + ELLIPSIS + name[head - kept :] for name in names}
        different = len(set(texts.values()))
        if different > most:
            best, most = texts, different
        if most == len(names):
            break
    return best


def _from_difference(names: list[str], width: int) -> dict[str, str]:
    """Cut names that begin and end alike: a few letters of the beginning, then from where they become different."""
    head = width // 4
    room = width - head - len(ELLIPSIS)
    shortest = min(map(len, names))
    alike = next((at for at in range(shortest) if len({name[at] for name in names}) > 1), shortest)
    start = max(head + 1, alike - room // 3)
    return {
        name: name[:head]
        + ELLIPSIS
        + (name[start:] if len(name) - start <= room else name[start : start + room - 1] + ELLIPSIS)
        for name in names
    }
