"""The Lambda function: one event in, one answer out.

Every event is answered, also when something is wrong that nobody thought of, or when time runs out: CloudFormation
would wait for minutes otherwise.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace

from quota_handler.answer import FAILED, SUCCESS, Answer
from quota_handler.request import CREATE, DELETE, FAILED_CREATE, GUARD_ID, Request, RequestError, parse_request
from quota_handler.responder import Responder, log, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from quota_handler.guard import Verdict
    from quota_live.clients import Clients

    class Context(Protocol):
        """What Lambda tells a function about its run."""

        log_stream_name: str

        def get_remaining_time_in_millis(self) -> int:
            """Give the time until the function is stopped."""
            ...


GUARD = "Custom::QuotaGuard"
SHARE = "Custom::QuotaShare"

OWNER_TAG_VARIABLE = "QUOTA_OWNER_TAG"

WATCHDOG_SECONDS = 10.0
"""So long before the function is stopped the watchdog answers."""

RESERVE_SECONDS = 20.0
"""So long before that end the work stops by itself, to tell how far it came."""

_clients: list[Clients] = []
_blocked: set[str] = set()


def on_event(event: Mapping[str, object], context: Context) -> None:
    """Serve one event of CloudFormation.

    Args:
        event: the request, with the address for the answer.
        context: of the run.

    Raises:
        RequestError: the event is none of CloudFormation.
        ResponseError: the answer could not be delivered.
    """
    serve(event, context, Surroundings(shared_clients, put, time.sleep, lambda: int(time.time() * 1000), _blocked))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run needs of the world.

    Args:
        make_clients: gives the clients of the account.
        deliver: puts a body to an address.
        sleep: waits for that many seconds.
        now: milliseconds since 1970 UTC.
        blocked: what the guards have blocked in this process without having read the account.
    """

    make_clients: Callable[[], Clients]
    deliver: Callable[[str, bytes], None]
    sleep: Callable[[float], None]
    now: Callable[[], int]
    blocked: set[str] = field(default_factory=set)


def serve(event: Mapping[str, object], context: Context, world: Surroundings) -> Answer:
    """Serve one event with what it needs passed in.

    Args:
        event: the request.
        context: of the run.
        world: what it needs.

    Returns:
        The answer that was given.
    """
    request = parse_request(event)
    log("request", type=request.request_type, resource=request.resource_type, logical_id=request.logical_id)
    responder = Responder(request, world.deliver)
    try:
        work = _work_for(request, context, world, responder)
        responder.watch(_seconds_left(context) - _margin(context, WATCHDOG_SECONDS), work.last_words)
        answer = work.serve()
    except Exception as error:  # whatever it is, CloudFormation must not wait for it; the log gets all of it
        first = f"{request.resource_type} failed unexpectedly: {type(error).__name__}: {error}"
        log("error", message=first, request_id=request.request_id)
        responder.answer(_finish(context, _failure(request, (first,))))
        raise
    finally:
        responder.close()
    given = responder.answer(_finish(context, answer))
    log(
        "answer",
        status=given.status,
        physical_id=given.physical_id,
        reason="\n".join(given.reason),
        data=dict(given.data),
    )
    work.afterwards()
    return given


@dataclass(frozen=True, slots=True)
class Work:
    """What is done for one request.

    Args:
        serve: does it.
        last_words: gives an answer when time runs out.
        afterwards: is done once the answer is delivered, so that nothing there can hold it up.
    """

    serve: Callable[[], Answer]
    last_words: Callable[[], Answer]
    afterwards: Callable[[], None] = lambda: None


def _work_for(request: Request, context: Context, world: Surroundings, responder: Responder) -> Work:
    if request.resource_type == GUARD:
        return _guard_work(request, context, world)
    if request.resource_type == SHARE:
        return _share_work(request, context, world, responder)
    if request.request_type == DELETE:
        answer = Answer(SUCCESS, request.physical_id or request.logical_id)
    else:
        known = f"{GUARD} and {SHARE}"
        answer = _failure(request, (f"this function serves {known}, got {request.resource_type}",))
    return Work(lambda: answer, lambda: answer)


def _guard_work(request: Request, context: Context, world: Surroundings) -> Work:
    from quota_handler.guard import Guard
    from quota_handler.report import publish, report
    from quota_live.deployment import Options

    def has_time() -> bool:
        return _seconds_left(context) > 4 * _margin(context, RESERVE_SECONDS)

    options = Options(owner_tag=os.environ.get(OWNER_TAG_VARIABLE) or "owner", has_time=has_time, now=world.now)
    clients = world.make_clients()
    guard = Guard(request, clients, options, world.blocked)

    verdicts: list[Verdict] = []

    def serve_guard() -> Answer:
        verdict = guard.serve()
        report(request, verdict)
        verdicts.append(verdict)
        return verdict.answer

    def tell() -> None:
        for verdict in verdicts:
            publish(clients, request, verdict)

    return Work(
        serve_guard,
        lambda: _finish(context, guard.unknown("time ran out while it was read").answer),
        tell,
    )


def _share_work(request: Request, context: Context, world: Surroundings, responder: Responder) -> Work:
    from quota_handler.share import ShareWork

    work = ShareWork(
        request,
        world.make_clients(),
        seconds_left=lambda: _seconds_left(context) - _margin(context, RESERVE_SECONDS),
        is_answered=lambda: responder.is_answered,
        sleep=world.sleep,
    )
    return Work(
        work.serve,
        lambda: _finish(context, work.out_of_time("the function was about to be stopped")),
    )


def _failure(request: Request, lines: tuple[str, ...]) -> Answer:
    if request.resource_type == GUARD:
        return Answer(FAILED, GUARD_ID, lines)
    if request.request_type == CREATE:
        return Answer(FAILED, f"{FAILED_CREATE}{request.request_id}", lines)
    return Answer(FAILED, request.physical_id or request.logical_id, lines)


def _finish(context: Context, answer: Answer) -> Answer:
    """Add what is known only here: where the log is."""
    return replace(answer, log_stream=getattr(context, "log_stream_name", None))


def _seconds_left(context: Context) -> float:
    return context.get_remaining_time_in_millis() / 1000


def _margin(context: Context, seconds: float) -> float:
    """Give a margin that also leaves something of a short time."""
    return min(seconds, _seconds_left(context) / 4)


def shared_clients() -> Clients:
    """Give the clients that all runs of this process share."""
    if not _clients:
        from quota_live.clients import clients

        _clients.append(clients())
    return _clients[0]


__all__ = ["RequestError", "on_event", "serve"]
