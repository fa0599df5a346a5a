"""Quota shares as the service tells them.

Source: ListQuotaShares and DescribeQuotaShare.
"""

from __future__ import annotations

from quota_scheduler.share import ENABLED, LEND_AND_BORROW, UNLIMITED, Share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from quota_live.reader import Reader


def read_shares(reader: Reader, queue_arn: str) -> dict[str, Share]:
    """Read the shares of a queue by name, those that are being deleted too: their jobs hold room until they are gone.

    Args:
        reader: how to read.
        queue_arn: ARN of the queue.

    Raises:
        LiveError: the account could not be read.
    """
    shares = {}
    for page in reader.pages("list_quota_shares", jobQueue=queue_arn):
        for found in page.get("quotaShares") or []:
            shares[found["quotaShareName"]] = share_from_description(found)
    return shares


def share_from_description(found: Mapping[str, Any]) -> Share:
    """Make a share of an entry of ListQuotaShares or a response of DescribeQuotaShare.

    Args:
        found: the entry.

    Returns:
        The share; a borrow limit counts with LEND_AND_BORROW only.
    """
    sharing = found.get("resourceSharingConfiguration") or {}
    strategy = sharing.get("strategy") or "RESERVE"
    borrow = sharing.get("borrowLimit")
    return Share(
        found["quotaShareName"],
        {limit["capacityUnit"]: int(limit["maxCapacity"]) for limit in found.get("capacityLimits") or []},
        strategy,
        int(borrow) if borrow is not None and strategy == LEND_AND_BORROW else UNLIMITED,
        (found.get("preemptionConfiguration") or {}).get("inSharePreemption") == "ENABLED",
        found.get("state") or ENABLED,
    )
