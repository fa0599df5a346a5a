"""The queue state format: members, defaults, null, times; what cannot be is refused with its JSON path."""

from __future__ import annotations

import json

import pytest
from contract_support import AT, G5, Json, at_path, changed, full_state, json_path, paths_of, without

from quota_scheduler import DocumentError, assess, parse_state
from quota_scheduler.timestamp import parse_timestamp


def problems_of(document: object) -> dict[str, str]:
    with pytest.raises(DocumentError) as caught:
        parse_state(document)  # type: ignore[arg-type]  # anything can come
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    return {problem.path: problem.message for problem in caught.value.problems}


REQUIRED = [
    ("version",),
    ("at",),
    ("environment",),
    ("shares",),
    ("jobs",),
    ("shares", "vision", "limits"),
    ("shares", "vision", "strategy"),
    ("time_limit_actions", 0, "reason"),
    ("time_limit_actions", 0, "max_time_seconds"),
    ("time_limit_actions", 0, "action"),
    ("jobs", 0, "id"),
    ("jobs", 0, "share"),
    ("jobs", 0, "uses"),
    ("jobs", 0, "status"),
]


@pytest.mark.parametrize("path", REQUIRED, ids=json_path)
def test_a_required_member_is_missed(path):
    found = problems_of(without(full_state(), path))
    assert found == {json_path(path[:-1]): f"member {path[-1]} is missing"}


OPTIONAL = [
    path
    for path in paths_of(full_state())
    if path and isinstance(path[-1], str) and path not in REQUIRED and path[0] != "environment" and G5 not in path
    if path not in [("shares", "research", "limits"), ("shares", "research", "strategy")]
    if path[:2] != ("jobs", 1) and path[-1] not in ("research", "vision", "ml.p4d.24xlarge")
]


@pytest.mark.parametrize("path", OPTIONAL, ids=json_path)
def test_everything_else_is_optional(path):
    state = parse_state(without(full_state(), path))
    assert parse_state(json.dumps(state.to_dict())) == state


def test_what_is_left_out_has_the_defaults_of_the_service():
    bare = full_state()
    bare["shares"] = {
        "lends": {"limits": {G5: 2}, "strategy": "LEND"},
        "borrows": {"limits": {G5: 2}, "strategy": "LEND_AND_BORROW"},
    }
    bare["jobs"] = [{"id": "j", "share": "lends", "uses": {G5: 1}, "status": "RUNNING"}]
    explicit = full_state()
    explicit["shares"] = {
        "lends": {"limits": {G5: 2}, "strategy": "LEND", "in_share_preemption": False, "state": "ENABLED"},
        "borrows": {
            "limits": {G5: 2},
            "strategy": "LEND_AND_BORROW",
            "borrow_limit_percent": -1,
            "in_share_preemption": False,
            "state": "ENABLED",
        },
    }
    names = ("name", "priority", "created_at", "scheduled_at", "started_at", "checkpointed_at", "expected_end")
    names += ("stopping_for", "preemption_retries_before_termination", "owner")
    explicit["jobs"] = [{**bare["jobs"][0], **dict.fromkeys(names), "preempted_attempt_count": 0}]
    assert parse_state(bare) == parse_state(explicit)


def test_no_borrowing_stays_no_borrowing():
    """0 means none, not unlimited."""
    none = changed(full_state(), ("shares", "research", "borrow_limit_percent"), 0)
    assert parse_state(none).to_dict()["shares"]["research"]["borrow_limit_percent"] == 0
    assert assess(parse_state(none)).to_dict()["shares"]["research"][G5]["borrow_cap_after"] == 2


OBJECTS = [path for path in paths_of(full_state()) if isinstance(at_path(full_state(), path), dict)]
NAMED = [path for path in OBJECTS if path[-1:] not in [("environment",), ("shares",), ("limits",), ("uses",)]]


@pytest.mark.parametrize("path", NAMED, ids=json_path)
def test_an_unknown_member_is_refused_with_its_path(path):
    found = problems_of(changed(full_state(), (*path, "colour"), "red"))
    assert list(found) == [json_path((*path, "colour"))]
    assert found[json_path((*path, "colour"))].startswith("unknown member; known are ")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        (("jobs", 0, "uzes"), "uses"),
        (("shares", "vision", "borrow_limit"), "borrow_limit_percent"),
        (("shars",), "shares"),
    ],
)
def test_a_near_miss_is_suggested(wrong, meant):
    assert f"did you mean {meant}?" in problems_of(changed(full_state(), wrong, {}))[json_path(wrong)]


