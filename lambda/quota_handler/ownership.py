"""Whose a share is, and what it was before: kept in tags of the share itself.

    quota-constructs:owner          stack id and logical id of the resource that looks after the share
    quota-constructs:request        id of the request that made the share or took it over
    quota-constructs:before         configuration that a share had when it was taken over
    quota-constructs:before-owner   its owner then

A rollback of the deployment that took a share over gives it back with these, because CloudFormation sends nothing but
a Delete for the new resource. docs/decisions/0043-a-share-knows-its-owner.md has the reasons.
"""

from __future__ import annotations

from hashlib import sha256

from quota_scheduler.share import DISABLED, ENABLED, LEND_AND_BORROW, UNLIMITED, Share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_handler.request import Request

OWNER_TAG = "quota-constructs:owner"
REQUEST_TAG = "quota-constructs:request"
BEFORE_TAG = "quota-constructs:before"
BEFORE_OWNER_TAG = "quota-constructs:before-owner"
OWN_TAGS = (OWNER_TAG, REQUEST_TAG, BEFORE_TAG, BEFORE_OWNER_TAG)

MOST_CHARACTERS = 256
"""Of a tag's value. Source: Batch API, TagResource."""

_DIGEST_CHARACTERS = 12


def owner_of(request: Request) -> str:
    """Give the value of the owner tag for the resource of a request.

    Args:
        request: of the resource.

    Returns:
        Stack id and logical id. Where they are longer than a tag's value may be, the end is a digest of the whole, so
        that two long logical ids do not become the same owner.
    """
    owner = f"{request.stack_id}/{request.logical_id}"
    if len(owner) <= MOST_CHARACTERS:
        return owner
    digest = sha256(owner.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{owner[: MOST_CHARACTERS - _DIGEST_CHARACTERS - 1]}-{digest}"


def configuration_text(share: Share) -> str:
    """Write the configuration of a share in characters that a tag's value may have.

    >>> configuration_text(Share("a", {"ml.g5.xlarge": 3}, "LEND_AND_BORROW", 200))
    'LEND_AND_BORROW/200 in=DISABLED state=ENABLED ml.g5.xlarge=3'
    """
    strategy = f"{share.strategy}/{share.borrow_limit_percent}" if share.borrows else share.strategy
    in_share = ENABLED if share.in_share_preemption else DISABLED
    limits = (f"{unit}={amount}" for unit, amount in share.limits.items())
    return " ".join((strategy, f"in={in_share}", f"state={share.state}", *limits))


def configuration_from_text(name: str, text: str) -> Share | None:
    """Read what `configuration_text` wrote.

    Args:
        name: of the share.
        text: the tag's value.

    Returns:
        The share, or None where somebody changed the text into something else.
    """
    strategy, _, borrow = text.partition(" ")[0].partition("/")
    members = [part.partition("=")[::2] for part in text.split(" ")[1:]]
    given: Mapping[str, str] = dict(members)
    try:
        limits = {unit: int(amount) for unit, amount in members if unit not in ("in", "state")}
        percent = int(borrow) if strategy == LEND_AND_BORROW else UNLIMITED
    except ValueError:
        return None
    if not limits or "in" not in given or "state" not in given:
        return None
    return Share(name, limits, strategy, percent, given["in"] == ENABLED, given["state"])
