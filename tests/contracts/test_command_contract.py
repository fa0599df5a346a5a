"""The command line as people script against it: exit codes, streams, formats, options and what a failure looks like."""

from __future__ import annotations

import io
import json

import pytest
from assembly_support import guard, proposal, template, write_assembly
from contract_support import G5, full_state, small_queue

from quota_constructs.cli.output import json_text
from quota_scheduler import assess, parse_change, parse_knobs, parse_state

LEVELS = ("safe", "notice", "at_risk", "disruptive", "destructive", "invalid")


GRANT = {"shares": {"a": {"limits": {G5: 2}}, "b": {"limits": {G5: 2}}}}
VERDICTS = {
    "safe": (small_queue(0), {}),
    "notice": (full_state(), {}),
    "at_risk": (small_queue(0), {"shares": {"a": {"limits": {G5: 2}}}}),
    "disruptive": (small_queue(), GRANT),
    "destructive": (small_queue(), {"shares": {"a": None}}),
    "invalid": (small_queue(), {"shares": {"a": {"limits": {G5: 4}}}}),
}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_exit_code_of_each_verdict_at_each_level(cli, verdict):
    """1 at the level or above it, 0 below; the default level is at_risk."""
    state, change = VERDICTS[verdict]
    arguments = ("assess", cli.write("s.json", state), "--change", cli.write("c.json", change), "--format", "json")
    assert cli(*arguments).json()["verdict"] == verdict
    assert cli(*arguments).code == int(LEVELS.index(verdict) >= LEVELS.index("at_risk"))
    for level in LEVELS:
        outcome = cli(*arguments, "--fail-on", level)
        assert (outcome.code, outcome.err) == (int(LEVELS.index(verdict) >= LEVELS.index(level)), ""), level


@pytest.mark.parametrize("verdict", VERDICTS)
def test_plan_has_the_same_levels(cli, verdict):
    """A plan of several stacks: version, the worst verdict, and stack, queue and assessment of each."""
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"a": 2, "b": 2}, environment=4)))})
    arguments = ("plan", "--state", cli.write("s.json", small_queue()), "--format", "json")
    document = cli(*arguments, "--fail-on", "invalid").json()
    assert (set(document), document["version"], document["verdict"]) == (
        {"version", "verdict", "plans"},
        1,
        "disruptive",
    )
    assert [set(plan) for plan in document["plans"]] == [{"stack", "queue", "assessment"}]
    assert document["plans"][0]["stack"] == "Demo"
    assert document["plans"][0]["assessment"]["verdict"] == "disruptive"
    assert cli(*arguments, "--fail-on", verdict).code == int(LEVELS.index("disruptive") >= LEVELS.index(verdict))


def test_json_is_what_the_model_says(cli):
    state = parse_state(full_state())
    change = {"shares": {"research": {"limits": {G5: 1}}}}
    outcome = cli("assess", "full.json", "--change", cli.write("c.json", change), "--format", "json")
    assert outcome.json() == json.loads(json.dumps(assess(state, parse_change(change, state)).to_dict()))
    assert (outcome.err, outcome.out[-2:]) == ("", "}\n")


FORMATS = {
    ("assess", "state.json"): ("text", "json", "markdown", "html"),
    ("plan", "--state", "state.json"): ("text", "json", "markdown", "html"),
    ("explain", "state.json", "--job", "w0"): ("text", "json", "markdown"),
    ("status", "state.json"): ("text", "json"),
    ("rules",): ("text", "json", "markdown"),
}


@pytest.mark.parametrize("command", FORMATS, ids=" ".join)
def test_formats_and_files(cli, command):
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"a": 3, "b": 1}, environment=4)))})
    assert cli(*command).out == cli(*command, "--format", "text").out
    for layout in FORMATS[command]:
        printed = cli(*command, "--format", layout)
        written = cli(*command, "--format", layout, "-o", "result")
        assert (printed.code, printed.err, written.code, written.out, written.err) == (0, "", 0, "", "")
        assert (cli.folder / "result").read_text(encoding="utf-8") == printed.out
        assert cli(*command, "--format", layout, "-o", "-").out == printed.out
        if layout == "json":
            assert printed.json()["version"] == 1
    refused = cli(*command, "--format", "yaml")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)


