"""Policies of the handler's role, each a resource of its own in the handler's stack.

The function and the guard wait for these policies. Whatever else a stack grants the role goes to the role's default
policy, which may name queues and shares that wait for the guard: one policy for both would be circular. The handler's
stack is also the one whose id the statements mean, wherever the role is declared.
"""

from typing import TYPE_CHECKING, Any

from aws_cdk import Stage
from aws_cdk.aws_iam import Policy, PolicyStatement

from quota_constructs._scope import path_of, stack_of
from quota_constructs._tokens import is_token
from quota_constructs.construct_rules import HANDLER_OPTIONS
from quota_constructs.errors import QuotaConstructError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_cdk.aws_iam import IRole
    from aws_cdk.aws_sns import ITopic
    from constructs import Construct


def check(scope: "Construct", role: "IRole") -> None:
    """Refuse a role that the function cannot have.

    Args:
        scope: The handler's stack.
        role: Role that was given for the function.

    Raises:
        QuotaConstructError: The role is of another account, or of an app or stage whose resources have no name yet.

    Source: Lambda API, CreateFunction.Role: a role of the function's account.
    """
    where = path_of(scope)
    problems = [HANDLER_OPTIONS.problem(message, where) for message in _out_of_reach(scope, role)]
    if problems:
        raise QuotaConstructError(problems)


def attach(scope: "Construct", construct_id: str, role: "IRole", statements: "list[dict[str, Any]]") -> Policy:
    """Make a policy in the handler's stack and attach it to a role; one that cannot be changed stays as it is.

    Args:
        scope: The handler.
        construct_id: Id within the handler.
        role: The role.
        statements: What the policy allows, in the policy language; may be added to later.
    """
    policy = Policy(scope, construct_id, statements=[PolicyStatement.from_json(each) for each in statements])
    role.attach_inline_policy(policy)
    return policy


def attach_publish(scope: "Construct", construct_id: str, role: "IRole", topic: "ITopic") -> Policy:
    """Make a policy that lets a role publish to a topic, and attach it to the role.

    Args:
        scope: The handler.
        construct_id: Id within the handler.
        role: The role.
        topic: The topic, also of another account.
    """
    own, account = stack_of(scope).account, topic.env.account
    if not is_token(own) and not is_token(account) and account != own:
        # The topic's side has to name the role, too. What the grant adds to the role itself is not waited for.
        topic.grant_publish(role)
        publish = {"Effect": "Allow", "Action": "sns:Publish", "Resource": topic.topic_arn}
        return attach(scope, construct_id, role, [publish])
    policy = attach(scope, construct_id, role, [])
    topic.grant_publish(policy)
    return policy


def _out_of_reach(scope: "Construct", role: "IRole") -> "Iterator[str]":
    if is_token(role.role_name) and Stage.of(role) is not Stage.of(scope):
        yield (
            f"role is of another app or stage, got {path_of(role)}; give a role of this one, or import it with "
            "Role.from_role_arn"
        )
    own, account = stack_of(scope).account, role.principal_account
    if account is not None and not is_token(account) and not is_token(own) and account != own:
        yield f"role is of another account, got {account}, allowed is {own}; give a role of the stack's account"