@pytest.mark.parametrize("path", OBJECTS, ids=json_path)
def test_a_member_that_is_there_twice_is_refused(path):
    """A JSON reader that keeps the last one would drop a member silently."""
    document = full_state()
    name, value = next(iter(at_path(document, path).items()))
    mark = "@twice@"
    at_path(document, path)[mark] = 0
    text = json.dumps(document).replace(f'"{mark}": 0', f"{json.dumps(name)}: {json.dumps(value)}")
    assert problems_of(text) == {json_path((*path, name)): "given more than once"}


WHOLE = [0.5, 1.0, float("nan"), float("inf"), True, "1", [], {}, None, 10**40, -(10**40), 2**31]
"""No whole number that the service could take."""
TEXT = [0, True, [], {}, "", "\ud800"]
OBJECT = [None, True, 0, "x", []]
LIST = [True, 0, "x", {}]
TIME = [
    *[
        0,
        True,
        [],
        {},
        "",
        "now",
        "2026-11-29",
        "2026-11-29T12:00:00",
        "2026-11-29T12:00:00+01:00",
        "2026-11-29 12:00:00Z",
    ],
    *[
        "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-11-29T24:00:00Z",
        "2026-11-29T12:60:00Z",
    ],
    *["2026-11-29T12:00:60Z", "2026-11-29T12:00:00.Z", "2026-11-29T12:00:00.1.2Z", "\uff12026-11-29T12:00:00Z"],
]
JOB = ("jobs", 0)
WRONG: dict[tuple[str | int, ...], list[Json]] = {
    (): [None, True, 0, "x", []],
    ("version",): [0, 2, "1", 1.0, True, None, [], {}],
    ("at",): [None, *TIME],
    ("queue",): TEXT,
    ("region",): TEXT,
    ("account",): [111122223333, *TEXT],
    ("environment",): OBJECT,
    ("environment", G5): [-1, *WHOLE],
    ("shares",): OBJECT,
    ("shares", "research"): OBJECT,
    ("shares", "research", "limits"): OBJECT,
    ("shares", "research", "limits", G5): [-1, *WHOLE],
    ("shares", "research", "strategy"): [None, True, 0, "", "lend", "BORROW", [], {}],
    ("shares", "research", "borrow_limit_percent"): [-2, *WHOLE],
    ("shares", "research", "in_share_preemption"): [None, 0, 1, "true", [], {}],
    ("shares", "research", "state"): [None, True, "enabled", "", [], {}],
    ("time_limit_actions",): LIST,
    ("time_limit_actions", 0): OBJECT,
    ("time_limit_actions", 0, "reason"): [None, *TEXT],
    ("time_limit_actions", 0, "max_time_seconds"): [-1, *WHOLE],
    ("time_limit_actions", 0, "action"): [None, *TEXT],
    ("jobs",): [None, *LIST],
    JOB: OBJECT,
    (*JOB, "id"): [None, *TEXT],
    (*JOB, "name"): TEXT,
    (*JOB, "share"): [None, "nobody", "Research", *TEXT],
    (*JOB, "uses"): [*OBJECT, {}],
    (*JOB, "uses", G5): [0, -1, *WHOLE],
    (*JOB, "priority"): [value for value in WHOLE if value is not None],
    (*JOB, "status"): [None, True, 0, "", "running", "DONE", [], {}],
    **{(*JOB, name): TIME for name in ("created_at", "scheduled_at", "started_at", "checkpointed_at", "expected_end")},
    (*JOB, "stopping_for"): ["r1", *TEXT],
    (*JOB, "preemption_retries_before_termination"): [-1, *[value for value in WHOLE if value is not None]],
    (*JOB, "preempted_attempt_count"): [-1, *[value for value in WHOLE if value is not None]],
    (*JOB, "owner"): TEXT,
}


