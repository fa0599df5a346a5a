"""What intrinsic functions come to, as far as it can be known before a deployment."""

from __future__ import annotations

from typing import Any

import pytest

from quota_constructs.assembly.intrinsics import _CONDITIONS, _FUNCTIONS, Scope, holds, resolve
from quota_constructs.assembly.values import Partial, Reference, Unknown

TEMPLATE: dict[str, Any] = {
    "Parameters": {
        "Cap": {"Type": "Number", "Default": 3},
        "Names": {"Type": "CommaDelimitedList", "Default": "a, b"},
        "Open": {"Type": "String"},
        "Stored": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/quota/cap"},
    },
    "Mappings": {"Sizes": {"eu-west-1": {"cap": 8}}},
    "Conditions": {
        "IsEurope": {"Fn::Equals": [{"Ref": "AWS::Region"}, "eu-west-1"]},
        "IsOther": {"Fn::Not": [{"Condition": "IsEurope"}]},
        "IsOpen": {"Fn::Equals": [{"Ref": "Open"}, "yes"]},
        "Both": {"Fn::And": [{"Condition": "IsEurope"}, {"Condition": "IsOpen"}]},
        "Never": {"Fn::And": [{"Condition": "IsOther"}, {"Condition": "IsOpen"}]},
        "Circle": {"Fn::Not": [{"Condition": "Circle"}]},
        "Either": {"Fn::Or": [{"Condition": "IsEurope"}, {"Condition": "IsOpen"}]},
    },
    "Resources": {"Queue": {"Type": "AWS::Batch::JobQueue"}},
}
SCOPE = Scope(TEMPLATE, {}, {"AWS::Region": "eu-west-1"}, {"shared": "from another stack"})

KNOWN = {
    "a plain value stays": (7, 7),
    "a parameter takes its default": ({"Ref": "Cap"}, 3),
    "a list parameter is split": ({"Ref": "Names"}, ["a", "b"]),
    "a pseudo parameter that is known": ({"Ref": "AWS::Region"}, "eu-west-1"),
    "join with a separator": ({"Fn::Join": ["-", ["a", {"Ref": "Cap"}, True]]}, "a-3-true"),
    "join of a list parameter": ({"Fn::Join": ["+", {"Ref": "Names"}]}, "a+b"),
    "join of nothing": ({"Fn::Join": [",", []]}, ""),
    "sub with own and given names": ({"Fn::Sub": ["${Cap} ${x} ${!kept}", {"x": "y"}]}, "3 y ${kept}"),
    "sub of a text": ({"Fn::Sub": "cap=${Cap}"}, "cap=3"),
    "if that holds": ({"Fn::If": ["IsEurope", 1, 2]}, 1),
    "if that does not": ({"Fn::If": ["IsOther", 1, 2]}, 2),
    "if with nested functions": ({"Fn::If": ["Either", {"Ref": "Cap"}, 0]}, 3),
    "no value leaves a member out": ({"a": 1, "b": {"Ref": "AWS::NoValue"}}, {"a": 1}),
    "no value leaves an item out": ([1, {"Fn::If": ["IsOther", 2, {"Ref": "AWS::NoValue"}]}], [1]),
    "select": ({"Fn::Select": ["1", {"Ref": "Names"}]}, "b"),
    "split and select": ({"Fn::Select": [2, {"Fn::Split": [":", "a:b:c"]}]}, "c"),
    "find in map": ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "cap"]}, 8),
    "find in map with a default": ({"Fn::FindInMap": ["Sizes", "x", "cap", {"DefaultValue": 5}]}, 5),
    "import of a known export": ({"Fn::ImportValue": "shared"}, "from another stack"),
    "base64": ({"Fn::Base64": "hi"}, "aGk="),
    "a map with several members is no function": ({"Ref": "Cap", "other": 1}, {"Ref": "Cap", "other": 1}),
}


@pytest.mark.parametrize(("value", "want"), KNOWN.values(), ids=KNOWN)
def test_resolve_gives_what_is_known(value: object, want: object) -> None:
    assert resolve(value, SCOPE) == want


def test_resolve_prefers_a_given_parameter() -> None:
    scope = Scope(TEMPLATE, {"Cap": "9", "Names": "x,y,z"})
    assert resolve([{"Ref": "Cap"}, {"Ref": "Names"}], scope) == ["9", ["x", "y", "z"]]


REFERENCES = {
    "ref to a resource": ({"Ref": "Queue"}, Reference("Queue")),
    "attribute as a list": ({"Fn::GetAtt": ["Queue", "JobQueueArn"]}, Reference("Queue", "JobQueueArn")),
    "attribute as a text": ({"Fn::GetAtt": "Queue.JobQueueArn"}, Reference("Queue", "JobQueueArn")),
    "attribute inside a text": (
        {"Fn::Sub": "${Queue.JobQueueArn}/quota-share/a"},
        Partial((Reference("Queue", "JobQueueArn"), "/quota-share/a")),
    ),
}


