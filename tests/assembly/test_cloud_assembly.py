"""Assemblies on disk, with what can be wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from assembly_support import raw_queue, raw_share, template, write_assembly

from quota_constructs._raw_rules import findings
from quota_constructs.assembly import AssemblyError, StackTemplate, read_assembly

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HASH = "a" * 64


def add_artifact(folder: Path, name: str, artifact: dict[str, Any]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["artifacts"][name] = artifact
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_reads_name_region_and_account(tmp_path: Path) -> None:
    body = template(raw_queue())
    folder = write_assembly(tmp_path, {"Demo": body}, "aws://111122223333/eu-west-1")
    (stack,) = read_assembly(folder)
    assert stack == StackTemplate("Demo", body, {}, "eu-west-1", "111122223333", "Demo")


def test_a_stack_bound_to_nothing_has_no_region(tmp_path: Path) -> None:
    (stack,) = read_assembly(write_assembly(tmp_path, {"Demo": template({})}))
    assert (stack.region, stack.account) == (None, None)


def test_reads_explicit_name_and_parameters(tmp_path: Path) -> None:
    folder = write_assembly(tmp_path, {"Demo": template({})})
    properties = {"templateFile": "Demo.template.json", "stackName": "prod-demo", "parameters": {"Cap": "3"}}
    add_artifact(
        folder, "Demo", {"type": "aws:cloudformation:stack", "properties": properties, "displayName": "Prod/Demo"}
    )
    (stack,) = read_assembly(folder)
    assert (stack.stack_name, stack.path, stack.parameters) == ("prod-demo", "Prod/Demo", {"Cap": "3"})


def test_reads_the_stacks_of_a_stage(tmp_path: Path) -> None:
    folder = write_assembly(tmp_path, {"Demo": template({})})
    write_assembly(folder / "assembly-Prod", {"ProdDemo": template(raw_queue())})
    add_artifact(
        folder, "assembly-Prod", {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-Prod"}}
    )
    assert [stack.stack_name for stack in read_assembly(folder)] == ["Demo", "ProdDemo"]


def nested(metadata: dict[str, str], url: object) -> dict[str, Any]:
    return template(
        {
            "Team": {
                "Type": "AWS::CloudFormation::Stack",
                "Properties": {"TemplateURL": url, "Parameters": {"QueueArn": {"Ref": "Queue"}}},
                "Metadata": metadata,
            },
            **raw_queue(),
        }
    )


NESTED = {
    "named by its metadata": (
        {
            "aws:asset:path": "Team.nested.template.json",
            "aws:cdk:path": "Demo/Team.NestedStack/Team.NestedStackResource",
        },
        "https://nowhere",
        "Demo/Team",
    ),
    "found by its hash": ({}, {"Fn::Join": ["", ["https://s3/", f"{HASH}.json"]]}, "Demo/Team"),
}


@pytest.mark.parametrize(("metadata", "url", "want_path"), NESTED.values(), ids=NESTED)
def test_reads_nested_stacks(tmp_path: Path, metadata: dict[str, str], url: object, want_path: str) -> None:
    folder = write_assembly(tmp_path, {"Demo": nested(metadata, url)})
    inner = template({"A": raw_share("A", queue={"Ref": "QueueArn"})}, Parameters={"QueueArn": {"Type": "String"}})
    (folder / "Team.nested.template.json").write_text(json.dumps(inner))
    assets = {"files": {HASH: {"source": {"path": "Team.nested.template.json"}}}}
    (folder / "Demo.assets.json").write_text(json.dumps(assets))
    parent, found = read_assembly(folder)
    assert found == StackTemplate(
        "Demo/Team", inner, {"QueueArn": {"Ref": "Queue"}}, None, None, want_path, "Team", parent
    )


def test_a_loop_is_no_resource(tmp_path: Path) -> None:
    loop = {"Fn::ForEach::Topics": ["Name", ["a"], {"Topic${Name}": {"Type": "AWS::SNS::Topic"}}]}
    body = template({**raw_queue(), **loop}, Transform="AWS::LanguageExtensions")
    (stack,) = read_assembly(write_assembly(tmp_path, {"Demo": body}))
    assert stack.template == body
    assert list(findings(stack)) == []


def no_assembly(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def manifest_of(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "manifest.json").write_text(text)

    return write


def template_of(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "Demo.template.json").write_text(text)

    return write


def no_template(folder: Path) -> None:
    (folder / "Demo.template.json").unlink()


BROKEN = {
    "no manifest": (no_assembly, "there is no manifest.json; run `cdk synth` first"),
    "a manifest that is not JSON": (manifest_of("{"), "manifest.json is not JSON"),
    "a manifest that is a list": (manifest_of("[]"), "holds no JSON object"),
    "a manifest without a version": (manifest_of("{}"), "has no schema version, got None"),
    "a newer schema": (manifest_of('{"version":"99.0.0"}'), "assembly schema 99.0.0, this release reads up to 55"),
    "artifacts of a wrong kind": (manifest_of('{"version":"55.0.0","artifacts":[1]}'), "artifacts that are no objects"),
    "a template that is not JSON": (template_of("Resources: {}"), "Demo.template.json is not JSON"),
    "a template nested too deep": (template_of("[" * 100_000), "Demo.template.json is not JSON"),
    "a template whose resources are a list": (template_of('{"Resources":[]}'), "Resources is no object"),
    "a resource that is a text": (template_of('{"Resources":{"A":"x"}}'), "a resource is no object"),
    "a template that is missing": (no_template, "cannot read"),
}


@pytest.mark.parametrize(("spoil", "want"), BROKEN.values(), ids=BROKEN)
def test_fails_in_one_line(tmp_path: Path, spoil: Callable[[Path], None], want: str) -> None:
    folder = write_assembly(tmp_path, {"Demo": template({})})
    spoil(folder)
    with pytest.raises(AssemblyError) as failure:
        read_assembly(folder)
    assert want in str(failure.value)
    assert "\n" not in str(failure.value)
