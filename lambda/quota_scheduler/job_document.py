"""Jobs of a document, read one by one: every problem of every job with its JSON path."""

from __future__ import annotations

from types import MappingProxyType

from quota_scheduler.document import (
    LARGEST,
    Problems,
    check_amounts,
    check_choice,
    check_members,
    check_text,
    check_time,
    check_whole,
    nearest,
    shown,
)
from quota_scheduler.job import STATUSES, Job
from quota_scheduler.job_columns import MEMBERS, REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.share import Share

_NOTHING: Mapping[str, int] = MappingProxyType({})


class JobReader:
    """Reads the jobs of one document one by one.

    Args:
        shares: the shares of the document, None where it has none that could be read.
        problems: where problems are noted.
        path: JSON path of the list of jobs.
    """

    def __init__(self, shares: Mapping[str, Share] | None, problems: Problems, path: str = "$.jobs") -> None:
        self._shares = shares
        self._problems = problems
        self._path = path
        self._index_of: dict[str, int] = {}

    def job(self, given: object, index: int) -> Job:
        """Read one job; with problems it is a job that is thrown away with the document."""
        path = f"{self._path}[{index}]"
        members = check_members(given, path, self._problems, MEMBERS, REQUIRED) or {}
        get = members.get
        return Job(
            self._id(members["id"], index) if "id" in members else "",
            self._share(members["share"], f"{path}.share") if "share" in members else "",
            self._uses(members["uses"], f"{path}.uses") if "uses" in members else _NOTHING,
            check_choice(members["status"], f"{path}.status", self._problems, STATUSES) if "status" in members else "",
            self._text(get("name"), f"{path}.name"),
            self._number(get("priority"), f"{path}.priority", -LARGEST),
            self._time(get("created_at"), f"{path}.created_at"),
            self._time(get("scheduled_at"), f"{path}.scheduled_at"),
            self._time(get("started_at"), f"{path}.started_at"),
            self._time(get("checkpointed_at"), f"{path}.checkpointed_at"),
            self._time(get("expected_end"), f"{path}.expected_end"),
            self._stopping_for(members, f"{path}.stopping_for"),
            self._number(
                get("preemption_retries_before_termination"), f"{path}.preemption_retries_before_termination", 0
            ),
            self._number(get("preempted_attempt_count"), f"{path}.preempted_attempt_count", 0) or 0,
            self._text(get("owner"), f"{path}.owner"),
        )

    def _id(self, value: object, index: int) -> str:
        path = f"{self._path}[{index}].id"
        name = check_text(value, path, self._problems)
        if name and self._index_of.setdefault(name, index) != index:
            first = self._index_of[name]
            self._problems.add(path, f"job {shown(name)} is there twice; the first is {self._path}[{first}]")
        return name

    def _share(self, value: object, path: str) -> str:
        if self._shares is None:
            return check_text(value, path, self._problems)
        if isinstance(value, str) and value in self._shares:
            return value
        hint = nearest(value, tuple(self._shares)) if isinstance(value, str) else ""
        self._problems.add(path, f"must be one of the shares, got {shown(value)}{hint}")
        return ""

    def _uses(self, value: object, path: str) -> Mapping[str, int]:
        before = len(self._problems)
        amounts = check_amounts(value, path, self._problems, least=1)
        if not amounts and len(self._problems) == before:
            self._problems.add(path, "must name at least one instance type")
        return amounts

    def _number(self, value: object, path: str, least: int) -> int | None:
        return None if value is None else check_whole(value, path, self._problems, least)

    def _time(self, value: object, path: str) -> int | None:
        return None if value is None else check_time(value, path, self._problems)

    def _text(self, value: object, path: str) -> str | None:
        return None if value is None else check_text(value, path, self._problems)

    def _stopping_for(self, members: Mapping[str, object], path: str) -> str | None:
        value = members.get("stopping_for")
        if value is None:
            return None
        if value == members.get("id"):
            self._problems.add(path, "a job cannot be stopped for itself")
        return check_text(value, path, self._problems)
