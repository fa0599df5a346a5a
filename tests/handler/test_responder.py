"""One answer to each request, delivered over HTTP as CloudFormation's address wants it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from answer_address import SECRET, Address

from quota_handler.answer import FAILED, SUCCESS, Answer
from quota_handler.request import parse_request
from quota_handler.responder import Responder, ResponseError, put

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def address() -> Iterator[Address]:
    made = Address()
    yield made
    made.close()


def request(url: str = "https://answers.test/"):
    return parse_request(
        {
            "RequestType": "Create",
            "RequestId": "r",
            "ResponseURL": url,
            "StackId": "s",
            "LogicalResourceId": "l",
            "ResourceType": "Custom::QuotaGuard",
        }
    )


def no_sleep(seconds: float) -> None:
    assert seconds > 0


def test_an_answer_is_put_once_with_the_signed_path_and_no_content_type(address: Address) -> None:
    put(address.url, "{ä}".encode())
    ((method, path, headers, body),) = address.received
    assert (method, path, body) == ("PUT", f"/bucket/key%7Cid?{SECRET}", "{ä}".encode())
    assert headers["Content-Type"] == ""
    assert headers["Content-Length"] == "4"


@pytest.mark.parametrize(("statuses", "want_puts"), [([500, 200], 2), ([0, 0, 200], 3), ([503, 503, 200], 3)], ids=str)
def test_the_same_body_is_put_again_where_nothing_says_it_arrived(
    address: Address, statuses: list[int], want_puts: int
) -> None:
    address.statuses = statuses
    put(address.url, b"body", no_sleep)
    assert [body for *_, body in address.received] == [b"body"] * want_puts


@pytest.mark.parametrize(("status", "want_puts"), [(403, 1), (500, 3), (0, 3)])
def test_fails_without_showing_the_address(address: Address, status: int, want_puts: int) -> None:
    address.statuses = [status]
    with pytest.raises(ResponseError) as caught:
        put(address.url, b"body", no_sleep)
    assert len(address.received) == want_puts
    assert SECRET not in repr(caught.getrepr(style="long"))  # values in tracebacks come from the log too
    assert "127.0.0.1" not in str(caught.value)


def test_fails_for_an_address_that_is_neither_http_nor_https() -> None:
    with pytest.raises(ResponseError, match="neither http nor https"):
        put("file:///etc/passwd", b"body", no_sleep)


def test_only_the_first_answer_is_given() -> None:
    puts: list[bytes] = []
    responder = Responder(request(), lambda url, body: puts.append(body))
    first = Answer(SUCCESS, "a")
    assert (responder.answer(first), responder.answer(Answer(FAILED, "b"))) == (first, first)
    assert responder.is_answered
    assert len(puts) == 1


def test_the_watchdog_answers_when_the_work_does_not() -> None:
    delivered = threading.Event()
    puts: list[bytes] = []

    def deliver(url: str, body: bytes) -> None:
        puts.append(body)
        delivered.set()

    responder = Responder(request(), deliver)
    responder.watch(0.0, lambda: Answer(FAILED, "a", ("time ran out",)))
    assert delivered.wait(10)
    assert responder.answer(Answer(SUCCESS, "late")).reason == ("time ran out",)
    assert len(puts) == 1


def test_the_watchdog_is_quiet_once_the_work_has_answered() -> None:
    puts: list[bytes] = []
    responder = Responder(request(), lambda url, body: puts.append(body))
    responder.watch(3600, lambda: Answer(FAILED, "a", ("time ran out",)))
    responder.answer(Answer(SUCCESS, "a"))
    assert len(puts) == 1
    assert not [
        thread
        for thread in threading.enumerate()
        if isinstance(thread, threading.Timer) and not thread.finished.is_set()
    ]


def test_a_request_does_not_show_its_address() -> None:
    assert SECRET not in repr(request(f"https://answers.test/?{SECRET}"))
