"""JSON texts with pieces that are not known yet."""

from __future__ import annotations

import doctest
from dataclasses import dataclass

import pytest

from quota_constructs import _json_with_holes
from quota_constructs._json_with_holes import parse_with_holes


@dataclass(frozen=True)
class Hole:
    number: int


A, B = Hole(0), Hole(1)

CASES = {
    "no hole": (['{"a": [1, "x", null, true]}'], {"a": [1, ("x",), None, True]}),
    "in quotes": (['{"a": "x', A, "y", B, '"}'], {"a": ("x", A, "y", B)}),
    "all of a text": (['{"a": "', A, '"}'], {"a": (A,)}),
    "outside of quotes": (['{"a": ', A, "}"], {"a": (A,)}),
    "the whole": ([A], (A,)),
    "an empty text": (['{"a": ""}'], {"a": ()}),
    "the digits that stand for holes, as a text": (
        ['{"a": "900719925474000000000 900719925475", "b": ', A, "}"],
        {"a": ("900719925474000000000 900719925475",), "b": (A,)},
    ),
    "the digits as a number": (["[900719925474000000000, ", A, "]"], [900719925474000000000, (A,)]),
    "more holes than three digits count": (
        ["[", *(part for number in range(1500) for part in (Hole(number), ",")), "0]"],
        [*((Hole(number),) for number in range(1500)), 0],
    ),
}


@pytest.mark.parametrize(("pieces", "want"), CASES.values(), ids=CASES)
def test_each_hole_is_found_in_its_place(pieces: list[object], want: object) -> None:
    assert want == parse_with_holes(pieces)


def test_texts_are_made_by_the_caller() -> None:
    assert parse_with_holes(['["x', A, '"]'], lambda parts: f"<{len(parts)}>") == ["<2>"]


def test_fails_for_what_is_no_json() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        parse_with_holes(["{", A, "}"])


def test_the_example_holds() -> None:
    assert doctest.testmod(_json_with_holes).failed == 0
