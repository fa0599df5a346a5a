"""Batch resources of a stack that no construct of this library declares.

The guard takes a live queue or share that the stack no longer proposes for one that is about to be deleted. What is
declared beside the constructs, by an L1 or an included template, must be named to it, or it would be taken for gone.
"""

from functools import cache
from typing import TYPE_CHECKING

from aws_cdk import CfnResource, ConstructSelector, Mixins

from quota_constructs._scope import stack_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aws_cdk import IConstructSelector, Stack

_TYPES = ("AWS::Batch::JobQueue", "AWS::Batch::QuotaShare", "Custom::QuotaShare")


@cache
def _selector() -> "IConstructSelector":
    return ConstructSelector.resources_of_type(*_TYPES)


def unguarded(stack: "Stack", guarded: "Iterable[CfnResource]") -> list[str]:
    """Give the logical ids of queues and shares that the guard is not told of otherwise.

    Args:
        stack: The stack.
        guarded: Resources that it is told of.
    """
    told = {id(resource) for resource in guarded}
    # The CDK does the search: to look at each construct of the stack from here would take a call, and often an
    # import, for each.
    found = Mixins.of(stack, _selector()).selected_constructs
    others = [resource for resource in found if id(resource) not in told and isinstance(resource, CfnResource)]
    names = [stack.resolve(resource.logical_id) for resource in others if stack_of(resource) is stack]
    return sorted(names)
