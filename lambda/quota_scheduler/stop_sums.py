"""Which amounts can be taken from one share, as bits of a whole number: bit x is set if x instances can be.

A share's jobs are grouped by size. The stop rule allows a set if its jobs can be ordered so that the share is still
over when each is taken, which is: all but the largest are less than what the share is over.

    sum(V) - max(V) < O

Sums are built from small sizes to large ones, so that the largest is known when it is added. Exact, and quick because
a shift of a whole number moves all sums at once (subset sums, pseudo-polynomial).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Counts = Mapping[int, int]  # size -> number of jobs


def stop_sums(counts: Counts, over: int, most: int, forced: frozenset[int] = frozenset()) -> int:
    """Give the sums of the sets that obey the stop rule and are not empty.

    Args:
        counts: number of jobs of each size.
        over: by how much the share is over; more than `most` switches the rule off.
        most: the largest sum of interest.
        forced: sizes of which a set must have at least one job.

    Returns:
        The sums up to `most`, as bits.
    """
    rest_mask = (1 << min(over, most + 1)) - 1  # what all but the largest may sum up to
    largest_forced = max(forced, default=0)
    rest = 1
    sums = 0
    for size in sorted(counts):
        with_size = 0
        kept = rest
        for _ in range(counts[size]):
            if size >= largest_forced:
                sums |= kept << size
            kept = (kept << size) & rest_mask
            if not kept:
                break
            with_size |= kept
        rest = with_size if size in forced else rest | with_size
        if not rest:
            break
    return sums & ((1 << (most + 1)) - 1)


def released_sums(
    counts: Counts, over: int, most: int, *, is_reserve: bool, slack: int, forced: frozenset[int] = frozenset()
) -> int:
    """Give what sets of one share give back, if every job of them is needed when `slack` more than needed is given.

    A share that lends gives back all that is taken; a RESERVE share no more than it is over, since its idle capacity
    stays its own. So a job of it may be spared although it is larger than the slack.

    Args:
        counts: number of jobs of each size.
        over: by how much the share is over.
        most: the largest amount of interest.
        is_reserve: whether the share is RESERVE.
        slack: by how much all shares together give back more than needed.
        forced: sizes of which a set must have at least one job.

    Returns:
        The amounts up to `most`, as bits.
    """
    large = {size: count for size, count in counts.items() if size > slack}
    if not forced <= large.keys():
        return 0
    if not is_reserve:
        return stop_sums(large, over, most, forced)
    amounts = 0
    for smallest in large:
        if any(size < smallest for size in forced):
            continue
        larger = {size: count for size, count in large.items() if size >= smallest}
        highest = over + smallest - slack - 1  # beyond it the smallest job is not needed
        sums = stop_sums(larger, over, highest, forced | {smallest})
        amounts |= sums & ((1 << over) - 1)
        if sums >> over:
            amounts |= 1 << over
    return amounts & ((1 << (most + 1)) - 1)


def own_sums(counts: Counts, least: int, most: int, *, slack: int, forced: frozenset[int] = frozenset()) -> int:
    """Give what sets of the waiting job's own share give back beside jobs of other shares, if each is needed.

    A job is needed if the others give back less than `least` of the own share, or if it is larger than the slack.

    Args:
        counts: number of jobs of each size.
        least: what has to come from the own share, so that the waiting job is within its limit.
        most: the largest amount of interest.
        slack: by how much all shares together give back more than needed.
        forced: sizes of which a set must have at least one job.

    Returns:
        The amounts from `least` to `most`, as bits; the empty set is among them if nothing has to come.
    """
    amounts = 1 if least == 0 and not forced else 0
    for smallest in counts:
        if any(size < smallest for size in forced):
            continue
        larger = {size: count for size, count in counts.items() if size >= smallest}
        highest = most if smallest > slack else min(most, least + smallest - 1)
        if highest >= smallest:
            amounts |= stop_sums(larger, highest + 1, highest, forced | {smallest})
    return amounts >> least << least


def combined(left: int, right: int, mask: int) -> int:
    """Give the sums of one amount of each."""
    if left.bit_count() > right.bit_count():
        left, right = right, left
    sums = 0
    for amount in bits(left):
        sums |= right << amount
    return sums & mask


def bits(amounts: int) -> Iterator[int]:
    """Give the amounts one by one."""
    while amounts:
        lowest = amounts & -amounts
        yield lowest.bit_length() - 1
        amounts ^= lowest


def outside(parts: list[int], mask: int) -> Iterator[int]:
    """Give, for each part, the sums of one amount of each of the other parts."""
    after = [1]
    for part in reversed(parts[1:]):
        after.append(combined(after[-1], part, mask))
    before = 1
    for part, rest in zip(parts, reversed(after), strict=True):
        yield combined(before, rest, mask)
        before = combined(before, part, mask)
