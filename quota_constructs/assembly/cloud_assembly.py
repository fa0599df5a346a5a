"""A cloud assembly on disk, read into its stack templates; stages and nested stacks included.

Source: the CDK's cloud assembly schema: a `manifest.json` with artifacts, of which `aws:cloudformation:stack` names a
template and `cdk:cloud-assembly` a folder with an assembly of its own. A nested stack is a resource of its parent's
template; its own template is an asset.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.values import members_of, resources_in
from quota_scheduler.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quota_constructs.assembly.values import Value

NEWEST_SCHEMA = 55
"""Major version of the newest assembly schema this reader was tried with."""

_ENVIRONMENT = re.compile(r"^aws://([^/]*)/(.*)$")
_ASSET_HASH = re.compile(r"([0-9a-f]{64})")
_NESTED_STACK = "AWS::CloudFormation::Stack"
_TEXTS = ("templateFile", "stackName", "directoryName")


@dataclass(frozen=True, slots=True)
class StackTemplate:
    """A stack of an assembly.

    Args:
        stack_name: Its name in CloudFormation; for a nested stack its parent's name and its logical id.
        template: The template.
        parameters: Values that the assembly fixes; for a nested stack expressions of the parent's template.
        region: The Region it is bound to; None for a stack that goes wherever the deployer is.
        account: The account it is bound to, or None.
        path: Where it is declared, such as `Prod/Training`.
        logical_id: For a nested stack its resource in the parent's template, else empty.
        parent: The template that holds a nested stack.
    """

    stack_name: str
    template: Mapping[str, Value]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    region: str | None = None
    account: str | None = None
    path: str = ""
    logical_id: str = ""
    parent: StackTemplate | None = None


def read_assembly(path: str | Path) -> tuple[StackTemplate, ...]:
    """Read all stacks of a cloud assembly.

    Args:
        path: The folder that `cdk synth` wrote, usually `cdk.out`.

    Returns:
        Every stack, those of stages and nested stacks too, in the order of the assembly, parents first.

    Raises:
        AssemblyError: There is no assembly there, its schema is newer than this reader, or a file of it cannot be read.
    """
    folder = Path(path)
    if not (folder / "manifest.json").is_file():
        raise AssemblyError(f"no cloud assembly in {path}, there is no manifest.json; run `cdk synth` first")
    return tuple(_stacks(folder))


def read_json(path: Path) -> dict[str, Value]:
    """Read a JSON object from a file of an assembly.

    Raises:
        AssemblyError: The file cannot be read, or holds no JSON object.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise AssemblyError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise AssemblyError(f"{path} is not JSON: {error}; templates must be JSON as the CDK writes them") from error
    if not isinstance(document, dict):
        raise AssemblyError(f"{path} holds no JSON object")
    return document


def _stacks(folder: Path) -> Iterator[StackTemplate]:
    manifest = read_json(folder / "manifest.json")
    _check_schema(folder, manifest.get("version"))
    artifacts = manifest.get("artifacts") or {}
    if not isinstance(artifacts, dict) or not all(isinstance(artifact, dict) for artifact in artifacts.values()):
        raise AssemblyError(f"{folder / 'manifest.json'} has artifacts that are no objects")
    for name, artifact in artifacts.items():
        properties = members_of(artifact.get("properties"))
        for text in _TEXTS:
            if not isinstance(properties.get(text, ""), str):
                raise AssemblyError(f"{folder / 'manifest.json'}: {text} of artifact {name} must be a string")
        if artifact.get("type") == "cdk:cloud-assembly" and "directoryName" in properties:
            yield from _stacks(folder / properties["directoryName"])
        elif artifact.get("type") == "aws:cloudformation:stack" and "templateFile" in properties:
            yield from _stack(folder, name, artifact, properties)


def _check_schema(folder: Path, version: object) -> None:
    major = whole_number(str(version).partition(".")[0])
    if major is None or major < 0:
        raise AssemblyError(f"{folder / 'manifest.json'} has no schema version, got {version!r}")
    if major > NEWEST_SCHEMA:
        raise AssemblyError(
            f"{folder} was written with assembly schema {version}, this release reads up to {NEWEST_SCHEMA};"
            " update quota-constructs"
        )


def _stack(
    folder: Path, name: str, artifact: Mapping[str, Value], properties: Mapping[str, Value]
) -> Iterator[StackTemplate]:
    match = _ENVIRONMENT.match(str(artifact.get("environment", "")))
    account, region = match.groups() if match else (None, None)
    stack = StackTemplate(
        stack_name=properties.get("stackName") or name,
        template=_template(folder / properties["templateFile"]),
        parameters=members_of(properties.get("parameters")),
        region=None if region in (None, "unknown-region") else region,
        account=None if account in (None, "unknown-account") else account,
        path=str(artifact.get("displayName") or name),
    )
    assets = folder / f"{name}.assets.json"
    sources = _asset_sources(read_json(assets)) if assets.is_file() else {}
    yield stack
    yield from _nested(folder, stack, sources)


def _template(path: Path) -> dict[str, Value]:
    template = read_json(path)
    for section in ("Resources", "Parameters", "Conditions", "Mappings", "Outputs"):
        if not isinstance(template.get(section, {}), dict):
            raise AssemblyError(f"{path} is no template: {section} is no object")
    if not all(isinstance(resource, dict) for resource in resources_in(template).values()):
        raise AssemblyError(f"{path} is no template: a resource is no object")
    return template


def _asset_sources(manifest: Mapping[str, Value]) -> dict[str, str]:
    sources = {
        asset: members_of(members_of(file).get("source")) for asset, file in members_of(manifest.get("files")).items()
    }
    return {asset: str(source.get("path", "")) for asset, source in sources.items()}


def _nested(folder: Path, parent: StackTemplate, sources: Mapping[str, str]) -> Iterator[StackTemplate]:
    for logical_id, resource in resources_in(parent.template).items():
        if resource.get("Type") != _NESTED_STACK:
            continue
        file = _nested_file(resource, sources)
        if not file:
            continue
        stack = StackTemplate(
            stack_name=f"{parent.stack_name}/{logical_id}",
            template=_template(folder / file),
            parameters=members_of(members_of(resource.get("Properties")).get("Parameters")),
            region=parent.region,
            account=parent.account,
            path=_nested_path(parent, logical_id, resource),
            logical_id=logical_id,
            parent=parent,
        )
        yield stack
        yield from _nested(folder, stack, sources)


def _nested_file(resource: Mapping[str, Value], sources: Mapping[str, str]) -> str:
    named = members_of(resource.get("Metadata")).get("aws:asset:path")
    if isinstance(named, str):
        return named
    found = _ASSET_HASH.findall(json.dumps(members_of(resource.get("Properties")).get("TemplateURL", "")))
    return next((sources[asset] for asset in found if sources.get(asset)), "")


def _nested_path(parent: StackTemplate, logical_id: str, resource: Mapping[str, Value]) -> str:
    path = members_of(resource.get("Metadata")).get("aws:cdk:path")
    if isinstance(path, str) and ".NestedStack/" in path:
        return path.partition(".NestedStack/")[0]
    return f"{parent.path}/{logical_id}"
