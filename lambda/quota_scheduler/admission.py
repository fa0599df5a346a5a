"""Whether a job fits now, what it is short of, and whether it can ever fit. All conditions hold per instance type.

    entitled     U[s] + n <= L[s]
    fits         entitled:  sum U + n + sum over RESERVE r != s of I[r]  <=  E
                 else:      the same, U[s] + n <= cap[s], and POOL after adding the job
    POOL         sum O  <=  sum over lenders I  (+ what no share owns, knob surplus_borrowable)

POOL is the arithmetic of borrowing: what is borrowed must be covered by idle capacity of shares that lend, so that
the idle capacity of a RESERVE share is never used. An owner needs less: room that is free and not the idle capacity
of another RESERVE share.

Source: AWS Batch User Guide, Quota shares; the blog example on lending and borrowing for the RESERVE floor; assumed
for the rest (docs/decisions/0010-documented-or-assumed-and-named.md).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.knobs import Knobs
    from quota_scheduler.ledger import Cell, Demand, Ledger

    Lines = tuple[tuple[Cell, int], ...]


def never_reason(lines: Lines, knobs: Knobs) -> str | None:
    """Say why a demand can never be met, however idle the queue.

    Returns:
        The first that holds for one of the types, in this order: `type_not_listed`; `limit` (RESERVE and LEND) or
        `borrow_limit` (LEND_AND_BORROW); `borrowable_pool`; `environment`. None if none does.

    Source: AWS Batch User Guide, Jobs stuck in RUNNABLE due to misconfiguration; assumed for the order.
    """
    if any(not cell.may_use for cell, _ in lines):
        return "type_not_listed"
    if any(cell.cap is not None and amount > cell.cap for cell, amount in lines):
        return "borrow_limit" if lines[0][0].borrows else "limit"
    if any(amount > largest_with_pool(cell, knobs) for cell, amount in lines):
        return "borrowable_pool"
    if any(amount > cell.totals.environment for cell, amount in lines):
        return "environment"
    return None


def largest_with_pool(cell: Cell, knobs: Knobs) -> int:
    """Give what a share and all that lend to it have together."""
    totals = cell.totals
    others = totals.lender_limits - (cell.limit if cell.lends else 0)
    return cell.limit + others + (totals.surplus if knobs.surplus_borrowable else 0)


def is_entitled(demand: Demand) -> bool:
    """Say whether a demand stays within its share's limits."""
    return all(cell.usage + amount <= cell.limit for cell, amount in demand.lines)


def has_headroom(demand: Demand) -> bool:
    """Say whether its share uses less than its limits of the types it asks for."""
    return all(cell.usage < cell.limit for cell, _ in demand.lines)


def is_larger_than_limit(demand: Demand) -> bool:
    """Say whether a demand is larger than its share's limits."""
    return any(amount > cell.limit for cell, amount in demand.lines)


def fits(ledger: Ledger, demand: Demand) -> bool:
    """Say whether a demand can be met with what is free now."""
    knobs = ledger.knobs
    for cell, amount in demand.lines:
        usage = cell.usage + amount
        if usage <= cell.limit:
            if owner_shortage(cell, amount, knobs) > 0:
                return False
        elif (
            (cell.cap is not None and usage > cell.cap)
            or room_shortage(cell, amount) > 0
            or pool_shortage(ledger, cell, amount) > 0
        ):
            return False
    return True


def owner_shortage(cell: Cell, amount: int, knobs: Knobs) -> int:
    """Say what an owner is short of; nothing if it is 0 or less."""
    return room_shortage(cell, amount) if reserve_floor_binds_owners(knobs) else free_shortage(cell, amount)


def reserve_floor_binds_owners(knobs: Knobs) -> bool:
    """Say whether an owner leaves the idle capacity of RESERVE shares alone (knob `reserve_floor`)."""
    return knobs.reserve_floor == "all"


def room_shortage(cell: Cell, amount: int) -> int:
    """Say by how much a demand exceeds what is free and not the idle capacity of another RESERVE share."""
    totals = cell.totals
    reserved = totals.reserve_idle if cell.lends else totals.reserve_idle - cell.idle
    return totals.usage + amount + reserved - totals.environment


def free_shortage(cell: Cell, amount: int) -> int:
    """Say by how much a demand exceeds what is free."""
    return cell.totals.usage + amount - cell.totals.environment


def pool_shortage(ledger: Ledger, cell: Cell, amount: int) -> int:
    """Say by how much borrowing would exceed what lenders have idle, once the demand is met."""
    totals = cell.totals
    left = cell.limit - cell.usage - amount
    over, idle = (0, left) if left >= 0 else (-left, 0)
    lent = totals.lender_idle + (idle - cell.idle if cell.lends else 0)
    if ledger.blocked_idle:
        lent -= held_for_blocked_owners(ledger, cell)
    if ledger.knobs.surplus_borrowable:
        lent += totals.surplus
    return totals.over - cell.over + over - lent


def hold_for_blocked_owners(ledger: Ledger, heads: Iterable[tuple[str, Demand]]) -> None:
    """Note for which types a share keeps what it has idle: those of its first waiting job, if that does not fit.

    Args:
        ledger: the books on which it is noted.
        heads: the shares with the demands of their first waiting jobs.

    Source: assumed (knob `hold_idle_for_blocked_owner`; nothing is held by default).
    """
    ledger.blocked_idle = {}
    blocked = {share: set(demand.units) for share, demand in heads if not fits(ledger, demand)}
    ledger.blocked_idle = blocked


def held_for_blocked_owners(ledger: Ledger, cell: Cell) -> int:
    """Give the idle capacity that other lenders keep for their first waiting jobs."""
    held = 0
    for share, units in ledger.blocked_idle.items():
        if share != cell.share and cell.unit in units:
            owner = ledger.cell(share, cell.unit)
            held += owner.idle if owner.lends else 0
    return held


def needs(ledger: Ledger, demand: Demand) -> dict[str, int]:
    """Say per type how many instances would have to be given back for a demand to be met."""
    return {cell.unit: _need(ledger, cell, amount) for cell, amount in demand.lines}


def _need(ledger: Ledger, cell: Cell, amount: int) -> int:
    if cell.usage + amount <= cell.limit:
        return max(0, owner_shortage(cell, amount, ledger.knobs))
    return max(0, pool_shortage(ledger, cell, amount), free_shortage(cell, amount))


def borrowing(demand: Demand) -> int:
    """Say by how much the share will be over its limits of the demanded types once the demand is met."""
    return sum([max(0, cell.usage + amount - cell.limit) for cell, amount in demand.lines])
