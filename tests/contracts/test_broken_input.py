"""Input that a command cannot use: exit code 2, nothing on standard output, one line that says what to change."""

from __future__ import annotations

import json

import pytest
from assembly_support import guard, proposal, template, write_assembly
from contract_support import G5, full_state, small_queue

SUBMISSIONS = {
    "": "share=NAME is missing",
    "share": "share has no =VALUE",
    "share=nobody,uses=x:1": "there is no share nobody; the queue has a, b",
    f"share=a,share=b,uses={G5}:1": "share is given twice",
    f"share=a,uses={G5}:1,priority=1,priority=2": "priority is given twice",
    f"share=a,uses={G5}:1,uses={G5}:1": f"uses names {G5} twice",
    f"share=a,uses={G5}": "uses is TYPE:COUNT",
    f"share=a,uses={G5}:0": "uses is TYPE:COUNT",
    f"share=a,uses={G5}:-1": "uses is TYPE:COUNT",
    f"share=a,uses={G5}:1.5": "uses is TYPE:COUNT",
    f"share=a,uses={G5}:2147483648": "from 1 to 2147483647",
    f"share=a,uses={G5}:{'9' * 5000}": "from 1 to 2147483647",
    f"share=a,uses={G5}:²": "uses is TYPE:COUNT",
    "share=a": "uses=TYPE:COUNT is missing",
    f"share=a,uses={G5}:1,priority=10000": "from 0 to 9999, got 10000",
    f"share=a,uses={G5}:1,priority=-1": "from 0 to 9999, got -1",
    f"share=a,uses={G5}:1,priority={'9' * 5000}": "from 0 to 9999",
    f"share=a,uses={G5}:1,priority=": "from 0 to 9999, got nothing",
    f"share=a,uses={G5}:1,colour=red": "colour=red is none of",
}


@pytest.mark.parametrize("members", SUBMISSIONS, ids=lambda text: text[:40])
def test_a_submission_that_is_none(cli, members):
    outcome = cli("explain", "state.json", "--submit", members)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert SUBMISSIONS[members] in outcome.err


def test_a_submission_to_a_disabled_share(cli):
    state = small_queue()
    state["shares"]["a"]["state"] = "DISABLED"
    outcome = cli("explain", cli.write("s.json", state), "--submit", f"share=a,uses={G5}:1")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "batch-quota: --submit: share a is DISABLED and takes no new jobs; enable it first\n"


NO_DOCUMENT = {
    "nothing": "",
    "no JSON": "{",
    "a list": [],
    "null": "null",
    "of the future": {**full_state(), "version": 2},
    "nested without end": "[" * 1_000_000,
    "not a number": '{"version": NaN}',
    "a member twice": '{"version": 1, "version": 1}',
    "control characters": {**full_state(), "\x1b[2J\nname": 1, "at": "\x1b[31m"},
    "a name without end": {**full_state(), "x" * 100_000: 1},
    "many problems": {**full_state(), "jobs": [{"id": number} for number in range(2_000)]},
}


@pytest.mark.parametrize("content", NO_DOCUMENT.values(), ids=NO_DOCUMENT)
def test_a_file_that_is_no_document(cli, content):
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"a": 3, "b": 1}, environment=4)))})
    cli.write("bad.json", content)
    for command in (
        ("assess", "bad.json"),
        ("assess", "state.json", "--change", "bad.json"),
        ("explain", "bad.json", "--job", "w0"),
        ("status", "bad.json"),
        ("plan", "--state", "bad.json"),
    ):
        outcome = cli(*command, "--format", "json")
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1), command
        assert outcome.err.startswith("batch-quota: bad.json is no ")
        assert outcome.err.rstrip("\n").isprintable()
        assert len(outcome.err) < 5_000


def test_all_problems_of_a_file_are_told(cli):
    state = full_state()
    state["at"] = "noon"
    state["jobs"] = [{"id": f"j{number}", "share": "nobody", "uses": {}, "status": "GONE"} for number in range(5)]
    error = cli("assess", cli.write("bad.json", state)).err
    paths = [f"$.jobs[{number}].{name}: " for number in range(5) for name in ("share", "uses", "status")]
    assert [path for path in ["$.at: ", *paths] if path not in error] == []


@pytest.mark.parametrize(
    "place", ["nowhere.json", "no/such/file", "folder", "./", "", "a\0b.json", "x" * 5_000 + ".json"]
)
def test_a_file_that_cannot_be_read(cli, place):
    (cli.folder / "folder").mkdir()
    for command in (("assess", place if place != "folder" else "folder/"), ("assess", "state.json", "--change", place)):
        outcome = cli(*command)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert outcome.err.rstrip("\n").isprintable()
        assert "unexpected" not in outcome.err


@pytest.mark.parametrize("place", ["folder", "no/such/file", "", "a\0b"])
def test_a_file_that_cannot_be_written(cli, place):
    (cli.folder / "folder").mkdir()
    outcome = cli("assess", "state.json", "-o", place)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("batch-quota: cannot write ")


def test_what_a_link_leads_to_is_written(cli):
    (cli.folder / "link.json").symlink_to("target.json")
    assert cli("assess", "state.json", "--format", "json", "-o", "link.json").code == 0
    assert (cli.folder / "link.json").is_symlink()
    assert json.loads((cli.folder / "target.json").read_text())["version"] == 1


USAGE = {
    "an empty queue": ("status", ""),
    "an empty queue to save": ("snapshot", " "),
    "no number of seconds": ("status", "state.json", "--watch", "--interval", "nan"),
    "seconds without end": ("status", "state.json", "--watch", "--interval", "inf"),
    "no rule": ("rules", "\x1b[31m"),
    "two states": ("assess", "state.json", "full.json"),
    "a level in capitals": ("assess", "state.json", "--fail-on", "AT_RISK"),
    "a delay without end": ("assess", "state.json", "--knob", f"preemption_delay={'9' * 5000}"),
    "a port that is none": ("local", "--port", "65536"),
    "no live queue without an account": ("assess", "ml-training"),
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_wrong_usage_is_one_line(cli, arguments):
    outcome = cli(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.rstrip("\n").isprintable()
    assert "unexpected " not in outcome.err.replace("unexpected extra argument", "")
