"""Sends the one answer to a request, also when time runs out.

Whoever comes first answers: the work, or the watchdog shortly before the function is stopped. The pre-signed address
goes into no log and no error.
"""

from __future__ import annotations

import http.client
import json
import ssl
import sys
import threading
import time

from quota_handler.answer import body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_handler.answer import Answer
    from quota_handler.request import Request

TIMEOUT_SECONDS = 10.0
ATTEMPTS = 3
_PAUSE_SECONDS = 0.5
_SERVER_FAULT = 500


class ResponseError(RuntimeError):
    """The answer could not be delivered. The address is left out on purpose."""


class Responder:
    """Answers one request, once.

    Args:
        request: what is answered.
        put: delivers a body to an address.
    """

    def __init__(self, request: Request, put: Callable[[str, bytes], None]) -> None:
        self._request = request
        self._put = put
        self._lock = threading.Lock()
        self._answer: Answer | None = None
        self._timer: threading.Timer | None = None

    @property
    def is_answered(self) -> bool:
        """Whether an answer was given; what is still running must change nothing any more."""
        return self._answer is not None

    def watch(self, seconds: float, last_words: Callable[[], Answer]) -> None:
        """Answer with the last words if nothing else was answered in time.

        Args:
            seconds: until then, at least 0.
            last_words: gives the answer, with how far the work has come.
        """
        self._timer = threading.Timer(max(0.0, seconds), lambda: self.answer(last_words()))
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        """Send the watchdog home."""
        if self._timer is not None:
            self._timer.cancel()

    def answer(self, answer: Answer) -> Answer:
        """Answer, unless the request was answered before.

        Args:
            answer: what to tell.

        Returns:
            The answer that was given, which may be an earlier one.

        Raises:
            ResponseError: it could not be delivered.
        """
        with self._lock:
            if self._answer is not None:
                return self._answer
            self._answer = answer
            self.close()
            self._put(self._request.response_url, body_of(answer, self._request))
        return answer


def put(
    url: str,
    body: bytes,
    sleep: Callable[[float], None] = time.sleep,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> None:
    """Put a body to a pre-signed address. The same body is tried again where nothing says that it arrived.

    Args:
        url: the address; its query is part of the signature.
        body: of the request.
        sleep: waits for that many seconds.
        timeout_seconds: for connecting, and for the answer.

    Raises:
        ResponseError: it was refused, or did not arrive in three tries.
    """
    failure = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            sleep(_PAUSE_SECONDS * 2**attempt)
        try:
            status = _put_once(url, body, timeout_seconds)
        except (OSError, http.client.HTTPException) as error:
            failure = type(error).__name__
            continue
        if status < http.HTTPStatus.MULTIPLE_CHOICES:
            return
        failure = f"status {status}"
        if status < _SERVER_FAULT:
            break
    raise ResponseError(f"the answer could not be delivered: {failure}")


def _put_once(url: str, body: bytes, timeout_seconds: float) -> int:
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    connection: http.client.HTTPConnection
    if scheme == "https":
        connection = http.client.HTTPSConnection(host, timeout=timeout_seconds, context=ssl.create_default_context())
    elif scheme == "http":
        connection = http.client.HTTPConnection(host, timeout=timeout_seconds)
    else:
        raise ResponseError("the answer could not be delivered: its address is neither http nor https")
    try:
        # An empty content type: the signature was made without one.
        connection.request("PUT", slash + path, body, {"Content-Type": "", "Content-Length": str(len(body))})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def log(kind: str, **members: object) -> None:
    """Write one JSON line to the function's log.

    Args:
        kind: what the line is about.
        members: of the line.
    """
    line = json.dumps({"kind": kind, **members}, ensure_ascii=False, separators=(",", ":"), default=str)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
