"""Bad input: one line on standard error that says what to change, exit code 2, nothing on standard output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from assembly_support import guard, proposal, raw_queue, raw_share, template, write_assembly
from botocore.exceptions import EndpointConnectionError
from botocore.parsers import ResponseParserError
from cli_support import TYPE, share, walkthrough

from quota_constructs.cli.failure import one_line
from quota_live.errors import NoQuotaManagementError

if TYPE_CHECKING:
    from cli_support import Cli

STATE: dict[str, Any] = {
    "no such file": (None, "cannot read state.json: no such file or directory"),
    "not JSON": ("{", "state.json is no queue state:"),
    "a list": ("[]", "state.json is no queue state: $:"),
    "of the future": ({**walkthrough(), "version": 7}, "$.version: must be 1, got 7"),
    "an unknown member": ({**walkthrough(), "extra": 1}, "$.extra"),
    "several problems at once": (
        {**walkthrough(), "at": "today", "environment": {TYPE: -1}},
        "$.at: ",
    ),
}


@pytest.mark.parametrize(("content", "want"), STATE.values(), ids=STATE)
def test_fails_for_a_state_that_is_none(cli: Cli, content: object, want: str) -> None:
    if content is not None:
        cli.write("state.json", content)
    outcome = cli("assess", "state.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("batch-quota: ")
    assert want in outcome.err
    assert outcome.err.count("\n") == 1


def test_all_problems_of_a_state_come_at_once(cli: Cli) -> None:
    cli.write("state.json", {**walkthrough(), "at": "today", "environment": {TYPE: -1}})
    error = cli("assess", "state.json").err
    assert "$.at: " in error
    assert "$.environment" in error


CHANGE: dict[str, Any] = {
    "no such file": (None, "cannot read change.json"),
    "not JSON": ("shares: {}", "change.json is no change of this queue: "),
    "removal of an unknown share": ({"shares": {"QS11": None}}, "there is no share of this name to remove"),
    "an unknown share, not complete": ({"shares": {"QS11": {"limits": {TYPE: 1}}}}, "a new share needs strategy"),
    "an unknown member": ({"shares": {"QS1": {"limit": {TYPE: 1}}}}, "limits"),
}


@pytest.mark.parametrize(("content", "want"), CHANGE.values(), ids=CHANGE)
def test_fails_for_a_change_that_is_none(cli: Cli, content: object, want: str) -> None:
    cli.write("state.json", walkthrough())
    if content is not None:
        cli.write("change.json", content)
    outcome = cli("assess", "state.json", "--change", "change.json")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert want in outcome.err


USAGE = {
    "an unknown command": (("asess",), "there is no command asess; did you mean assess?"),
    "a command like none": (("xyz",), "there is no command xyz; commands are plan, assess,"),
    "an unknown option": (
        ("assess", "state.json", "--chnge", "x"),
        "there is no option --chnge; did you mean --change? (see",
    ),
    "a missing argument": (("assess",), "missing argument 'STATE'"),
    "an unknown format": (("assess", "state.json", "--format", "yaml"), "'yaml' is not one of"),
    "an unknown level": (("assess", "state.json", "--fail-on", "risky"), "'risky' is not one of"),
    "an unknown knob": (("assess", "state.json", "--knob", "allow_mixt=false"), "allow_mixt"),
    "a knob with an unknown value": (("assess", "state.json", "--knob", "allow_mixed=maybe"), "allow_mixed is one of"),
    "both from standard input": (("assess", "-", "--change", "-"), "cannot both be read from standard input"),
    "neither job nor submission": (("explain", "state.json"), "give either --job ID or --submit MEMBERS"),
    "both job and submission": (("explain", "state.json", "--job", "a", "--submit", "b"), "give either --job"),
    "an empty job": (("explain", "state.json", "--job", ""), "--job is empty"),
    "an unknown job": (("explain", "state.json", "--job", "lov"), "the queue has no job lov; did you mean low?"),
    "a job that runs": (("explain", "state.json", "--job", "high"), "does not wait, its status is RUNNING"),
    "an unknown share": (
        ("explain", "state.json", "--submit", f"share=QS4,uses={TYPE}:1"),
        "there is no share QS4; did you mean QS",
    ),
    "a submission without an amount": (
        ("explain", "state.json", "--submit", f"share=QS1,uses={TYPE}"),
        "uses is TYPE:COUNT with a whole number from 1",
    ),
    "a submission with a typo": (
        ("explain", "state.json", "--submit", "sahre=QS1"),
        "sahre=QS1 is none of share, uses, priority, name with =VALUE, did you mean share?",
    ),
    "a priority that is no number": (
        ("explain", "state.json", "--submit", f"share=QS1,uses={TYPE}:1,priority=high"),
        "priority is a whole number from 0 to 9999, got high",
    ),
    "an unknown rule": (("rules", "QS99"), "there is no rule QS99; did you mean QS0"),
    "a rule like none": (("rules", "xyz"), "there is no rule xyz; they are QS001 to QS0"),
    "a server without policies that is to enforce them": (
        ("local", "--batch-only", "--enforce-iam"),
        "leave out --batch-only",
    ),
    "watching into a file": (("status", "state.json", "--watch", "-o", "x"), "--watch is for the terminal"),
    "watching standard input": (("status", "-", "--watch"), "standard input can be read only once"),
    "a change set without a stack": (("plan", "--change-set", "x"), "--change-set needs one --stack"),
    "a parameter without a value": (("plan", "--parameter", "Cap"), "--parameter is NAME=VALUE or STACK:NAME=VALUE"),
}


@pytest.mark.parametrize(("arguments", "want"), USAGE.values(), ids=USAGE)
def test_fails_for_wrong_usage(cli: Cli, arguments: tuple[str, ...], want: str) -> None:
    cli.write("state.json", walkthrough())
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"QS1": 1})))})
    outcome = cli(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert want in outcome.err


def test_fails_without_an_assembly(cli: Cli) -> None:
    outcome = cli("plan", "--state", cli.write("state.json", walkthrough()))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "batch-quota: no cloud assembly in cdk.out, there is no manifest.json; run `cdk synth` first\n"
    )


def test_fails_for_a_newer_assembly(cli: Cli) -> None:
    folder = write_assembly(cli.folder / "cdk.out", {"Demo": template({})})
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": "99.0.0"}))
    outcome = cli("plan", "--state", cli.write("state.json", walkthrough()))
    assert outcome.code == 2
    assert "assembly schema 99.0.0, this release reads up to 55; update quota-constructs" in outcome.err


def test_fails_for_an_unknown_stack(cli: Cli) -> None:
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"QS1": 1})))})
    outcome = cli("plan", "--stack", "Demp", "--state", cli.write("state.json", walkthrough()))
    assert (outcome.code, outcome.err) == (2, "batch-quota: cdk.out has no stack Demp; did you mean Demo?\n")


def test_fails_where_an_amount_is_not_known(cli: Cli) -> None:
    body = template({**raw_queue({"Ref": "Cap"}), "A": raw_share("A")}, Parameters={"Cap": {"Type": "Number"}})
    write_assembly(cli.folder / "cdk.out", {"Demo": body})
    state = cli.write("state.json", {**walkthrough(), "shares": {"A": share(1)}, "jobs": []})
    outcome = cli("plan", "--state", state)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "cannot tell what is deployed: " in outcome.err
    assert "pass --parameter Cap=VALUE" in outcome.err
    assert cli("plan", "--state", state, "--parameter", "Cap=3").code == 0


def test_fails_where_a_file_cannot_be_written(cli: Cli) -> None:
    outcome = cli("rules", "-o", "nowhere/rules.txt")
    assert outcome.code == 2
    assert outcome.err.startswith("batch-quota: cannot write nowhere/rules.txt: ")


ACCOUNT = {
    "no credentials": (("--region", "eu-west-1"), {}, "no AWS credentials"),
    "no Region": ((), {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, "no AWS Region is set"),
    "an unknown profile": (("--profile", "nobody"), {}, "The config profile (nobody) could not be found"),
}


@pytest.mark.parametrize(("options", "environment", "want"), ACCOUNT.values(), ids=ACCOUNT)
def test_fails_where_the_account_cannot_be_asked(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], environment: dict[str, str], want: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    outcome = cli("status", "ml-training", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert want in outcome.err
    assert outcome.err.count("\n") == 1


def test_an_endpoint_that_does_not_answer_is_named() -> None:
    error = EndpointConnectionError(endpoint_url="http://127.0.0.1:9/")
    assert one_line(error) == (
        'Could not connect to the endpoint URL: "http://127.0.0.1:9/"; check --region and --endpoint-url'
    )


def test_an_endpoint_that_is_no_such_service_is_not_our_defect() -> None:
    assert "check --endpoint-url" in (one_line(ResponseParserError("not well-formed")) or "")


def test_a_queue_without_quota_management_is_not_our_defect() -> None:
    error = NoQuotaManagementError("DescribeJobQueues", "batch", "NoQuotaManagement", "job queue q has no such thing")
    assert one_line(error) == "job queue q has no such thing"


def test_a_defect_of_ours_has_no_line_of_its_own() -> None:
    assert one_line(KeyError("x")) is None


def test_a_defect_of_ours_is_told_in_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: str) -> bytes:
        raise KeyError(source)

    monkeypatch.setattr("quota_constructs.cli.sources.read_bytes", fail)
    outcome = cli("assess", "x.json")
    assert (outcome.code, outcome.err) == (
        2,
        "batch-quota: unexpected KeyError: 'x.json'; please report what --debug prints\n",
    )


def test_debug_shows_where_it_failed(cli: Cli) -> None:
    outcome = cli("--debug", "assess", "nowhere.json")
    assert "Traceback (most recent call last)" in outcome.err
    assert outcome.err.splitlines()[-1].startswith("batch-quota: cannot read nowhere.json")
    assert "Traceback" in cli("assess", "nowhere.json", "--debug").err