@pytest.mark.parametrize(("value", "want"), REFERENCES.values(), ids=REFERENCES)
def test_resolve_keeps_references(value: object, want: object) -> None:
    assert resolve(value, SCOPE) == want


UNKNOWN = {
    "a parameter without a value": ({"Ref": "Open"}, "Ref Open", "pass --parameter Open=VALUE"),
    "a value of the parameter store": ({"Ref": "Stored"}, "Ref Stored", "parameter store"),
    "a name that nothing has": ({"Ref": "Typo"}, "Ref Typo", "no parameter and no resource"),
    "the account of a stack that goes anywhere": ({"Ref": "AWS::AccountId"}, "Ref AWS::AccountId", "deployed"),
    "an export of elsewhere": ({"Fn::ImportValue": "other"}, "Fn::ImportValue other", "another stack"),
    "a map entry that is not there": ({"Fn::FindInMap": ["Sizes", "x", "y"]}, "Fn::FindInMap Sizes.x.y", "no such"),
    "a function that is not known": ({"Fn::GetAZs": ""}, "Fn::GetAZs", "CloudFormation"),
    "a condition on something open": ({"Fn::If": ["IsOpen", 1, 2]}, "Ref Open", "no value"),
    "a condition that is not there": ({"Fn::If": ["Typo", 1, 2]}, "Condition Typo", "no condition"),
    "an index that is no number": ({"Fn::Select": ["²", ["a"]]}, "Fn::Select", "CloudFormation"),
    "an index that is true": ({"Fn::Select": [True, ["a", "b"]]}, "Fn::Select", "CloudFormation"),
    "a name that is none": ({"Ref": ["Cap"]}, "Ref", "it needs a name"),
    "a text with variables that are none": ({"Fn::Sub": ["${x}", "x"]}, "Fn::Sub", "a text and its variables"),
    "a number as base64": ({"Fn::Base64": 3}, "Fn::Base64", "it needs a text"),
    "half of a surrogate pair": ({"Fn::Base64": "\ud800"}, "Fn::Base64", "UTF-8"),
    "a condition on itself": ({"Fn::If": ["Circle", 1, 2]}, "Condition Circle", "it depends on itself"),
    "not of nothing": ({"Fn::If": [{"Fn::Not": []}, 1, 2]}, "Fn::Not", "it needs one condition"),
    "and of no list": ({"Fn::If": [{"Fn::And": 3}, 1, 2]}, "Fn::And", "it needs conditions"),
    "or of nothing": ({"Fn::If": [{"Fn::Or": []}, 1, 2]}, "Fn::Or", "it needs conditions"),
    "an index beyond the list": ({"Fn::Select": [9, ["a"]]}, "Fn::Select", "CloudFormation"),
}


@pytest.mark.parametrize(("value", "want_expression", "want_reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_resolve_says_what_is_not_known(value: object, want_expression: str, want_reason: str) -> None:
    found = resolve(value, SCOPE)
    assert isinstance(found, Unknown)
    assert (found.expression, want_reason in found.reason) == (want_expression, True)


def test_join_keeps_the_place_of_a_hole() -> None:
    found = resolve({"Fn::Join": ["", ['{"cap":', {"Ref": "Open"}, "}"]]}, SCOPE)
    assert isinstance(found, Partial)
    assert [part if isinstance(part, str) else "?" for part in found.parts] == ['{"cap":', "?", "}"]


def test_split_of_a_text_with_a_hole() -> None:
    value = {"Fn::Select": [1, {"Fn::Split": ["/", {"Fn::Join": ["/", [{"Ref": "Open"}, "queue", "rest"]]}]}]}
    assert resolve(value, SCOPE) == "queue"


CONDITIONS = {"IsEurope": True, "IsOther": False, "Either": True, "Never": False}


@pytest.mark.parametrize(("name", "want"), CONDITIONS.items())
def test_conditions_that_are_known(name: str, want: bool) -> None:
    assert holds(name, SCOPE) is want


@pytest.mark.parametrize("name", ["IsOpen", "Both"])
def test_conditions_that_are_not_known(name: str) -> None:
    assert isinstance(holds(name, SCOPE), Unknown)


NO_ARGUMENTS = (
    *(None, True, 3, 1.5, "", "²", "\ud800", "a.b", [], {}),
    *([None], ["²"], [[]], [None, None], ["²", ["a"]], ["", "a"], ["a", 3], [{}, {}], [3, None, []]),
    *({"a": 1}, {"Ref": None}, {"Fn::Not": []}, ["a", "b", "c", "d"], [["a"], ["b"], ["c"]]),
)


@pytest.mark.parametrize("argument", NO_ARGUMENTS, ids=repr)
@pytest.mark.parametrize("name", [*_FUNCTIONS, *_CONDITIONS])
def test_an_argument_that_makes_no_sense_never_stops_the_reading(name: str, argument: object) -> None:
    resolve({name: argument}, SCOPE)
    assert isinstance(holds({name: argument}, SCOPE), bool | Unknown)
