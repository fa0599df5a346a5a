"""A cloud assembly of any content is planned or refused in one line."""

from __future__ import annotations

import copy
import json

import pytest
from assembly_support import guard, proposal, raw_queue, raw_share, template, write_assembly

RAW = template({**raw_queue(4), "A": raw_share("a", 3), "B": raw_share("b", 1)}, Parameters={"P": {"Type": "Number"}})
ODD = [None, True, 0, -1, 1.5, "", "x", "9" * 5_000, [], [1], {}, {"Ref": "Nope"}, {"Fn::If": []}, {"Fn::Bogus": 1}]
PLACES = {
    "type": ("Resources", "Queue", "Type"),
    "properties": ("Resources", "A", "Properties"),
    "limits": ("Resources", "A", "Properties", "CapacityLimits"),
    "limit": ("Resources", "A", "Properties", "CapacityLimits", 0),
    "amount": ("Resources", "Env", "Properties", "CapacityLimits", 0, "MaxCapacity"),
    "unit": ("Resources", "Env", "Properties", "CapacityLimits", 0, "CapacityUnit"),
    "order": ("Resources", "Queue", "Properties", "ServiceEnvironmentOrder", 0),
    "sharing": ("Resources", "A", "Properties", "ResourceSharingConfiguration"),
    "queue of a share": ("Resources", "A", "Properties", "JobQueue"),
    "parameters": ("Parameters",),
    "resource": ("Resources", "Policy"),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_template_of_any_content_is_planned_or_refused(cli, place):
    for value in ODD:
        body = copy.deepcopy(RAW)
        parent = body
        for step in place[:-1]:
            parent = parent[step]
        parent[place[-1]] = value
        expect_plan_or_line(cli, {"Demo": body}, value)


GUARDED = {
    "queues": ("queues",),
    "queue": ("queues", 0),
    "shares": ("queues", 0, "shares"),
    "share": ("queues", 0, "shares", 0),
    "logical id": ("queues", 0, "shares", 0, "logicalId"),
    "environment": ("queues", 0, "environment"),
    "unguarded": ("unguarded",),
    "version": ("version",),
}


@pytest.mark.parametrize("place", GUARDED.values(), ids=GUARDED)
def test_a_proposal_of_any_content_is_planned_or_refused(cli, place):
    for value in ODD:
        document = proposal({"a": 3, "b": 1}, environment=4)
        parent = document
        for step in place[:-1]:
            parent = parent[step]
        parent[place[-1]] = value
        expect_plan_or_line(cli, {"Demo": template(guard(json.dumps(document)))}, value)


@pytest.mark.parametrize("name", ["Properties", "Metadata", "Type"])
def test_a_guard_of_any_content_is_planned_or_refused(cli, name):
    for value in ODD:
        declared = guard(proposal({"a": 3}))
        declared["Guard"][name] = value
        expect_plan_or_line(cli, {"Demo": template({**declared, **RAW["Resources"]})}, value)


def expect_plan_or_line(cli, stacks, value):
    write_assembly(cli.folder / "cdk.out", stacks)
    outcome = cli("plan", "--state", "state.json", "--format", "json", "--fail-on", "never")
    assert outcome.code in (0, 2), value
    assert outcome.err.count("\n") == (outcome.code == 2), value
    assert "unexpected" not in outcome.err, value


def manifest(properties):
    artifact = {"type": "aws:cloudformation:stack", "properties": properties}
    return json.dumps({"version": "55.0.0", "artifacts": {"Demo": artifact}}).encode()


MANIFESTS = {
    "not JSON": b"{",
    "not UTF-8": b"\xff\xfe",
    "a list": b"[]",
    "nested without end": b"[" * 100_000,
    "no version": b"{}",
    "a version that is none": b'{"version": {}}',
    "a version without end": b'{"version": "' + b"9" * 5_000 + b'.0.0"}',
    "artifacts that are none": b'{"version": "55.0.0", "artifacts": [1]}',
    "a file that is none": manifest({"templateFile": 1}),
    "a file that is not there": manifest({"templateFile": "nowhere.json"}),
    "a name that is none": manifest({"templateFile": "Demo.template.json", "stackName": ["Demo"]}),
}


@pytest.mark.parametrize("content", MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_that_is_none(cli, content):
    folder = write_assembly(cli.folder / "cdk.out", {"Demo": RAW})
    (folder / "manifest.json").write_bytes(content)
    outcome = cli("plan", "--state", "state.json")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "unexpected" not in outcome.err
