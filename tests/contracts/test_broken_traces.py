"""A trace of any content is played or refused in one line; nothing of it is dropped silently."""

from __future__ import annotations

import copy
import json

import pytest
from contract_support import G5, full_state

ARRIVAL = {"id": "n1", "share": "vision", "uses": {G5: 1}, "created_at": "2026-11-29T13:00:00Z", "run_seconds": 60}


def trace(**members):
    whole = {"version": 1, "state": full_state(), "run_seconds": {"r1": 3600}, "arrivals": [copy.deepcopy(ARRIVAL)]}
    return whole | members


def arrival(**members):
    return trace(arrivals=[{**ARRIVAL, **members}])


REFUSED = {
    "a member too many": (trace(colour=1), "$.colour: unknown member"),
    "another version": (trace(version=2), "$.version: must be 1, got 2"),
    "a version that is no whole number": (trace(version=1.0), "$.version: must be 1, got 1.0"),
    "a state that is none": (trace(state=[]), "$.state: must be an object"),
    "a state with a problem": (trace(state={**full_state(), "at": "$"}), "$.state.at: time must be ISO 8601 in UTC"),
    "run times that are none": (trace(run_seconds=[]), "$.run_seconds: must be an object"),
    "no time to run": (trace(run_seconds={"r1": 0}), "$.run_seconds.r1: must be 1 to 2147483647, got 0"),
    "a time without end": (
        trace(run_seconds={"r1": 10**40}),
        "$.run_seconds.r1: must be 1 to 2147483647, got a number",
    ),
    "half a second": (trace(run_seconds={"r1": 0.5}), "$.run_seconds.r1: must be a whole number, got 0.5"),
    "the time of a job with dots": (trace(run_seconds={"r.1": 0}), '$.run_seconds["r.1"]: must be 1 to '),
    "the time of a job without id": (trace(run_seconds={"": 1}), '$.run_seconds[""]: must not be empty'),
    "the time of a job that is not there": (trace(run_seconds={"r2": 1}), "$.run_seconds.r2: there is no such job"),
    "arrivals that are none": (trace(arrivals={}), "$.arrivals: must be a list of jobs, got an object"),
    "an arrival that is no job": (trace(arrivals=[ARRIVAL, 1]), "$.arrivals[1]: must be an object, got 1"),
    "an arrival twice": (
        trace(arrivals=[ARRIVAL, ARRIVAL]),
        '$.arrivals[1].id: job "n1" is there twice; the first is $.arrivals[0]',
    ),
    "an arrival that is there": (arrival(id="r1"), '$.arrivals[0].id: job "r1" is in the state already'),
    "an arrival with two run times": (
        trace(run_seconds={"n1": 1}),
        "$.arrivals[0].run_seconds: $.run_seconds.n1 says how long it runs, too",
    ),
    "an arrival with an unknown member": (arrival(colour=1), "$.arrivals[0].colour: unknown member"),
    "an arrival that runs for no time": (arrival(run_seconds=0), "$.arrivals[0].run_seconds: must be 1 to "),
    "an arrival that runs": (arrival(status="RUNNING"), "$.arrivals[0].status: a job to come is RUNNABLE"),
    "an arrival without time": (arrival(created_at=None), "$.arrivals[0].created_at: is missing"),
    "an arrival of an unknown share": (arrival(share="nobody"), "$.arrivals[0].share: must be one of the shares"),
    "a member twice": (json.dumps(full_state())[:-1] + ', "at": "2026-11-29T12:00:00Z"}', "$.at: given more than once"),
    "a run time twice": (
        json.dumps(trace()).replace('{"r1": 3600}', '{"r1": 3600, "r1": 1}'),
        "$.run_seconds.r1: given more than once",
    ),
    "nothing": ("", "$: not JSON"),
    "nesting without end": ('{"state": ' + "[" * 100_000, "$.state[0][0][0]: nested deeper than 100 levels"),
}


@pytest.mark.parametrize(("content", "want"), REFUSED.values(), ids=REFUSED)
def test_a_trace_that_is_none(cli, content, want):
    outcome = cli("simulate", cli.write("trace.json", content))
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert want in outcome.err


def test_all_problems_of_a_trace_come_at_once(cli):
    arrivals = [{**ARRIVAL, "id": "r1", "uses": {}}]
    content = trace(version=2, colour=1, run_seconds={"r1": 0, "r9": 1}, arrivals=arrivals)
    error = cli("simulate", cli.write("trace.json", content)).err
    paths = (
        "$.version",
        "$.colour",
        "$.run_seconds.r1",
        "$.run_seconds.r9",
        "$.arrivals[0].id",
        "$.arrivals[0].uses",
    )
    assert [path for path in paths if f"{path}: " not in error] == []


def test_problems_of_the_state_come_with_the_others(cli):
    content = trace(state={**full_state(), "at": "$"}, run_seconds={"r1": 0}, arrivals=[{**ARRIVAL, "uses": {}}])
    error = cli("simulate", cli.write("trace.json", content)).err
    paths = ("$.state.at", "$.run_seconds.r1", "$.arrivals[0].uses")
    assert [path for path in paths if f"{path}: " not in error] == []


def test_very_many_problems_are_counted(cli):
    error = cli("simulate", cli.write("trace.json", trace(arrivals=[1] * 40))).err
    assert (error.count("$.arrivals["), error.endswith("; and 15 more problems\n")) == (25, True)


def test_a_trace_is_played(cli):
    outcome = cli("simulate", cli.write("trace.json", trace()), "--format", "json")
    assert (outcome.code, outcome.err, outcome.json()["version"]) == (0, "", 1)


USAGE = [
    *(("--until", text) for text in ("x", "", "h", "9" * 5_000 + "h", "٣h", "2020-01-01T00:00:00Z")),
    *(("--run-hours", text) for text in ("nan", "inf", "0", "-1", "x")),
    ("--change", "nowhere.json"),
    ("--format", "html"),
]


@pytest.mark.parametrize("arguments", USAGE, ids=lambda arguments: " ".join(arguments)[:30])
def test_wrong_usage_is_one_line(cli, arguments):
    outcome = cli("simulate", "full.json", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "unexpected" not in outcome.err
