"""Stacks as they are in the account: what was deployed last, with which parameters, and what it is called there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from quota_constructs.assembly import exports_of
from quota_constructs.planning.errors import PlanError
from quota_live.clients import call
from quota_live.errors import NotFoundError
from quota_live.paging import CLOUDFORMATION_TOKEN, pages
from quota_live.stack import list_resources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quota_constructs.assembly import StackTemplate
    from quota_live.clients import Clients

_ACCOUNT = 4
"""Place of the account in an ARN. Source: General Reference, ARN format."""

_NOT_THERE = ("REVIEW_IN_PROGRESS", "DELETE_COMPLETE")


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack as it is in the account.

    Args:
        stack_id: Its ARN.
        parameters: The values it has now; a deployment keeps them, unless others are passed.
        template: What was deployed last.
        resources: Physical ids by logical id.
    """

    stack_id: str
    parameters: Mapping[str, str]
    template: Mapping[str, Any]
    resources: Mapping[str, str]

    @property
    def account(self) -> str | None:
        """The account that it is in."""
        return account_of(self.stack_id)


def account_of(arn: str) -> str | None:
    """Give the account that an ARN names, or None where it names none."""
    parts = arn.split(":")
    return (parts[_ACCOUNT] or None) if len(parts) > _ACCOUNT else None


def read_deployed(clients: Clients, name: str) -> Deployed | None:
    """Read a stack, or give None where it does not exist yet.

    Raises:
        LiveError: The account cannot be read.
    """
    cloudformation = clients.cloudformation
    try:
        stack = call(cloudformation.describe_stacks, StackName=name)["Stacks"][0]
    except NotFoundError:
        return None
    if stack["StackStatus"] in _NOT_THERE:
        return None
    return Deployed(
        stack_id=stack["StackId"],
        parameters=values_of(stack.get("Parameters")),
        template=template_of(call(cloudformation.get_template, StackName=name), name),
        resources={item.logical_id: item.physical_id for item in list_resources(clients, name)},
    )


def check_account(clients: Clients, stack: StackTemplate, deployed: Deployed | None) -> None:
    """Refuse to look for a stack in an account that it does not belong to: it would seem not to exist yet.

    Args:
        clients: Of the account that is asked.
        stack: The stack; one that is bound to no account belongs to the account that is asked.
        deployed: The stack as it was found there.

    Raises:
        PlanError: It belongs to another account.
        LiveError: The credentials are of no account.
    """
    if stack.account is None:
        return
    asked = clients.account if deployed is None else deployed.account
    if asked != stack.account:
        raise PlanError(
            f"stack {stack.path} belongs to account {stack.account}, the credentials are of {asked}; "
            "pass --profile, or choose the stacks of this account with --stack"
        )


def read_nested(clients: Clients, parent: Deployed | None, logical_id: str) -> Deployed | None:
    """Read a nested stack, or give None where it does not exist yet."""
    physical = None if parent is None else parent.resources.get(logical_id)
    return None if physical is None else read_deployed(clients, physical)


def values_of(parameters: Sequence[Mapping[str, str]] | None) -> dict[str, str]:
    """Give the values of a stack's parameters by name."""
    return {
        item["ParameterKey"]: item.get("ResolvedValue") or item.get("ParameterValue", "") for item in parameters or ()
    }


def template_of(response: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Give the template in a response.

    Raises:
        PlanError: It is not JSON.
    """
    body = response["TemplateBody"]
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise PlanError(
                f"the deployed template of {name} is not JSON; only templates of the CDK can be read"
            ) from error
    if not isinstance(body, Mapping):
        raise PlanError(f"the template of {name} is no JSON object")
    return body


def live_exports(clients_of: Callable[[str | None], Clients], stacks: Sequence[StackTemplate]) -> dict[str, str]:
    """Read the account's exports where a template imports a value that may come from outside the assembly."""
    own = set(exports_of(stacks))
    exports: dict[str, str] = {}
    for region in {stack.region for stack in stacks if _imports(stack) - own}:
        for page in pages(partial(call, clients_of(region).cloudformation.list_exports), CLOUDFORMATION_TOKEN):
            exports |= {item["Name"]: item["Value"] for item in page.get("Exports") or ()}
    return exports


def _imports(stack: StackTemplate) -> set[str]:
    names: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, Mapping):
            for name, member in value.items():
                if name == "Fn::ImportValue":
                    names.add(member if isinstance(member, str) else "?")
                look(member)

    look(stack.template.get("Resources", {}))
    return names
