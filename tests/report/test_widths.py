"""Names in every width: what is shown on a terminal of 40, 50, 80 columns can be told apart, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from cli_support import share, state, walkthrough
from report_support import DEMO, assessed, realistic, realistic_change
from rich.text import Text

from quota_constructs.cli.assessed import print_plans
from quota_constructs.cli.console import plain_text
from quota_constructs.report.shorten import shortened
from quota_constructs.report.status import status_document
from quota_constructs.report.status_text import status_table
from quota_constructs.report.terminal_table import Column, fit
from quota_scheduler import Knobs, parse_state

WIDTHS = (40, 50, 80, 120)


def printed_status(document: dict[str, object]) -> str:
    before = parse_state(document)
    shown = status_document(before, Knobs())
    return plain_text(lambda console: console.print(status_table(console, shown, before.at)))


def printed_plan(document: dict[str, object], change: dict[str, object]) -> str:
    return plain_text(lambda console: print_plans(console, [assessed(document, change)]))


def in_one_line(text: str) -> str:
    """A text without what a narrow terminal puts between its letters."""
    return re.sub(r"\s+", "", text)


@pytest.fixture(params=WIDTHS)
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    width: int = request.param
    return width


def test_a_status_names_every_share_and_its_type(columns: int) -> None:
    lines = printed_status(walkthrough()).splitlines()
    rows = [line for line in lines if re.match(r"  QS\d +ml\.g5\.xlarge  ", line)]
    assert [row.split()[0] for row in rows] == ["QS1", "QS2", "QS3"]
    assert max(map(len, lines)) <= columns


def test_a_status_has_the_numbers_of_every_share(columns: int) -> None:
    document = state({name: share(1_234) for name in ("east", "west")}, [], environment=2_468)
    text = printed_status(document)
    assert text.count("1,234") == 2
    assert ("idle" in text) == (columns >= 80)


def test_shares_and_jobs_of_a_plan_have_their_names(columns: int) -> None:
    document, change, _ = DEMO["cut-blocked"]
    text = printed_plan(document, change)
    assert re.search(r"  QS1  +ml\.g5\.xlarge  +2 → 1 ", text)
    assert re.search(r"  QS2  +ml\.g5\.xlarge  +1 → 2 ", text)
    assert re.search(r"  likely +resnet <script>.*  QS1\b", text) or "share QS1" in text
    assert max(map(len, text.splitlines()[:-1])) <= columns  # the last line is a command to copy


@pytest.mark.usefixtures("columns")
def test_rows_with_realistic_names_can_be_told_apart() -> None:
    text = printed_plan(realistic(), realistic_change())
    rows = re.findall(r"(?m)^  (?:likely|possible|eligible) +(\S+)", text)
    assert len(rows) == len(set(rows)) == 3
    assert {name for name in ("with_0", "with_1", "with_2") if name in " ".join(rows)} == {"with_0", "with_1", "with_2"}
    shares = re.findall(r"(?m)^  (\S+)  +ml\.g5\.xlarge\b", text)
    assert len(shares) == len(set(shares)) == 2


@pytest.mark.usefixtures("columns")
def test_nothing_is_lost_where_it_has_no_room() -> None:
    text = in_one_line(printed_plan(realistic(), realistic_change()))
    assert {name in text for name in realistic()["shares"]} == {True}
    assert {f"DataScience/{person}@example.com" in text for person in ("ann", "bob", "carol")} == {True}
    assert text.count("4,000") >= 2
    assert "arn:aws" not in text


NAMES = {
    "those that fit stay": (["asr", "tts-large"], 9, ["asr", "tts-large"]),
    "different at the end": (["pretraining-run-1", "pretraining-run-2"], 9, ["pretra…-1", "pretra…-2"]),
    "different at the beginning": (["a-model-of-1-tail", "b-model-of-1-tail"], 9, ["a-mode…il", "b-mode…il"]),
    "different only in the middle": (
        ["training-run-1-of-the-model", "training-run-2-of-the-model"],
        9,
        ["tr…n-1-o…", "tr…n-2-o…"],
    ),
    "different in their length": (["x" * 12, "x" * 13], 9, ["xx…xx", "xx…xxx"]),
    "a name that looks like a cut one": (["abcde…yz", "abcdefghijklmnopqrstuvwxyz"], 8, ["abcde…yz", "ab…z"]),
    "none": ([], 9, []),
}


@pytest.mark.parametrize(("names", "width", "want"), NAMES.values(), ids=NAMES)
def test_shortened(names: list[str], width: int, want: list[str]) -> None:
    cut = shortened(names, width)
    assert [cut[name] for name in names] == want


def test_shortened_never_is_longer_than_asked_for() -> None:
    names = [f"{letter * 30}-{number}-{letter * 30}" for letter in "ab" for number in range(20)]
    for width in range(4, 64):
        assert max(map(len, shortened(names, width).values())) <= width


def columns_of(*sizes: tuple[str, int, int, int | None]) -> list[Column]:
    return [Column(title, [Text("x" * size)], rank, least) for title, size, rank, least in sizes]


FITS = {
    "all": (columns_of(("job", 10, 0, 8), ("size", 6, 1, None)), 20, {"job": 10, "size": 6}),
    "the name is cut before a column goes": (
        columns_of(("job", 30, 0, 8), ("size", 6, 1, None)),
        20,
        {"job": 12, "size": 6},
    ),
    "the one of the highest rank goes": (
        columns_of(("owner", 6, 2, None), ("job", 30, 0, 8), ("size", 6, 1, None)),
        20,
        {"job": 12, "size": 6},
    ),
    "and none of a higher rank takes its place": (
        columns_of(("job", 30, 0, 8), ("size", 20, 1, None), ("n", 1, 2, None)),
        20,
        {"job": 20},
    ),
    "the first stays whatever the room": (columns_of(("job", 30, 0, None)), 5, {"job": 5}),
    "a heading is room, too": (
        columns_of(
            ("GPU-hours", 1, 0, None),
        ),
        20,
        {"GPU-hours": 9},
    ),
    "a heading of two words may take two lines": (
        columns_of(("job", 30, 0, 8), ("over limit", 1, 1, None)),
        20,
        {"job": 13, "over limit": 5},
    ),
}


@pytest.mark.parametrize(("shown", "room", "want"), FITS.values(), ids=FITS)
def test_fit(shown: list[Column], room: int, want: dict[str, int]) -> None:
    assert fit(shown, room) == want
