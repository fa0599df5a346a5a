"""The published schemas and the readers agree, as far as a schema can say it."""

from __future__ import annotations

import copy

import pytest
from cli_support import problems_with
from contract_support import G5, full_change, full_state

from quota_scheduler import parse_state


def test_a_published_schema_takes_whatever_the_reader_takes():
    """Null where a member may be null, both ways to write UTC, and the bounds of the service."""
    state = full_state()
    state["at"] = "2026-11-29T12:00:00.123456+00:00"
    for name in ("queue", "region", "account", "time_limit_actions"):
        state[name] = None
    state["jobs"][0] |= dict.fromkeys(
        ("name", "priority", "created_at", "started_at", "preemption_retries_before_termination", "owner")
    )
    state["jobs"][0]["preempted_attempt_count"] = None
    parse_state(state)
    assert problems_with(state, "state") == []
    assert problems_with(full_change(), "change") == []


REFUSED_BY_BOTH = {
    "no version": (("version",), ...),
    "an empty name": (("queue",), ""),
    "no instance": (("jobs", 0, "uses"), {}),
    "zero instances": (("jobs", 0, "uses", G5), 0),
    "too many instances": (("environment", G5), 2**31),
    "a time of another zone": (("at",), "2026-11-29T12:00:00+01:00"),
    "a time without zone": (("at",), "2026-11-29T12:00:00"),
    "a negative time limit": (("time_limit_actions", 0, "max_time_seconds"), -1),
}


@pytest.mark.parametrize(("path", "value"), REFUSED_BY_BOTH.values(), ids=REFUSED_BY_BOTH)
def test_reader_and_schema_refuse_alike(path, value):
    state = copy.deepcopy(full_state())
    parent = state
    for step in path[:-1]:
        parent = parent[step]
    if value is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    assert problems_with(state, "state") != []
    with pytest.raises(ValueError, match=r"^\$"):
        parse_state(state)
