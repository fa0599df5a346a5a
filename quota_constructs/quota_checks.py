"""A policy-validation plugin: the rules of quota management for every template of an app, and a plan when asked.

It needs none of the other constructs, and is off unless it is registered:

    Validations.of(app).add_plugins(QuotaChecks())
"""

from typing import TYPE_CHECKING

import jsii
from aws_cdk import IPolicyValidationPlugin, PolicyValidationPluginReport, PolicyViolatingResource, PolicyViolation

from quota_constructs import _plan
from quota_constructs._plan_check import folder_of, has_plan_check, plan_violation
from quota_constructs._raw_rules import findings
from quota_constructs.assembly import read_assembly
from quota_constructs.construct_rules import PLAN
from quota_scheduler import VERDICTS
from quota_scheduler.rules import ERROR, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_cdk import IPolicyValidationContext

    from quota_constructs.assembly import StackTemplate


@jsii.implements(IPolicyValidationPlugin)
class QuotaChecks:
    """Reports what breaks a rule of quota management, and, when asked, what the deployment would do to running work.

    The rules cover queues and shares declared with the L1 constructs or an included template; those of
    `QuotaManagedQueue` and `QuotaShare` are checked as they are made. An error fails the synthesis unless it is
    acknowledged.

    A plan is made when `plan` or the context key `quota:plan` asks for it, so that `cdk deploy` prints it before
    anything starts. It is left out in unit tests as long as those do not set the key. It stops nothing by itself:
    that is the guard's part, which knows the state at the time.

    Args:
        plan: `live` to ask the account, or the path of a queue state written by `batch-quota snapshot`. By default what
            the context key `quota:plan` says, which is nothing when it is not set.
        fail_on: The mildest verdict that fails the synthesis, such as `destructive`. By default none does.
        profile: Profile of the shared AWS configuration for a live plan. By default the environment's.

    Raises:
        QuotaConstructError: `fail_on` is no verdict.

    Example:
        Validations.of(app).add_plugins(QuotaChecks(plan="state.json", fail_on="disruptive"))
    """

    def __init__(self, *, plan: str | None = None, fail_on: str | None = None, profile: str | None = None) -> None:
        if fail_on is not None and fail_on not in VERDICTS:
            raise PLAN.broken(f"fail_on is no verdict, got {fail_on!r}; give one of {', '.join(VERDICTS)}")
        self._plan = plan
        self._fail_on = fail_on
        self._profile = profile

    @property
    def name(self) -> str:
        """Name in the report, and prefix of the ids to acknowledge."""
        return "quota-checks"

    @property
    def rule_ids(self) -> list[str]:
        """Ids of what may be reported."""
        return [*RULES, PLAN.id]

    def validate(self, context: "IPolicyValidationContext") -> PolicyValidationPluginReport:
        """Check the templates of the app."""
        folder = folder_of(context.template_paths)
        violations = [violation for stack in read_assembly(folder) for violation in _rule_violations(stack)]
        success = all(violation.severity != ERROR for violation in violations)
        answers = _plan.answers(folder, source, self._profile) if (source := self._source(context)) else []
        violations += [plan_violation(answer, context, self._fails(answer)) for answer in answers]
        return PolicyValidationPluginReport(
            success=success and not any(map(self._fails, answers)), violations=violations
        )

    def _source(self, context: "IPolicyValidationContext") -> str | None:
        app = context.app_construct
        if self._plan is not None or has_plan_check(app):
            return self._plan
        return _plan.wanted(app.node.try_get_context(_plan.CONTEXT))

    def _fails(self, answer: _plan.Answer) -> bool:
        if self._fail_on is None or answer.verdict not in VERDICTS:
            return False
        return VERDICTS.index(answer.verdict) <= VERDICTS.index(self._fail_on)


def _rule_violations(stack: "StackTemplate") -> "Iterator[PolicyViolation]":
    for finding, logical_id, path in findings(stack):
        yield PolicyViolation(
            rule_name=finding.id,
            description=finding.message,
            severity=finding.severity,
            fix=RULES[finding.id].fix,
            violating_resources=[
                PolicyViolatingResource(construct_path=path, resource_logical_id=logical_id, locations=[])
            ],
        )