@pytest.mark.parametrize("path", WRONG, ids=json_path)
def test_a_wrong_value_is_refused_at_its_path(path):
    for value in WRONG[path]:
        assert json_path(path) in problems_of(changed(full_state(), path, value)), value


def test_every_place_has_wrong_values_or_is_a_name():
    places = {path for path in paths_of(full_state()) if path[:2] != ("jobs", 1)}
    names = {
        ("shares", "vision"),
        ("environment", "ml.p4d.24xlarge"),
        ("shares", "research", "limits", "ml.p4d.24xlarge"),
    }
    assert {path for path in places if path[:2] != ("shares", "vision")} - set(WRONG) <= names


def test_all_problems_of_a_file_come_at_once():
    document = full_state()
    document["version"] = 2
    document["at"] = "noon"
    document["environment"][G5] = -1
    document["shares"]["vision"]["strategy"] = "GIVE"
    document["jobs"][0]["share"] = "nobody"
    document["jobs"][1]["id"] = "r1"
    document["jobs"].append(7)
    assert list(problems_of(document)) == [
        "$.version",
        "$.at",
        f'$.environment["{G5}"]',
        "$.shares.vision.strategy",
        "$.jobs[0].share",
        "$.jobs[1].id",
        "$.jobs[2]",
    ]


TIMES = {
    "2026-11-29T12:00:00Z": AT,
    "2026-11-29T12:00:00+00:00": AT,
    "2026-11-29T12:00:00.25Z": "2026-11-29T12:00:00.250Z",
    "2026-11-29T12:00:00.123456+00:00": "2026-11-29T12:00:00.123Z",
    "2024-02-29T23:59:59.999999Z": "2024-02-29T23:59:59.999Z",
    "1969-12-31T23:59:59Z": "1969-12-31T23:59:59Z",
}


@pytest.mark.parametrize(("given", "written"), TIMES.items())
def test_times_are_iso_8601_in_utc(given, written):
    state = parse_state(changed(full_state(), ("at",), given))
    assert state.to_dict()["at"] == written
    assert state.at == parse_timestamp(written)


def test_a_state_is_written_as_it_was_read():
    document = full_state()
    written = parse_state(document).to_dict()
    document["jobs"][0].pop("stopping_for")
    document["shares"]["vision"] |= {"in_share_preemption": False, "state": "ENABLED"}
    assert written == document
    assert set(written) == {
        "version", "at", "queue", "region", "account", "environment", "shares", "time_limit_actions", "jobs"
    }  # fmt: skip


NO_JSON = {
    "nothing": b"",
    "space": b" \n\t",
    "half": b'{"version": 1',
    "two": b"{} {}",
    "single quotes": b"{'version': 1}",
    "UTF-16": json.dumps(full_state()).encode("utf-16"),
    "Latin-1": '{"é": 1}'.encode("latin-1"),
    "zero bytes": b"\0" * 16,
    "a number without end": b'{"version": ' + b"9" * 5_000 + b"}",
    "10 MB of nesting": b'{"jobs": [' + b"[" * 10_000_000,
    "nesting that is closed": b'{"shares": {"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}",
    "objects in objects": b'{"jobs":' * 100_000,
}


@pytest.mark.parametrize("content", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_one_problem(content):
    assert len(problems_of(content)) == 1


def test_a_byte_order_mark_does_not_matter():
    assert parse_state(b"\xef\xbb\xbf" + json.dumps(full_state()).encode()) == parse_state(full_state())


def test_the_nesting_is_named():
    assert list(problems_of(b'{"version": 1, "jobs": [1, ' + b"[" * 100_000)) == ["$.jobs[1][0][0]"]


@pytest.mark.parametrize("name", ["__proto__", "<script>", "a.b", "ü", "a b", "x" * 300, "null", '"', "a\nb"])
def test_names_are_only_names(name):
    document = full_state()
    document["shares"][name] = document["shares"].pop("research")
    document["jobs"][0] |= {"share": name, "id": name, "name": name, "owner": name}
    state = parse_state(json.dumps(document))
    del document["jobs"][0]["stopping_for"]
    assert state.to_dict()["jobs"][0] == document["jobs"][0]
    assert list(assess(state).to_dict()["shares"]) == sorted(document["shares"])
