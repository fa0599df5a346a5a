"""The local Batch over HTTP: an ASGI application, and the control endpoints beside the Batch API.

    GET  /_quota/health
    POST /_quota/advance {"seconds": n}     jump ahead
    GET  /_quota/events[?after=number]      the event log
    POST /_quota/faults                     rules that make calls fail (faults.py); an empty list ends them
    POST /_quota/scarcity {"instanceType": "…", "available": n or null}

Control endpoints act on the account and Region that the query names (`?region=…&account=…`), else on those that the
request is signed for, else on the only ones in use.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from quota_constructs.local.control import control_answer
from quota_constructs.local.faults import LATENCY, LOST_RESPONSE, LostResponseError
from quota_constructs.local.training_jobs import TARGET

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from quota_constructs.local.accounts import Accounts
    from quota_constructs.local.service import Answer

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 1024 * 1024
"""More than any Batch request may have; the rest is not read."""


class BatchApp:
    """Answers Batch requests.

    Args:
        accounts: the local Batches.
    """

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or the server's question whether to start."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            headers = _headers(scope)
            body = await read_body(receive)
            batch = self._accounts.for_request(headers)
            query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            await respond(send, batch.handle(scope["method"], scope["path"], headers, body, query))
        else:
            await send({"type": "websocket.close", "code": 1008})


class WithControl:
    """Puts the control endpoints in front of another application, and loses the responses that are to be lost.

    Args:
        app: answers everything else.
        accounts: the local Batches.
        ready: called when the application has started.
    """

    def __init__(self, app: App, accounts: Accounts, ready: Callable[[], None]) -> None:
        self._app = app
        self._accounts = accounts
        self._ready = ready

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, self._announcing(send))
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _headers(scope).get("x-amz-target", "").startswith(TARGET):
            await BatchApp(self._accounts)(scope, receive, send)
        elif scope["path"].startswith("/_quota/"):
            headers = _headers(scope)
            query = parse_qs(scope["query_string"].decode("latin-1"))
            body = await read_body(receive)
            await respond(send, control_answer(self._accounts, scope["method"], scope["path"], headers, body, query))
        else:
            await self._app(scope, receive, _with_faults(send))

    def _announcing(self, send: Send) -> Send:
        async def announce(message: Message) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self._ready()

        return announce


def _with_faults(send: Send) -> Send:
    """Hold back a response that is marked as late; cut the connection of one that is marked as lost."""

    async def send_with_faults(message: Message) -> None:
        marks = {}
        if message["type"] == "http.response.start":
            fields = [(bytes(name).lower().decode("latin-1"), value) for name, value in message.get("headers", ())]
            marks = {name: value for name, value in fields if name in (LATENCY, LOST_RESPONSE)}
        if LATENCY in marks:
            await asyncio.sleep(float(marks[LATENCY]))
        if LOST_RESPONSE not in marks:
            await send(message)
            return
        # A response that promises more than it brings: the server closes the connection, the client gets no answer.
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
        raise LostResponseError

    return send_with_faults


async def read_body(receive: Receive) -> bytes:
    """Read a request's body, at most `MAX_BODY_BYTES` of it."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        if size < MAX_BODY_BYTES:
            parts.append(message.get("body", b""))
            size += len(parts[-1])
        if not message.get("more_body"):
            return b"".join(parts)


async def respond(send: Send, answer: Answer) -> None:
    """Send a response."""
    status, headers, body = answer
    fields = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    fields.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


def _headers(scope: Message) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
