"""What a deployment will do to a live queue: new where a declaration changed, live elsewhere.

CloudFormation leaves a resource alone whose declaration did not change, so that a difference which somebody made by
hand stays; it is named as drift. Which live queue belongs to which declaration is not known here.

Source: assumed for the sizes of the step, a declaration being applied as a whole or not at all;
docs/decisions/0041-old-properties-are-a-hint.md.
"""

from __future__ import annotations

from quota_scheduler.change import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler.declaration import QueueProposal, ShareDeclaration
    from quota_scheduler.share import Share
    from quota_scheduler.state import QueueState


def change_for(
    old: QueueProposal | None, new: QueueProposal, live: QueueState, removed_shares: Iterable[str] = ()
) -> Change:
    """Work out what a deployment will do to a live queue.

    A declaration that did not change is not touched, whatever is live (`drift_of` names the difference). One that did
    is applied as a whole. The change has only what differs from the live queue.

    Args:
        old: what was declared before; None where nobody knows, which takes every declaration for changed.
        new: what is declared now.
        live: the queue as it is.
        removed_shares: names of live shares that the deployment deletes.

    Returns:
        The change, empty if the deployment leaves the queue as it is.
    """
    environment = None
    if new.environment is not None and (old is None or old.environment != new.environment):
        limits = new.environment.limits
        environment = limits if limits != live.environment else None
    shares: dict[str, Mapping[str, object] | None] = {}
    before = _by_name(old)
    for declared in new.shares:
        if not _is_same(before.get(declared.name), declared):
            members = _members_that_change(live.shares.get(declared.name), declared.share)
            if members:
                shares[declared.name] = members
    for name in removed_shares:
        if name in live.shares:
            shares[name] = None
    return Change(environment, shares) if shares else Change(environment)


def drift_of(old: QueueProposal | None, new: QueueProposal, live: QueueState) -> tuple[tuple[str, str], ...]:
    """Name what is live and not as declared, and stays so because its declaration did not change.

    Args:
        old: what was declared before; None where nobody knows, which leaves nothing unchanged.
        new: what is declared now.
        live: the queue as it is.

    Returns:
        Pairs of where (`environment`, `shares.NAME`) and what, in the order of the declarations.
    """
    if old is None:
        return ()
    found: list[tuple[str, str]] = []
    environment = new.environment
    if environment is not None and old.environment == environment and environment.limits != live.environment:
        found.append(("environment", f"declared {_amounts(environment.limits)}, live {_amounts(live.environment)}"))
    before = _by_name(old)
    for declared in new.shares:
        if not _is_same(before.get(declared.name), declared):
            continue
        share = live.shares.get(declared.name)
        if share is None:
            found.append((f"shares.{declared.name}", "declared, but not on the queue"))
            continue
        members = _members_that_change(share, declared.share)
        given = share.to_dict()
        for member, value in (members or {}).items():
            found.append(
                (f"shares.{declared.name}.{member}", f"declared {_value(value)}, live {_value(given.get(member))}")
            )
    return tuple(found)


def _by_name(proposal: QueueProposal | None) -> Mapping[str, ShareDeclaration]:
    return {} if proposal is None else {share.name: share for share in proposal.shares}


def _is_same(old: ShareDeclaration | None, new: ShareDeclaration) -> bool:
    """Whether CloudFormation sees the same resource with the same properties; the path is only for messages."""
    if old is None or old.logical_id != new.logical_id or old.lifecycle != new.lifecycle:
        return False
    return old.share == new.share and old.on_removal == new.on_removal


def _members_that_change(live: Share | None, share: Share) -> Mapping[str, object] | None:
    after = share.to_dict()
    if live is None:
        return after
    before = live.to_dict()
    return {name: value for name, value in after.items() if before.get(name) != value}


def _amounts(limits: Mapping[str, int]) -> str:
    return ", ".join(f"{amount} {unit}" for unit, amount in sorted(limits.items())) or "nothing"


def _value(value: object) -> str:
    return _amounts(value) if isinstance(value, dict) else str(value).lower() if isinstance(value, bool) else str(value)
