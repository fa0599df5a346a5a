"""What a verdict means for people, in one or two sentences with the numbers behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from quota_constructs.report.measures import count, listed, number, span
from quota_scheduler import Job

if TYPE_CHECKING:
    from quota_constructs.report.assessed import Document

Jobs = Mapping[str, Job]


def headline(document: Document, jobs: Jobs) -> tuple[str, ...]:
    """Say what the verdict means.

    Args:
        document: The assessment.
        jobs: The queue's jobs by id, for their names.

    Returns:
        One sentence a fact, the one that made the verdict first.
    """
    sentences = _FIRST[document["verdict"]](document, jobs)
    for add in (_claimed, _starts):
        sentence = add(document, jobs)
        if sentence and sentence not in sentences:
            sentences.append(sentence)
    return tuple(sentences)


def names_of(ids: Sequence[str], jobs: Jobs, most: int = 3) -> str:
    """Give jobs by name, the rest counted."""
    return listed([(jobs[name].name or name) if name in jobs else name for name in ids], most)


def _invalid(document: Document, jobs: Jobs) -> list[str]:
    errors = [item for item in document["findings"] if item["severity"] == "error"]
    broken = listed(list(dict.fromkeys(item["id"] for item in errors)))
    return [
        f"the queue would not be valid, the change breaks rule {broken}" if broken else "the queue would not be valid"
    ]


def _destructive(document: Document, jobs: Jobs) -> list[str]:
    sentences = []
    terminated = document["terminated"]
    if terminated:
        removed = _with_what(document, sorted({jobs[name].share for name in terminated if name in jobs}))
        lost = sum(document["jobs"][name]["loss_gpu_hours"][1] for name in terminated)
        sentences.append(
            f"{count(len(terminated), 'job')} {_ends(terminated)} with {removed}: {names_of(terminated, jobs)}"
            f" ({number(lost)} GPU-hours)"
        )
    never = [name for name in document["never_fits"] if document["jobs"][name]["newly"]]
    if never:
        sentences.append(f"{count(len(never), 'waiting job')} could never run any more: {names_of(never, jobs)}")
    return sentences


def _with_what(document: Document, removed: Sequence[str]) -> str:
    """Say what goes: the whole queue where no share of several stays, else the shares."""
    gone = [all(row["limit_after"] is None for row in rows.values()) for rows in document["shares"].values()]
    return "the queue" if len(gone) > 1 and all(gone) else _shares(removed)


def _ends(ids: Sequence[str]) -> str:
    return "ends" if len(ids) == 1 else "end"


def _shares(names: Sequence[str]) -> str:
    return f"share {names[0]}" if len(names) == 1 else f"the shares {listed(names)}"


def _disruptive(document: Document, jobs: Jobs) -> list[str]:
    low, high = document["bounds"]["jobs"]
    hours = document["bounds"]["gpu_hours"][1]
    return [
        (
            f"because of this change, work that waits now would stop {span(low, high)}"
            f" running {'job' if high == 1 else 'jobs'}, up to {number(hours)} GPU-hours"
        )
    ]


def _at_risk(document: Document, jobs: Jobs) -> list[str]:
    newly = document["newly_eligible"]
    if newly:
        verb = "becomes" if len(newly) == 1 else "become"
        first = f"{count(len(newly), 'running job')} {verb} eligible for preemption: {names_of(newly, jobs)}"
    else:
        first = f"{_over(document)} further above its limit"
    return [first, "nothing that waits now would claim this room; work that is submitted later may"]


def _over(document: Document) -> str:
    grown = [
        name
        for name, units in document["shares"].items()
        if any(numbers["over_after"] > numbers["over_before"] for numbers in units.values())
    ]
    return f"{_shares(grown)} {'is' if len(grown) == 1 else 'are'}" if grown else "a share is"


def _notice(document: Document, jobs: Jobs) -> list[str]:
    if document["possible"]:
        return ["waiting work may stop running jobs, with or without this change"]
    return ["no running job is put at risk, but some waiting work will have to wait longer"]


def _safe(document: Document, jobs: Jobs) -> list[str]:
    return ["no running or waiting job is put at risk"]


def _claimed(document: Document, jobs: Jobs) -> str:
    if document["verdict"] == "disruptive" or not document["possible"]:
        return ""
    low, high = document["bounds"]["jobs"]
    hours = document["bounds"]["gpu_hours"][1]
    return (
        f"work that waits now would stop {span(low, high)} running {'job' if high == 1 else 'jobs'},"
        f" up to {number(hours)} GPU-hours"
    )


def _starts(document: Document, jobs: Jobs) -> str:
    starts = document["starts"]
    if not starts:
        return ""
    return f"{count(len(starts), 'waiting job')} would start: {names_of(starts, jobs)}"


_FIRST: dict[str, Callable[[Document, Jobs], list[str]]] = {
    "invalid": _invalid,
    "destructive": _destructive,
    "disruptive": _disruptive,
    "at_risk": _at_risk,
    "notice": _notice,
    "safe": _safe,
}
