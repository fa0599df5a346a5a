"""What a guard's policy is as far as it is known before the deployment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.json_texts import parse_text
from quota_constructs.assembly.values import Partial, Reference, Unknown, Value, is_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = "{}"
_TOPIC = "notifyTopicArn"
"""Where assessments are published: it decides nothing, and is mostly a topic of the same stack."""


def known_policy(value: Value) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Give a policy without what only the deployment will tell.

    Args:
        value: The guard's property `Policy`; one that is missing is the default policy.

    Returns:
        The policy as JSON text, and for each member that is left out where it stands and what stands there. A text
        that is no JSON is given as it is, for its reader to refuse.
    """
    if isinstance(value, Unknown | Reference):
        return DEFAULT, (("Policy", str(value)),)
    if not isinstance(value, Partial):
        return (value if isinstance(value, str) and value else DEFAULT), ()
    try:
        document = parse_text(value, "the policy")
    except AssemblyError:
        return str(value), ()
    return json.dumps(_known(document)), tuple(_left_out(document, "Policy"))


def _known(value: Value) -> Value:
    if isinstance(value, dict):
        return {name: _known(member) for name, member in value.items() if not is_hole(member)}
    return value


def _left_out(value: Value, place: str) -> Iterator[tuple[str, str]]:
    for name, member in value.items() if isinstance(value, dict) else ():
        if name != _TOPIC:
            if is_hole(member):
                yield f"{place}.{name}", str(member)
            else:
                yield from _left_out(member, f"{place}.{name}")
