"""Where a construct stands: its stack, its path and its root, asked of the CDK once for each scope.

Every question costs a round trip to the CDK's process, which adds up over the shares of a queue. The answers are kept
on the construct itself, so that they go when it goes.
"""

from typing import TYPE_CHECKING, cast

from aws_cdk import Stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from constructs import IConstruct, Node

_STACK = "_quota_constructs_stack"
_PATH = "_quota_constructs_path"
_NODE = "_quota_constructs_node"
_ROOT = "_quota_constructs_root"


def stack_of(scope: "IConstruct") -> Stack:
    """Give the stack a construct belongs to."""
    if isinstance(scope, Stack):
        return scope
    return cast("Stack", _remembered(scope, _STACK, lambda: Stack.of(scope)))


def path_of(scope: "IConstruct") -> str:
    """Give the path of a construct in its tree."""
    return cast("str", _remembered(scope, _PATH, lambda: node_of(scope).path))


def node_of(scope: "IConstruct") -> "Node":
    """Give the place of a construct in its tree."""
    return cast("Node", _remembered(scope, _NODE, lambda: scope.node))


def root_of(scope: "IConstruct") -> "IConstruct":
    """Give the root of a construct's tree."""
    stack = stack_of(scope)
    return cast("IConstruct", _remembered(stack, _ROOT, lambda: node_of(stack).root))


def place(child: "IConstruct", scope: "IConstruct", construct_id: str) -> str:
    """Note where a new construct stands, from what is known of its scope, and give its path.

    Source: constructs, class Node: ids are joined by slashes, and a slash in an id becomes two dashes.
    """
    parent = path_of(scope)
    own = construct_id.replace("/", "--")
    path = f"{parent}/{own}" if parent else own
    setattr(child, _STACK, stack_of(scope))
    setattr(child, _PATH, path)
    return path


def has_place(construct: "IConstruct") -> bool:
    """Say whether it was noted where a construct stands."""
    return hasattr(construct, _PATH)


def _remembered(scope: "IConstruct", name: str, ask: "Callable[[], object]") -> object:
    value = getattr(scope, name, None)
    if value is None:
        value = ask()
        setattr(scope, name, value)
    return value