TOKENS = {
    "victim_pool": "any|borrowed|newest",
    "reclaim_scope": "whole_job|headroom",
    "preemptor_must_fit_limit": "true|false",
    "allow_mixed": "true|false",
    "order_of_remedies": "reclaim_first|in_share_first",
    "in_share_while_borrowing": "true|false",
    "minimality": "minimal|any",
    "surplus_borrowable": "false|true",
    "reserve_floor": "all|borrowers",
    "borrow_rounding": "floor|ceil|nearest",
    "borrow_unlisted_type": "false|true",
    "reduction_mode": "on_demand|eager",
    "reduction_trigger_own": "in_share|any",
    "env_reduction": "drain|eager",
    "hold_idle_for_blocked_owner": "false|true",
    "head_blocking": "strict|backfill",
    "fifo_key": "created_at|earliest_at_position|share_order",
    "fifo_blocking": "skip|block",
    "requeue_time": "created_at|preempted_at",
}


@pytest.mark.parametrize("knob", TOKENS)
def test_every_token_of_every_knob(cli, knob):
    """The first is the default."""
    assess_all = ("assess", "full.json", "--format", "json", "--fail-on", "invalid")
    default = cli(*assess_all)
    for position, token in enumerate(TOKENS[knob].split("|")):
        outcome = cli(*assess_all, "--knob", f"{knob}={token}")
        assert (outcome.code, outcome.err) == (0, "")
        if position == 0:
            assert outcome.out == default.out
        for command in (("explain", "full.json", "--job", "v1"), ("status", "full.json")):
            assert (cli(*command, "--knob", f"{knob}={token}").code, token) == (0, token)
    refused = cli(*assess_all, "--knob", f"{knob}=sometimes")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert f"knob {knob} is one of {TOKENS[knob].replace('|', ', ')}" in refused.err
    first = parse_knobs([])
    assert parse_knobs([f"{knob}={TOKENS[knob].split('|')[0]}"]) == first


def test_several_knobs_and_all_their_problems(cli):
    outcome = cli("assess", "state.json", "--knob", "allow_mixt=true", "--knob", "head_blocking=no", "--knob", "x")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert all(part in outcome.err for part in ("allow_mixt", "allow_mixed", "head_blocking is one of", "got x"))
    assert cli("assess", "state.json", "--knob", "allow_mixed=false", "--knob", "fifo_blocking=block").code == 0


@pytest.mark.parametrize("command", [("assess", "-"), ("explain", "-", "--job", "w0"), ("status", "-")], ids=" ".join)
def test_the_state_may_be_standard_input(cli, monkeypatch, command):
    want = cli(command[0], "state.json", *command[2:]).out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(small_queue()).encode())))
    assert cli(*command).out == want


def test_the_change_may_be_standard_input(cli, monkeypatch):
    want = cli("assess", "state.json", "--change", cli.write("c.json", GRANT))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GRANT).encode())))
    assert cli("assess", "state.json", "--change", "-").out == want.out


def test_a_submission_is_explained(cli):
    outcome = cli("explain", "state.json", "--submit", f"share=a,uses={G5}:4,priority=5", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    assert {name: outcome.json()[name] for name in ("outcome", "reason", "needs")} == {
        "outcome": "never_fits",
        "reason": "limit",
        "needs": {},
    }
    room = cli.write("room.json", {**small_queue(0), "jobs": []})
    starts = cli("explain", room, "--submit", f"uses={G5}:3, share=a", "--format", "json").json()
    assert (starts["outcome"], starts["reason"], starts["borrowing"]) == ("dispatch", "within_limit", 0)


def test_json_text_is_the_document():
    document = assess(parse_state(full_state())).to_dict()
    assert json.loads(json_text(document)) == json.loads(json.dumps(document))
