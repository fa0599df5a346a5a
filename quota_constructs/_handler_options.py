"""What an organisation prescribes for the handler, checked before anything of it is made."""

import re
from typing import TYPE_CHECKING, Any

from aws_cdk.aws_logs import RetentionDays

from quota_constructs._tokens import has_member
from quota_constructs._types import TypeChecks
from quota_constructs.construct_rules import HANDLER_OPTIONS
from quota_constructs.errors import QuotaConstructError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PYTHON = re.compile(r"python3\.(\d+)")
_OLDEST_MINOR = 11

# Parameter, a member that only such a construct has, and what to give.
_CONSTRUCTS = (
    ("role", "add_to_principal_policy", "a role, such as Role.from_role_arn gives"),
    (
        "permissions_boundary",
        "managed_policy_arn",
        "a managed policy, such as ManagedPolicy.from_managed_policy_arn gives",
    ),
    ("vpc", "select_subnets", "a network, such as Vpc.from_lookup gives"),
    ("log_encryption_key", "key_arn", "a key, such as Key.from_key_arn gives"),
)


def check(where: str, options: "Mapping[str, Any]") -> None:
    """Refuse options of the wrong type, and such as would have no effect.

    Args:
        where: Path of the handler.
        options: The options by name; None is what was not given.

    Raises:
        QuotaTypeError: An option has the wrong type.
        QuotaConstructError: An option needs another one, or excludes it, or the runtime cannot run the handler.
    """
    checks = TypeChecks(where)
    for name, member, wanted in _CONSTRUCTS:
        checks.construct(name, options[name], member, wanted)
    if options["vpc_subnets"] is not None:
        from aws_cdk.aws_ec2 import SubnetSelection

        checks.instance("vpc_subnets", options["vpc_subnets"], SubnetSelection)
    _check_groups(checks, options["security_groups"])
    checks.instance("log_retention", options["log_retention"], RetentionDays, optional=True)
    if options["runtime"] is not None:
        from aws_cdk.aws_lambda import Runtime

        checks.instance("runtime", options["runtime"], Runtime, "Runtime.PYTHON_3_13 and its like")
    checks.text("owner_tag", options["owner_tag"], optional=True)
    checks.done()
    problems = [HANDLER_OPTIONS.problem(message, where) for message in _without_effect(options)]
    if problems:
        raise QuotaConstructError(problems)


def _check_groups(checks: TypeChecks, groups: object) -> None:
    if groups is None:
        return
    wanted = "a list of security groups, such as SecurityGroup.from_security_group_id gives"
    for group in groups if isinstance(groups, list | tuple) else [groups]:
        checks.construct("security_groups", group, "security_group_id", wanted, optional=False)
    if not isinstance(groups, list | tuple) and has_member(groups, "security_group_id"):
        checks.problem(f"security_groups has the wrong type, got one group; give {wanted}")


def _without_effect(options: "Mapping[str, Any]") -> "Iterator[str]":
    if options["vpc"] is None:
        for name in ("vpc_subnets", "security_groups"):
            if options[name] is not None:
                yield f"{name} needs a network, got no vpc; give vpc as well, or drop {name}"
    if options["role"] is not None and options["permissions_boundary"] is not None:
        yield (
            "permissions_boundary is for the role that is made by default, got role as well; set the boundary on that "
            "role, or drop role"
        )
    if options["runtime"] is not None:
        name = options["runtime"].name
        python = _PYTHON.fullmatch(name)
        if python is None or int(python[1]) < _OLDEST_MINOR:
            yield (
                f"runtime cannot run the handler, got {name}, allowed is python3.{_OLDEST_MINOR} or newer; "
                "give a newer Python, or drop runtime"
            )
