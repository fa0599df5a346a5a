"""Checks, on the templates as written, that every gated resource waits for its guard and is what the guard was told.

Escape hatches, aspects and mutations come after a construct has been checked, and the guard assesses what it is told.
So the last word is the template's: the CDK hands the written templates to its policy-validation plugins, and each app
with a guard gets this one by itself. A breach fails the synthesis and cannot be acknowledged away. Warnings of the
rules are in the same report.

The CDK asks plugins when it synthesizes an app, not when it synthesizes one of its stages, as `Template.from_stack`
does. So a stack in a stage is checked by itself as well, as soon as its template is written.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

import jsii
from aws_cdk import (
    App,
    IAnyProducer,
    IPolicyValidationPlugin,
    IResolveContext,
    Lazy,
    PolicyValidationPluginReport,
    PolicyViolatingResource,
    PolicyViolation,
    Stage,
    Validations,
)

from quota_constructs import _plan
from quota_constructs._rendered import breaches
from quota_constructs._scope import node_of, path_of, root_of
from quota_constructs.construct_rules import GATED
from quota_constructs.errors import QuotaConstructError
from quota_scheduler.rules import RULES as QUEUE_RULES
from quota_scheduler.rules import WARNING, check_queue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aws_cdk import IPolicyValidationContext

    from quota_constructs._queue_shares import QueueShares
    from quota_constructs._rendered import Breach
    from quota_constructs.construct_rules import ConstructRule
    from quota_constructs.quota_guard import QuotaGuard

NAME = "quota-guard"
_KEPT = "_quota_constructs_check"
_CHECKED = "quota-constructs:checked"


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
    stage = Stage.of(guard)
    if stage is not None and not isinstance(stage, App):
        # Metadata is resolved when a stack with all that is nested in it has been written.
        node_of(guard).add_metadata(_CHECKED, Lazy.uncached_any(cast("IAnyProducer", _StageCheck(guard, stage))))


@jsii.implements(IAnyProducer)
class _StageCheck:
    """The check of one guard in a stage."""

    def __init__(self, guard: "QuotaGuard", stage: Stage) -> None:
        self._guard = guard
        self._stage = stage

    def produce(self, context: IResolveContext) -> str:
        folder = Path(self._stage.outdir)
        problems = [breach.rule.problem(breach.message, path) for breach, path in _breaches(self._guard, folder)]
        if problems:
            raise QuotaConstructError(problems)
        return NAME


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
        violations = [violation for guard in self.guards for violation in _violations(guard, paths)]
        success = not violations
        violations += _warnings(self.guards)
        return PolicyValidationPluginReport(success=success, violations=violations)


def _violations(guard: "QuotaGuard", paths: "Sequence[Path]") -> "Iterator[PolicyViolation]":
    # A nested stack is not among the stacks of the report; its template lies beside that of its parent.
    outermost, own = guard.template_files
    folder = next((path.parent for path in paths if path.name == outermost), None)
    if folder is None:
        # Said aloud: a report passes what it does not mention.
        yield _violation(GATED, "the template of the stack is not in the assembly", path_of(guard))
        return
    for breach, path in _breaches(guard, folder):
        yield _violation(breach.rule, breach.message, path, breach.logical_id, str(folder / own))


def _breaches(guard: "QuotaGuard", folder: Path) -> "Iterator[tuple[Breach, str]]":
    """Give the breaches in the template of a guard's stack, each with the path of its construct."""
    _, own = guard.template_files
    template = json.loads((folder / own).read_text(encoding="utf-8"))
    declared = guard.declared
    for breach in breaches(template, guard.logical_id, guard.properties, declared):
        yield breach, declared.get(breach.logical_id, path_of(guard))


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
    seen: list[QueueShares] = []
    for queue, neighbours in [(queue, guard.queues) for guard in guards for queue in guard.queues]:
        if queue in seen:
            continue
        same = queue.same_among(neighbours)
        seen += [queue, *same]
        for finding in check_queue(queue.whole(same), (WARNING,)):
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
