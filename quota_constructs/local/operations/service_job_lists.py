"""ListServiceJobs with its filters.

1. No status and no filter: the RUNNING jobs.
2. One filter at most. With one, the status is ignored, but not with SHARE_IDENTIFIER or QUOTA_SHARE_NAME.
3. Newest first.

Source: API Reference, ListServiceJobs; user guide, track service job capacity utilization.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from typing import TYPE_CHECKING

from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.operations.service_jobs import job_members
from quota_constructs.local.paging import make_token, page_size, read_token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quota_constructs.local.records import Members
    from quota_constructs.local.service import Service

FILTERS = ("JOB_NAME", "BEFORE_CREATED_AT", "AFTER_CREATED_AT", "SHARE_IDENTIFIER", "QUOTA_SHARE_NAME")


@operation("ListServiceJobs")
def list_jobs(service: Service, request: Members) -> Members:
    """List the jobs of a queue."""
    if "jobQueue" not in request:
        raise ClientException("jobQueue is missing")
    queue = service.store.queue(request["jobQueue"])
    size = page_size(request)
    last = read_token("ListServiceJobs", request, int)
    numbers = list(islice(_numbers(service, queue.arn, request, None if last is None else int(last)), size + 1))
    following = {"nextToken": make_token("ListServiceJobs", numbers[size - 1])} if len(numbers) > size else {}
    return {"jobSummaryList": [job_members(service.store.jobs.all[n]) for n in numbers[:size]], **following}


def _numbers(service: Service, queue: str, request: Members, before: int | None) -> Iterator[int]:
    """Submission numbers of the jobs wanted, newest first, from the one before `before` on."""
    jobs = service.store.jobs
    status = request.get("jobStatus")
    filters = request.get("filters", [])
    if not filters:
        return _descending(jobs.numbers(queue, "status", status or "RUNNING"), before)
    name, value = _only_filter(filters)
    if name == "QUOTA_SHARE_NAME":
        return _descending(jobs.numbers(queue, "share", value, *(("status", status) if status else ())), before)
    if name == "SHARE_IDENTIFIER":
        return iter(())
    if name == "JOB_NAME":
        if value.endswith("*"):
            return (n for n in jobs.names(queue, value[:-1].lower()) if before is None or n < before)
        return _descending(jobs.numbers(queue, "name", value.lower()), before)
    numbers, moment = jobs.numbers(queue), _moment(name, value)
    created = lambda n: jobs.all[n].created_at  # noqa: E731 - a key
    if name == "BEFORE_CREATED_AT":
        return _descending(numbers[: bisect_left(numbers, moment, key=created)], before)
    return _descending(numbers[bisect_right(numbers, moment, key=created) :], before)


def _descending(numbers: Sequence[int], before: int | None) -> Iterator[int]:
    end = len(numbers) if before is None else bisect_left(numbers, before)
    return (numbers[index] for index in range(end - 1, -1, -1))


def _only_filter(filters: list[Members]) -> tuple[str, str]:
    if len(filters) != 1:
        raise ClientException(f"filters may have 1 entry, got {len(filters)}")
    name, values = filters[0].get("name"), filters[0].get("values", [])
    if name not in FILTERS:
        raise ClientException(f"filters[0].name must be {' or '.join(FILTERS)}, got {name!r}")
    if len(values) != 1:
        raise ClientException(f"filters[0].values must have 1 entry, got {len(values)}")
    return name, values[0]


def _moment(name: str, value: str) -> int:
    if not (value.isascii() and value.isdecimal()):
        raise ClientException(f"{name} takes milliseconds since 1970 UTC, got {value!r}")
    return int(value)
