"""Lists that a service gives page by page."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

CLOUDFORMATION_TOKEN = "NextToken"  # noqa: S105  # the name of a member
BATCH_TOKEN = "nextToken"  # noqa: S105  # as above


def pages(ask: Callable[..., Mapping[str, Any]], token: str, **members: object) -> Iterator[Mapping[str, Any]]:
    """Ask for page after page, until one names no further one.

    Args:
        ask: makes one call and gives the response.
        token: name of the member that carries on, in request and response.
        members: of every request.
    """
    page = ask(**members)
    yield page
    while page.get(token):
        page = ask(**members, **{token: page[token]})
        yield page
