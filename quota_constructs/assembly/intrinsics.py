"""Intrinsic functions of a template, resolved as far as they can be before a deployment.

A template is data with holes: `Ref`, `Fn::Join`, `Fn::If` and their like. What depends only on parameters, mappings,
conditions and pseudo parameters is known beforehand and becomes a plain value. The rest stays visible as a leaf of
its own: a `Reference` to a resource, or an `Unknown` with the reason. Nothing is guessed, and nothing is asked of AWS.

Source: CloudFormation template reference, intrinsic functions and pseudo parameters.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from quota_constructs.assembly.values import (
    NO_VALUE,
    Partial,
    Reference,
    Unknown,
    Value,
    is_hole,
    joined_text,
    members_of,
    scalar,
)
from quota_scheduler.digits import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]*)\}")
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Scope:
    """What a template is resolved against.

    Args:
        template: The whole template.
        parameters: Values by parameter name; a parameter that is not given takes its default.
        pseudo: Values of `AWS::Region` and the other pseudo parameters, as far as they are known.
        imports: Values of exports, by export name.
        asking: Names of the conditions that are being worked out, to see one that depends on itself.
    """

    template: Mapping[str, Value]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    pseudo: Mapping[str, str] = field(default_factory=dict)
    imports: Mapping[str, Value] = field(default_factory=dict)
    asking: frozenset[str] = frozenset()


def resolve(value: Value, scope: Scope) -> Value:
    """Resolve a value of a template.

    Args:
        value: A JSON value of the template.
        scope: What it is resolved against.

    Returns:
        The value with every function worked out. `Unknown`, `Reference` and `Partial` stand where that cannot be.
    """
    if isinstance(value, list):
        items = [resolve(item, scope) for item in value]
        return [item for item in items if item is not NO_VALUE]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        name, argument = next(iter(value.items()))
        function = _FUNCTIONS.get(name)
        if function is not None:
            return function(argument, scope)
        if name.startswith("Fn::"):
            return Unknown(name, "this function is only worked out by CloudFormation")
    members = {name: resolve(member, scope) for name, member in value.items()}
    return {name: member for name, member in members.items() if member is not NO_VALUE}


def holds(condition: Value, scope: Scope) -> bool | Unknown:
    """Tell whether a condition of the template holds.

    Args:
        condition: The name of a condition, or a condition function.
        scope: What it is resolved against.

    Returns:
        True or False, or an `Unknown` where the condition depends on something not known.
    """
    if isinstance(condition, str):
        expression = scope.template.get("Conditions", {}).get(condition, _MISSING)
        if expression is _MISSING:
            return Unknown(f"Condition {condition}", "the template has no condition of this name")
        if condition in scope.asking:
            return Unknown(f"Condition {condition}", "it depends on itself")
        return holds(expression, replace(scope, asking=scope.asking | {condition}))
    if isinstance(condition, dict) and len(condition) == 1:
        name, argument = next(iter(condition.items()))
        test = _CONDITIONS.get(name)
        if test is not None:
            return test(argument, scope)
    return Unknown("a condition", "it is no condition function")


def _ref(name: Value, scope: Scope) -> Value:
    if name == "AWS::NoValue":
        return NO_VALUE
    if not isinstance(name, str):
        return Unknown("Ref", "it needs a name")
    if name.startswith("AWS::"):
        return scope.pseudo.get(name, Unknown(f"Ref {name}", "it depends on where the stack is deployed"))
    if name in scope.parameters:
        return _typed(scope.parameters[name], members_of(scope.template.get("Parameters", {}).get(name)))
    declared = scope.template.get("Parameters", {}).get(name)
    if declared is not None:
        return _default(name, members_of(declared))
    if name in scope.template.get("Resources", {}):
        return Reference(name)
    return Unknown(f"Ref {name}", "the template has no parameter and no resource of this name")


def _default(name: str, declared: Mapping[str, Value]) -> Value:
    if str(declared.get("Type", "")).startswith("AWS::SSM::"):
        return Unknown(f"Ref {name}", "its value lies in the parameter store")
    if "Default" not in declared:
        return Unknown(f"Ref {name}", f"parameter {name} has no value; pass --parameter {name}=VALUE")
    return _typed(declared["Default"], declared)


def _typed(value: Value, declared: Mapping[str, Value]) -> Value:
    if isinstance(value, str) and ("List" in str(declared.get("Type", ""))):
        return [item.strip() for item in value.split(",")]
    return value


def _get_att(argument: Value, scope: Scope) -> Value:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        return Unknown("Fn::GetAtt", "resource or attribute is worked out by CloudFormation")
    return Reference(parts[0], parts[1])


def _join(argument: Value, scope: Scope) -> Value:
    if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[0], str):
        return Unknown("Fn::Join", "it needs a separator and a list")
    items = resolve(argument[1], scope)
    if isinstance(items, Unknown):
        return items
    if not isinstance(items, list):
        return Unknown("Fn::Join", "its list is worked out by CloudFormation")
    parts: list[Value] = []
    for index, item in enumerate(items):
        if index and argument[0]:
            parts.append(argument[0])
        parts.append(item)
    return joined_text(parts)


def _sub(argument: Value, scope: Scope) -> Value:
    template, variables = argument if isinstance(argument, list) and len(argument) == 2 else (argument, {})
    if not isinstance(template, str) or not isinstance(variables, dict):
        return Unknown("Fn::Sub", "it needs a text, or a text and its variables")
    parts: list[Value] = []
    end = 0
    for match in _PLACEHOLDER.finditer(template):
        parts.append(template[end : match.start()])
        end = match.end()
        parts.append("${" + match[2] + "}" if match[1] else _substitute(match[2].strip(), variables, scope))
    parts.append(template[end:])
    return joined_text([part for part in parts if part != ""])


def _substitute(name: str, variables: Mapping[str, Value], scope: Scope) -> Value:
    if name in variables:
        return resolve(variables[name], scope)
    return _get_att(name, scope) if "." in name else _ref(name, scope)


def _if(argument: Value, scope: Scope) -> Value:
    if not isinstance(argument, list) or len(argument) != 3:
        return Unknown("Fn::If", "it needs a condition and two values")
    answer = holds(argument[0], scope)
    if isinstance(answer, Unknown):
        return answer
    return resolve(argument[1] if answer else argument[2], scope)


def _select(argument: Value, scope: Scope) -> Value:
    resolved = resolve(argument, scope)
    if isinstance(resolved, list) and len(resolved) == 2:
        index, items = resolved
        index = whole_number(index) if isinstance(index, str) else index
        if isinstance(items, list) and type(index) is int and 0 <= index < len(items):
            return items[index]
        if isinstance(items, Unknown):
            return items
    return Unknown("Fn::Select", "its list is worked out by CloudFormation")


def _split(argument: Value, scope: Scope) -> Value:
    resolved = resolve(argument, scope)
    if isinstance(resolved, list) and len(resolved) == 2 and isinstance(resolved[0], str):
        separator, source = resolved
        if isinstance(source, str) and separator:
            return source.split(separator)
        if isinstance(source, Partial) and separator:
            return _split_partial(separator, source)
        if isinstance(source, Unknown):
            return source
    return Unknown("Fn::Split", "its text is worked out by CloudFormation")


def _split_partial(separator: str, source: Partial) -> list[Value]:
    items: list[list[Value]] = [[]]
    for part in source.parts:
        if not isinstance(part, str):
            items[-1].append(part)
            continue
        first, *others = part.split(separator)
        items[-1].append(first)
        items.extend([other] for other in others)
    return [joined_text([piece for piece in item if piece != ""]) for item in items]


def _find_in_map(argument: Value, scope: Scope) -> Value:
    keys = resolve(argument, scope)
    if isinstance(keys, list) and len(keys) >= 3 and all(isinstance(key, str | int) for key in keys[:3]):
        value: Value = scope.template.get("Mappings", {})
        for key in keys[:3]:
            value = value.get(str(key), _MISSING) if isinstance(value, dict) else _MISSING
        if value is not _MISSING:
            return value
        if len(keys) > 3 and isinstance(keys[3], dict) and "DefaultValue" in keys[3]:
            return keys[3]["DefaultValue"]
        return Unknown("Fn::FindInMap " + ".".join(map(str, keys[:3])), "the template's mappings have no such entry")
    return Unknown("Fn::FindInMap", "one of its keys is not known before the deployment")


def _import_value(argument: Value, scope: Scope) -> Value:
    name = resolve(argument, scope)
    if isinstance(name, str):
        return scope.imports.get(
            name, Unknown(f"Fn::ImportValue {name}", "the export of another stack is not in this assembly")
        )
    return Unknown("Fn::ImportValue", "the name of the export is not known before the deployment")


def _base64(argument: Value, scope: Scope) -> Value:
    value = resolve(argument, scope)
    if not isinstance(value, str):
        return value if is_hole(value) else Unknown("Fn::Base64", "it needs a text")
    try:
        return base64.b64encode(value.encode()).decode()
    except UnicodeEncodeError:
        return Unknown("Fn::Base64", "its text cannot be written as UTF-8")


def _equals(argument: Value, scope: Scope) -> bool | Unknown:
    sides = resolve(argument, scope)
    if not isinstance(sides, list) or len(sides) != 2:
        return Unknown("Fn::Equals", "it needs two values")
    for side in sides:
        if isinstance(side, Unknown):
            return side
        if isinstance(side, Reference | Partial):
            return Unknown("Fn::Equals", "one side is only known after the deployment")
    return scalar(sides[0]) == scalar(sides[1])


def _not(argument: Value, scope: Scope) -> bool | Unknown:
    if not isinstance(argument, list) or len(argument) != 1:
        return Unknown("Fn::Not", "it needs one condition")
    answer = holds(argument[0], scope)
    return answer if isinstance(answer, Unknown) else not answer


def _every(argument: Value, scope: Scope) -> bool | Unknown:
    if not isinstance(argument, list) or not argument:
        return Unknown("Fn::And", "it needs conditions")
    answers = [holds(part, scope) for part in argument]
    if any(answer is False for answer in answers):
        return False
    return next((answer for answer in answers if isinstance(answer, Unknown)), True)


def _any(argument: Value, scope: Scope) -> bool | Unknown:
    if not isinstance(argument, list) or not argument:
        return Unknown("Fn::Or", "it needs conditions")
    answers = [holds(part, scope) for part in argument]
    if any(answer is True for answer in answers):
        return True
    return next((answer for answer in answers if isinstance(answer, Unknown)), False)


_CONDITIONS: dict[str, Callable[[Value, Scope], bool | Unknown]] = {
    "Condition": holds,
    "Fn::Equals": _equals,
    "Fn::Not": _not,
    "Fn::And": _every,
    "Fn::Or": _any,
}

_FUNCTIONS: dict[str, Callable[[Value, Scope], Value]] = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::Join": _join,
    "Fn::Sub": _sub,
    "Fn::If": _if,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::FindInMap": _find_in_map,
    "Fn::ImportValue": _import_value,
    "Fn::Base64": _base64,
}
