"""Pages of a list, with tokens that mean nothing to the client.

Source: API Reference, `maxResults` 1 to 100 with 100 as default, `nextToken`.
"""

from __future__ import annotations

import base64
import json
from bisect import bisect_right
from typing import TYPE_CHECKING

from quota_constructs.local.errors import ClientException

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quota_constructs.local.records import Members

LARGEST_PAGE = 100


def page_size(request: Members) -> int:
    """How many entries the client wants at most.

    Raises:
        ClientException: it is not from 1 to 100.
    """
    size = request.get("maxResults", LARGEST_PAGE)
    if not 1 <= size <= LARGEST_PAGE:
        raise ClientException(f"maxResults must be from 1 to {LARGEST_PAGE}, got {size}")
    return int(size)


def make_token(operation: str, last: str | int) -> str:
    """A token for the page behind an entry."""
    return base64.urlsafe_b64encode(json.dumps([operation, last]).encode()).decode()


def read_token(operation: str, request: Members, kind: type[str | int]) -> str | int | None:
    """The entry behind which the next page begins; None for the first page.

    Raises:
        ClientException: the token is not one that this operation gave out.
    """
    token = request.get("nextToken")
    if token is None:
        return None
    try:
        known, last = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
    except (ValueError, TypeError) as error:
        raise ClientException("nextToken is not one that this operation gave out") from error
    if known != operation or not isinstance(last, kind):
        raise ClientException("nextToken is not one that this operation gave out")
    return last


def page(operation: str, request: Members, keys: Sequence[str]) -> tuple[Sequence[str], Members]:
    """Cut a page out of sorted keys.

    Args:
        operation: its name, for the token.
        request: has `maxResults` and `nextToken`.
        keys: all entries, sorted.

    Returns:
        The keys of the page, and the answer's `nextToken` unless it is the last page.
    """
    size = page_size(request)
    last = read_token(operation, request, str)
    first = 0 if last is None else bisect_right(keys, str(last))
    chosen = keys[first : first + size]
    return chosen, {"nextToken": make_token(operation, chosen[-1])} if first + size < len(keys) else {}


def check_count(member: str, values: Sequence[object], most: int) -> None:
    """Refuse a list that is too long.

    Raises:
        ClientException: it has more entries than allowed.
    """
    if len(values) > most:
        raise ClientException(f"{member} may have at most {most} entries, got {len(values)}")
