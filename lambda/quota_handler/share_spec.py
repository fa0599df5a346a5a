"""The share that a `Custom::QuotaShare` asks for, read from its properties, and the request members that make it so."""

from __future__ import annotations

import json
from dataclasses import dataclass

from quota_live.shares import share_from_description
from quota_scheduler.declaration import ON_REMOVAL, REFUSE_IF_BUSY
from quota_scheduler.document import is_version, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from quota_scheduler.share import Share

VERSION = 1


class SpecError(ValueError):
    """Properties that this code cannot read."""


@dataclass(frozen=True, slots=True)
class ShareSpec:
    """A share as it is to be.

    Args:
        queue_arn: ARN of its queue.
        share: the share in the model.
        tags: of the share, without the owner tag.
        on_removal: `REFUSE_IF_BUSY`, `TERMINATE` or `RETAIN`.
        adopt_existing: whether a share that is there already is taken over.
    """

    queue_arn: str
    share: Share
    tags: Mapping[str, str]
    on_removal: str
    adopt_existing: bool

    @property
    def name(self) -> str:
        """Name of the share."""
        return self.share.name

    @property
    def arn(self) -> str:
        """ARN of the share. Source: Service Authorization Reference, AWS Batch, resource types."""
        return f"{self.queue_arn}/quota-share/{self.name}"


def parse_spec(properties: Mapping[str, object]) -> ShareSpec:
    """Read the properties of a `Custom::QuotaShare`.

    Args:
        properties: as CloudFormation sends them; what is empty may be missing.

    Returns:
        The share that is asked for.

    Raises:
        SpecError: they are of an unknown version, or no share.
    """
    text = properties.get("Share")
    try:
        document = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise SpecError(f"property Share must be the JSON text of a share, got {shown(text)}")
    version = document.get("version", VERSION)
    if not is_version(version, VERSION):
        raise SpecError(
            f"property Share has version {shown(version)}, this handler knows {VERSION}; deploy with the same version "
            "of quota-constructs for the whole stack"
        )
    queue_arn = properties.get("JobQueue")
    if not isinstance(queue_arn, str) or ":job-queue/" not in queue_arn:
        raise SpecError(f"property JobQueue must be the ARN of a job queue, got {shown(queue_arn)}")
    on_removal = properties.get("OnRemoval") or REFUSE_IF_BUSY
    if on_removal not in ON_REMOVAL:
        raise SpecError(f"property OnRemoval must be one of {', '.join(ON_REMOVAL)}, got {shown(on_removal)}")
    tags = {} if document.get("tags") is None else document["tags"]
    try:
        return ShareSpec(
            queue_arn,
            share_from_description(document),
            {str(key): str(value) for key, value in tags.items()},
            str(on_removal),
            str(properties.get("AdoptExisting", "false")).lower() == "true",
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"property Share is no share: {type(error).__name__} {error}") from error


def request_members(share: Share) -> dict[str, Any]:
    """Give the members of CreateQuotaShare and UpdateQuotaShare that make a share so.

    The borrow limit is always written out where the strategy has one: left out, an update would keep the old one.
    """
    sharing: dict[str, Any] = {"strategy": share.strategy}
    if share.borrows:
        sharing["borrowLimit"] = share.borrow_limit_percent
    return {
        "capacityLimits": [{"maxCapacity": amount, "capacityUnit": unit} for unit, amount in share.limits.items()],
        "resourceSharingConfiguration": sharing,
        "preemptionConfiguration": {"inSharePreemption": "ENABLED" if share.in_share_preemption else "DISABLED"},
        "state": share.state,
    }


def members_that_differ(actual: Share, desired: Share) -> dict[str, Any]:
    """Give the members of UpdateQuotaShare that turn one share into the other; empty if nothing is to be done."""
    is_different = {
        "capacityLimits": actual.limits != desired.limits,
        "resourceSharingConfiguration": (actual.strategy, actual.borrow_limit_percent)
        != (desired.strategy, desired.borrow_limit_percent),
        "preemptionConfiguration": actual.in_share_preemption != desired.in_share_preemption,
        "state": actual.state != desired.state,
    }
    return {name: value for name, value in request_members(desired).items() if is_different[name]}
