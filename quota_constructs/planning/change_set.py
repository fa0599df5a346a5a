"""A plan of a change set that is prepared: what executing it would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quota_constructs.assembly import StackTemplate, proposal_of_stack
from quota_constructs.planning.deployed import account_of, live_exports, read_deployed, template_of, values_of
from quota_constructs.planning.errors import PlanError
from quota_constructs.planning.live import Deployment, evaluated
from quota_constructs.planning.planned import Planned, refuse_holes
from quota_live.clients import call
from quota_live.errors import NotFoundError

if TYPE_CHECKING:
    from quota_live.clients import Clients
    from quota_live.deployment import Options


def plan_change_set(
    clients: Clients, stack_name: str, change_set: str, options: Options, checkpoints: bool = False
) -> list[Planned]:
    """Plan the execution of a change set that is prepared.

    Args:
        clients: Of the account.
        stack_name: The stack.
        change_set: Name or ARN of the change set.
        options: How queues are read and assessed.
        checkpoints: Whether the last checkpoints of jobs at risk are looked for in S3.

    Raises:
        PlanError: There is no such change set, or something that matters is not known before it is executed.
        LiveError: The account cannot be read.
    """
    cloudformation = clients.cloudformation
    try:
        described = call(cloudformation.describe_change_set, StackName=stack_name, ChangeSetName=change_set)
    except NotFoundError as error:
        raise PlanError(f"stack {stack_name} has no change set {change_set}; see `cdk deploy --no-execute`") from error
    body = call(cloudformation.get_template, StackName=stack_name, ChangeSetName=change_set)
    template = StackTemplate(stack_name, template_of(body, change_set), path=stack_name)
    deployed = read_deployed(clients, stack_name)
    account = account_of(described.get("StackId", ""))
    bound = replace(template, region=clients.region, account=account, parameters=values_of(described.get("Parameters")))
    exports = live_exports(lambda _: clients, [bound])
    new = proposal_of_stack(bound, None, exports)
    refuse_holes([new])
    old = None
    if deployed is not None:
        before = replace(bound, template=deployed.template, parameters=deployed.parameters)
        old = proposal_of_stack(before, None, exports)
    return evaluated(clients, Deployment(bound, deployed, new, old), options, checkpoints)
