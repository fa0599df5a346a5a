"""Jobs of a document, read a member at a time over all of them: a full queue has 12,000 jobs, and few of them differ.

Whatever is wrong, or only unusual, gives the whole list up; `job_document.py` then reads it job by job and names what
it finds.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, repeat
from types import MappingProxyType

from quota_scheduler.document import LARGEST
from quota_scheduler.job import STATUSES, Job
from quota_scheduler.state import TIME_MEMBERS
from quota_scheduler.timestamp import parse_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

REQUIRED = ("id", "share", "uses", "status")
MEMBERS = tuple(Job.__dataclass_fields__)
_NUMBERS = {
    "priority": -LARGEST,
    "preemption_retries_before_termination": 0,
    "preempted_attempt_count": 0,
}
"""The members that are whole numbers, with the least allowed."""


class _UnusualError(Exception):
    """The list is no plain list of jobs without a problem."""


def read_columns(given: Sequence[object], shares: Collection[str]) -> tuple[Job, ...] | None:
    """Read the jobs of a document.

    Args:
        given: the decoded jobs.
        shares: names of the shares that there are.

    Returns:
        The jobs, or None if there is anything about them that needs a closer look.
    """
    try:
        columns = _columns(given, shares)
    except (_UnusualError, KeyError):  # KeyError: a required member is missing
        return None
    jobs = [object.__new__(Job) for _ in given]
    for name, column in columns.items():
        # What `Job(…)` does, a member at a time for all jobs: the time of a call of `__init__` is most of the reading.
        deque(map(getattr(Job, name).__set__, jobs, column), maxlen=0)
    return tuple(jobs)


def _columns(given: Sequence[object], shares: Collection[str]) -> dict[str, Iterable[object]]:
    """Give the checked values of each member, in the order of the jobs."""
    jobs: list[dict[str, object]] = [job for job in given if type(job) is dict]
    names = set[str]().union(*jobs)
    _require(len(jobs) == len(given) and names <= set(MEMBERS))
    columns: dict[str, Iterable[object]] = {
        "id": _texts([job["id"] for job in jobs]),
        "share": _words([job["share"] for job in jobs], shares),
        "uses": _amounts([job["uses"] for job in jobs]),
        "status": _words([job["status"] for job in jobs], STATUSES),
    }
    _require(len({job["id"] for job in jobs}) == len(jobs))
    for name in MEMBERS[len(REQUIRED) :]:
        if name in names:
            columns[name] = _reader(name)([job.get(name) for job in jobs])
        else:
            columns[name] = repeat(_absent(name))
    _require("stopping_for" not in names or all(job.get("stopping_for") != job["id"] for job in jobs))
    return columns


def _reader(name: str) -> Callable[[list[object]], list[object]]:
    if name in TIME_MEMBERS:
        return _times
    if name in _NUMBERS:
        return lambda column: _numbers(column, _NUMBERS[name], _absent(name))
    return _optional_texts


def _absent(name: str) -> object:
    """Give what a member is that a job does not have."""
    return Job.__dataclass_fields__[name].default


def _require(condition: bool) -> None:
    if not condition:
        raise _UnusualError


def _require_types(values: Iterable[object], *allowed: type) -> None:
    _require({*map(type, values)} <= {*allowed})


def _texts(column: list[object]) -> list[object]:
    """Check texts that are not empty and can be written again as UTF-8."""
    _require_types(column, str)
    _require(all(column))
    everything = "".join(column)  # type: ignore[arg-type]  # texts, see above
    try:
        everything.isascii() or everything.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        raise _UnusualError from None
    return column


def _optional_texts(column: list[object]) -> list[object]:
    _texts([value for value in column if value is not None])
    return column


def _words(column: list[object], allowed: Collection[str]) -> list[object]:
    _require_types(column, str)
    _require({*column} <= {*allowed})
    return column


def _numbers(column: list[object], least: int, absent: object) -> list[object]:
    numbers = [value for value in column if value is not None]
    _check_numbers(numbers, least)
    return column if absent is None else [absent if value is None else value for value in column]


def _check_numbers(values: Collection[object], least: int) -> None:
    _require_types(values, int)
    if values:
        _require(min(values) >= least and max(values) <= LARGEST)  # type: ignore[type-var,operator]  # whole numbers


def _times(column: list[object]) -> list[object]:
    """Read times; equal ones once."""
    _require_types(column, str, type(None))
    try:
        moments = {text: None if text is None else parse_timestamp(text) for text in {*column}}  # type: ignore[arg-type]  # texts
    except ValueError:
        raise _UnusualError from None
    return [moments[text] for text in column]


def _amounts(column: list[object]) -> list[object]:
    """Read what jobs use; equal amounts become one object, of which a full queue has few."""
    uses: list[dict[str, int]] = [value for value in column if type(value) is dict]
    _require(len(uses) == len(column) and all(uses))
    _texts([*{unit for each in uses for unit in each}])
    _check_numbers([*chain.from_iterable([each.values() for each in uses])], 1)
    keys = [tuple(each.items()) for each in uses]
    same = {key: MappingProxyType(dict(key)) for key in {*keys}}
    return [same[key] for key in keys]
