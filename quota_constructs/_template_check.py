"""Checks, on the templates as written, that every gated resource waits for its guard and is what the guard was told.

Escape hatches, aspects and mutations come after a construct has been checked, and the guard assesses what it is told.
So the last word is the template's: the CDK hands the written templates to its policy-validation plugins, and each app
with a guard gets this one by itself. A breach fails the synthesis and cannot be acknowledged away. Warnings of the
rules are in the same report.
"""

import json
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
from quota_constructs._rendered import breaches
from quota_constructs._scope import node_of, path_of, root_of
from quota_constructs.construct_rules import GATED
from quota_scheduler.rules import RULES as QUEUE_RULES
from quota_scheduler.rules import WARNING, check_queue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aws_cdk import IPolicyValidationContext

    from quota_constructs.construct_rules import ConstructRule
    from quota_constructs.quota_guard import QuotaGuard

NAME = "quota-guard"
_KEPT = "_quota_constructs_check"


def register(guard: "QuotaGuard") -> None:
    """Check the templates of the guard's app at the end of its synthesis.

    Args:
        guard: The guard of a stack; its app gets the check with its first guard.
    """
    root = root_of(guard)
    check = getattr(root, _KEPT, None)
    if check is None:
        check = TemplateCheck()
        setattr(root, _KEPT, check)
        Validations.of(root).add_plugins(cast("IPolicyValidationPlugin", check))
        if node_of(root).try_get_context(_plan.CONTEXT) is not None:
            from quota_constructs import _plan_check  # not needed, and not loaded, without a plan

            _plan_check.register(root)
    check.guards.append(guard)


@jsii.implements(IPolicyValidationPlugin)
class TemplateCheck:
    """The check of one app.

    Attributes:
        guards: The guards of its stacks.
    """

    def __init__(self) -> None:
        self.guards: list[QuotaGuard] = []

    @property
    def name(self) -> str:
        """Name in the report, and prefix of the ids to acknowledge."""
        return NAME

    def validate(self, context: "IPolicyValidationContext") -> PolicyValidationPluginReport:
        """Compare what each guard is told with what the templates say."""
        paths = [Path(path) for path in context.template_paths]
        violations = [violation for guard in self.guards for violation in _breaches(guard, paths)]
        success = not violations
        violations += _warnings(self.guards)
        return PolicyValidationPluginReport(success=success, violations=violations)


def _breaches(guard: "QuotaGuard", paths: "Sequence[Path]") -> "Iterator[PolicyViolation]":
    # A nested stack is not among the stacks of the report; its template lies beside that of its parent.
    outermost, own = guard.template_files
    folder = next((path.parent for path in paths if path.name == outermost), None)
    if folder is None:
        # Said aloud: a report passes what it does not mention.
        yield _violation(GATED, "the template of the stack is not in the assembly", path_of(guard))
        return
    template_path = folder / own
    template = json.loads(template_path.read_text(encoding="utf-8"))
    declared = guard.declared
    for breach in breaches(template, guard.logical_id, guard.properties, declared):
        path = declared.get(breach.logical_id, path_of(guard))
        yield _violation(breach.rule, breach.message, path, breach.logical_id, str(template_path))


def _violation(
    rule: "ConstructRule", message: str, path: str, logical_id: str | None = None, template_path: str | None = None
) -> PolicyViolation:
    return PolicyViolation(
        rule_name=rule.id,
        description=message,
        severity="fatal",
        violating_resources=[
            PolicyViolatingResource(
                construct_path=path, resource_logical_id=logical_id, template_path=template_path, locations=[]
            )
        ],
    )


def _warnings(guards: "Sequence[QuotaGuard]") -> "Iterator[PolicyViolation]":
    queues = {id(queue): queue for guard in guards for queue in guard.queues}
    for queue in queues.values():
        for finding in check_queue(queue.configuration, (WARNING,)):
            where = finding.where.partition(".")[0]
            yield PolicyViolation(
                rule_name=finding.id,
                description=finding.message,
                severity="warning",
                fix=QUEUE_RULES[finding.id].fix,
                violating_resources=[
                    PolicyViolatingResource(
                        construct_path=where if where.startswith(queue.path) else queue.path, locations=[]
                    )
                ],
            )
