"""Reading jobs a member at a time gives what reading them one by one gives, or leaves them to that."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from builders import TYPE
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduler_support import examples, queues

from quota_scheduler import Share
from quota_scheduler.document import Problems
from quota_scheduler.job_columns import MEMBERS, read_columns
from quota_scheduler.job_document import JobReader
from quota_scheduler.state import job_to_dict

SHARES = {"a": Share("a", {TYPE: 4}, "LEND")}
JOB = {"id": "j", "share": "a", "uses": {TYPE: 1}, "status": "RUNNABLE"}


def one_by_one(jobs, shares):
    problems = Problems()
    read = JobReader(shares, problems)
    return tuple([read.job(job, index) for index, job in enumerate(jobs)]), problems


@given(queues())
@examples
def test_jobs_without_a_problem_are_read_alike(state):
    jobs = [job_to_dict(job) for job in state.jobs]
    columns = read_columns(jobs, state.shares)
    assert (columns, []) == one_by_one(jobs, state.shares)
    assert columns == state.jobs


VALUES = st.sampled_from(
    [
        *(None, True, 0, 1, -1, 2**31, 1.0, "", "a", "j", "RUNNING", "x" * 100, "\ud800", [], {}, ["a"]),
        *({TYPE: 1}, {TYPE: 0}, {TYPE: True}, {TYPE: 1.0}, {"": 1}, {TYPE: [1]}, MappingProxyType({TYPE: 1})),
        *("2026-11-29T12:00:00Z", "2026-02-30T12:00:00Z", "2026-11-29"),
    ]
)


@given(st.lists(st.dictionaries(st.sampled_from([*MEMBERS, "unknown"]), VALUES, max_size=4), min_size=1, max_size=4))
@settings(examples, max_examples=400)
def test_what_has_a_problem_is_left_to_the_closer_look(changes):
    jobs = [{**JOB, "id": f"j{index}", **change} for index, change in enumerate(changes)]
    columns = read_columns(jobs, SHARES)
    jobs_one_by_one, problems = one_by_one(jobs, SHARES)
    if problems:
        assert columns is None
    elif columns is not None:
        assert columns == jobs_one_by_one


@pytest.mark.parametrize("missing", ["id", "share", "uses", "status"])
def test_a_missing_member_is_left_to_the_closer_look(missing):
    assert read_columns([JOB, {name: value for name, value in JOB.items() if name != missing}], SHARES) is None


@pytest.mark.parametrize("job", [None, [], "j", MappingProxyType(JOB)], ids=repr)
def test_what_is_no_plain_object_is_left_to_the_closer_look(job):
    assert read_columns([JOB, job], SHARES) is None


def test_no_job_is_no_problem():
    assert read_columns([], SHARES) == ()
