"""Whole numbers that are given as text."""

from __future__ import annotations

import pytest

from quota_scheduler.digits import whole_number

TEXTS = {
    "digits": ("12", 12),
    "a minus in front": ("-12", -12),
    "zeros in front": ("007", 7),
    "as many digits as are allowed": ("9" * 18, 10**18 - 1),
    "more digits": ("9" * 19, None),
    "very many digits": ("9" * 5000, None),
    "nothing": ("", None),
    "a minus alone": ("-", None),
    "two minuses": ("--1", None),
    "a plus": ("+1", None),
    "a fraction": ("1.0", None),
    "spaces": (" 1", None),
    "an underscore": ("1_000", None),
    "a superscript": ("²", None),
    "digits of another script": ("٣", None),
    "a number that is none of text": (3, None),
    "true": (True, None),
}


@pytest.mark.parametrize(("text", "want"), TEXTS.values(), ids=TEXTS)
def test_whole_number(text: object, want: int | None) -> None:
    assert whole_number(text) == want


def test_the_number_of_digits_can_be_less() -> None:
    assert (whole_number("-123", 3), whole_number("1234", 3)) == (-123, None)
