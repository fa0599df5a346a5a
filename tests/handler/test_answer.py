"""The body of an answer: whole, valid, at most 4,096 bytes, and with its first and last line."""

from __future__ import annotations

import json

import pytest

from quota_handler.answer import FAILED, MOST_BYTES, SUCCESS, Answer, body_of
from quota_handler.request import parse_request

STREAM = "2026/11/29/[$LATEST]0123456789abcdef"


def request():
    return parse_request(
        {
            "RequestType": "Update",
            "RequestId": "5f0d1c5e-7f5c-4a4b-8f0e-0d6f2a1b3c4d",
            "ResponseURL": "https://answers.test/?Signature=secret",
            "StackId": "arn:aws:cloudformation:eu-west-1:111122223333:stack/" + "s" * 128 + "/" + "1" * 36,
            "LogicalResourceId": "L" * 255,
            "ResourceType": "Custom::QuotaGuard",
            "PhysicalResourceId": "quota-guard",
        }
    )


FIRST = {
    "plain": "queue training: share research 8 to 4. To deploy it anyway: cdk deploy -c quota-acknowledge=a-1-2",
    "not ASCII": "Warteschlange „Träume“: 研究 wird gekürzt: 4 → 2 🚀",
    "escapes": 'tabs\tand "quotes" and \\ and \u2028 and \x00',
    "half a surrogate pair": "odd \ud83d name",
}
LINES = {
    "none": (),
    "few": ("one", "two"),
    "20 shares with 5 types": tuple(
        f"Anteil-Größe-{share} ({'ß' * 40}): possible, share 研究-{share}, 4 ml.p4d.24xlarge, 3 ml.g5.xlarge, "
        f"2 ml.g6.xlarge, 1 ml.p5.48xlarge, 1 ml.trn1.32xlarge, 123.4 GPU-hours, owner 山田"
        for share in range(20)
    ),
    "one that is too long": ("x" * 10_000,),
    "many": tuple(f"line {number}" for number in range(5_000)),
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
@pytest.mark.parametrize("status", [SUCCESS, FAILED])
def test_a_body_fits_and_keeps_the_first_line_and_the_log_stream(
    status: str, first: str, lines: tuple[str, ...]
) -> None:
    answer = Answer(status, "quota-guard", (first, *lines), log_stream=STREAM)
    body = body_of(answer, request())
    assert len(body) <= MOST_BYTES
    decoded = json.loads(body)
    given_first, *rest = decoded["Reason"].split("\n")
    assert given_first == first.encode("utf-8", "replace").decode()
    if status == FAILED:
        assert rest[-1] == f"CloudWatch Log Stream: {STREAM}"
    if len(rest) < len(lines):
        assert any(line.endswith((" more lines in the log)", "(1 more line in the log)")) for line in rest)
    assert {name: decoded[name] for name in ("Status", "PhysicalResourceId", "StackId")} == {
        "Status": status,
        "PhysicalResourceId": "quota-guard",
        "StackId": request().stack_id,
    }


def test_no_line_is_left_out_that_would_have_fitted() -> None:
    lines = tuple(f"line {number} {'ä' * 20}" for number in range(500))
    body = body_of(Answer(FAILED, "quota-guard", ("first", *lines), log_stream=STREAM), request())
    kept = json.loads(body)["Reason"].count("line ")
    one_more = Answer(FAILED, "quota-guard", ("first", *lines[: kept + 1]), log_stream=STREAM)
    assert len(body_of(one_more, request())) <= MOST_BYTES
    assert MOST_BYTES - len(body) < len(json.dumps(lines[0], ensure_ascii=False).encode()) + 40


def test_attributes_that_are_too_long_are_cut_the_longest_first() -> None:
    data = {"Summary": "ü" * 9_000, "Acknowledge": "a1b2c3d4e5f6-12-3400", "Verdict": "at_risk"}
    body = body_of(Answer(SUCCESS, "quota-guard", data=data), request())
    assert len(body) <= MOST_BYTES
    decoded = json.loads(body)["Data"]
    assert decoded["Summary"].endswith("…")
    assert {name: decoded[name] for name in ("Acknowledge", "Verdict")} == {
        "Acknowledge": "a1b2c3d4e5f6-12-3400",
        "Verdict": "at_risk",
    }


def test_a_first_line_that_is_too_long_alone_is_cut_last() -> None:
    body = body_of(Answer(FAILED, "quota-guard", ("é" * 9_000, "more"), log_stream=STREAM), request())
    assert len(body) <= MOST_BYTES
    first, last = json.loads(body)["Reason"].split("\n")
    assert first.endswith("é…")
    assert last == f"CloudWatch Log Stream: {STREAM}"


def test_a_physical_id_stays_within_a_kilobyte() -> None:
    body = body_of(Answer(SUCCESS, "i" * 3_000), request())
    assert len(json.loads(body)["PhysicalResourceId"].encode()) <= 1024
