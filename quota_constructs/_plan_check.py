"""The plan of a deployment in the synthesis report, where the context asks for it with `quota:plan`.

Each app with a guard has it by itself, so that a line in cdk.json is all it takes.
"""

from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING, cast

import jsii
from aws_cdk import (
    IPolicyValidationPlugin,
    PolicyValidationPluginReport,
    PolicyViolatingResource,
    PolicyViolation,
    Validations,
)

from quota_constructs import _plan
from quota_constructs.construct_rules import PLAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import IPolicyValidationContext
    from constructs import IConstruct

_KEPT = "_quota_constructs_plan"


def register(app: "IConstruct") -> None:
    """Add the check to an app whose context asks for a plan.

    Args:
        app: The root of the tree.
    """
    source = _plan.wanted(app.node.try_get_context(_plan.CONTEXT))
    if source is not None:
        setattr(app, _KEPT, True)
        Validations.of(app).add_plugins(cast("IPolicyValidationPlugin", PlanCheck(source)))


def has_plan_check(app: "IConstruct") -> bool:
    """Say whether an app has the check."""
    return getattr(app, _KEPT, False) is True


@jsii.implements(IPolicyValidationPlugin)
class PlanCheck:
    """Reports what the deployment of an app would do to running work; it never fails a synthesis.

    Args:
        source: `live`, or the path of a queue state.
    """

    def __init__(self, source: str) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """Name in the report, and prefix of the ids to acknowledge."""
        return "quota-plan"

    def validate(self, context: "IPolicyValidationContext") -> PolicyValidationPluginReport:
        """Ask what deploying the app would do."""
        answers = _plan.answers(folder_of(context.template_paths), self._source)
        violations = [plan_violation(answer, context, fails=False) for answer in answers]
        return PolicyValidationPluginReport(success=True, violations=violations)


def folder_of(template_paths: "Sequence[str]") -> Path:
    """Give the folder of the assembly that holds all of these templates."""
    return Path(commonpath([str(Path(path).resolve().parent) for path in template_paths]))


def plan_violation(answer: _plan.Answer, context: "IPolicyValidationContext", fails: bool) -> PolicyViolation:
    """Put an answer into a report.

    Args:
        answer: What deploying would do to one queue.
        context: Of the validation; without a place of its own an answer points to the first stack.
        fails: Whether it fails the synthesis.
    """
    severity = "error" if fails else "info" if answer.verdict == "safe" else "warning"
    path = answer.path or context.stack_templates[0].stack_construct_path
    return PolicyViolation(
        rule_name=PLAN.id,
        description=answer.text,
        severity=severity,
        violating_resources=[PolicyViolatingResource(construct_path=path, locations=[])],
    )
