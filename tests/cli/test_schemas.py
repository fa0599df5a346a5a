"""Everything the commands write fits its published schema, and the schemas refuse what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from assembly_support import guard, proposal, template, write_assembly
from cli_support import TYPE, job, problems_with, share, state, walkthrough
from jsonschema import Draft202012Validator

from quota_constructs import schemas

if TYPE_CHECKING:
    from cli_support import Cli

CHANGES = {
    "nothing": {},
    "raise": {"shares": {"QS1": {"limits": {TYPE: 2}}}, "environment": {TYPE: 4}},
    "cut": {"shares": {"QS1": {"strategy": "LEND"}}},
    "removal": {"shares": {"QS1": None}},
    "too much": {"shares": {"QS4": share(5)}},
    "no type left": {"shares": {"QS2": {"limits": {"ml.p5.48xlarge": 1}}}},
}


@pytest.mark.parametrize("name", schemas.names())
def test_each_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schemas.load(name))


def test_load_names_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"there is no schema nope, they are assessment, change, decision"):
        schemas.load("nope")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_assess_fits(cli: Cli, change: dict[str, object]) -> None:
    before, wanted = walkthrough(), cli.write("change.json", change)
    before["jobs"].append(job("owner", "QS2", "RUNNABLE"))
    assert (problems_with(before, "state"), problems_with(change, "change")) == ([], [])
    outcome = cli("assess", cli.write("state.json", before), "--change", wanted, "--format", "json")
    assert problems_with(outcome.json(), "assessment") == []


@pytest.mark.parametrize(
    "asked", ["share=QS1,uses=ml.g5.xlarge:1", "share=QS2,uses=ml.g5.xlarge:1", "share=QS3,uses=ml.g5.xlarge:9"]
)
def test_explain_fits(cli: Cli, asked: str) -> None:
    outcome = cli("explain", cli.write("state.json", walkthrough()), "--submit", asked, "--format", "json")
    assert problems_with(outcome.json(), "decision") == []


def test_status_fits(cli: Cli) -> None:
    outcome = cli("status", cli.write("state.json", walkthrough()), "--format", "json")
    assert problems_with(outcome.json(), "status") == []


def test_rules_fit(cli: Cli) -> None:
    assert problems_with(cli("rules", "--format", "json").json(), "rules") == []


def test_plan_fits(cli: Cli) -> None:
    write_assembly(cli.folder / "cdk.out", {"Demo": template(guard(proposal({"QS1": 1, "QS2": 1})))})
    outcome = cli("plan", "--state", cli.write("state.json", walkthrough()), "--format", "json")
    assert problems_with(outcome.json(), "plan") == []


WRONG = {
    "a state without shares": ("state", {"at": "2026-11-29T12:00:00Z", "environment": {}, "jobs": []}),
    "a state with an unknown member": ("state", {**state({}, []), "extra": 1}),
    "a change with a half instance": ("change", {"environment": {TYPE: 1.5}}),
    "an assessment with an unknown verdict": ("assessment", {"version": 1, "verdict": "fine"}),
    "a plan of another version": ("plan", {"version": 2, "verdict": "safe", "plans": []}),
}


@pytest.mark.parametrize(("name", "document"), WRONG.values(), ids=WRONG)
def test_a_schema_refuses(name: str, document: object) -> None:
    assert problems_with(document, name) != []
