"""Exact sets for a job of one instance type: which candidates are in some minimal valid set, and which in all.

Candidates are known by share and size. Two kinds of sets make room:

    own jobs only      they give back at least `alone`
    with other shares  together at least `total`, of which at least `own_part` from the own share, so that the waiting
                       job is within its limit; the stop rule holds for each other share

A set is minimal if no job can be put back. With `slack` = given back - needed, a job of another share is needed if it
gives back more than the slack, an own one also if without it less than `own_part` came from the own share. For one
slack the shares are independent, so that their possible amounts can be combined; the tests are those of T2, T3 and
the mixed case in docs/model.md.
"""

from __future__ import annotations

from math import gcd

from quota_scheduler.stop_sums import combined, outside, own_sums, released_sums, stop_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Kind = tuple[str, int]  # share, size


class Group:
    """The candidates of one share.

    Args:
        share: its name.
        over: by how much it is over its limit.
        is_reserve: whether its idle capacity stays its own.
        counts: number of candidates of each size.
    """

    __slots__ = ("counts", "is_reserve", "over", "share")

    def __init__(self, share: str, over: int, counts: dict[int, int], *, is_reserve: bool) -> None:
        self.share = share
        self.over = over
        self.is_reserve = is_reserve
        self.counts = counts


class Need:
    """What has to be given back.

    Args:
        own: number of candidates of the own share of each size.
        groups: the candidates of other shares.
        alone: what own jobs alone have to give back, at least 1.
        own_part: what the own share has to give back beside others, at least 0.
        total: what all have to give back together, beside others.
        allow_mixed: whether own jobs and jobs of others may be stopped together.
    """

    __slots__ = ("allow_mixed", "alone", "groups", "largest_size", "own", "own_part", "total")

    def __init__(
        self,
        own: dict[int, int],
        groups: list[Group],
        *,
        alone: int,
        own_part: int,
        total: int,
        allow_mixed: bool,
    ) -> None:
        self.own = own
        self.groups = groups
        self.alone = alone
        self.own_part = own_part
        self.total = total
        self.allow_mixed = allow_mixed
        self.largest_size = max([0, *own, *[size for group in groups for size in group.counts]])

    def slacks(self) -> Iterator[tuple[int, int]]:
        """Give ranges of slack in which the same candidates are larger than the slack."""
        if any(group.is_reserve for group in self.groups):
            yield from ((slack, slack) for slack in range(self.largest_size))
            return
        sizes = {size for group in self.groups for size in group.counts} | set(self.own)
        first = 0
        for size in sorted(sizes):
            yield first, size - 1
            first = size

    def reduced(self) -> Need:
        """Give the same need in units of the greatest common divisor of the sizes."""
        unit = gcd(*self.own, *(size for group in self.groups for size in group.counts))
        if unit <= 1 or any(group.is_reserve for group in self.groups):
            return self
        groups = [
            Group(
                group.share,
                -(-group.over // unit),
                {size // unit: count for size, count in group.counts.items()},
                is_reserve=False,
            )
            for group in self.groups
        ]
        own = {size // unit: count for size, count in self.own.items()}
        alone, own_part, total = -(-self.alone // unit), -(-self.own_part // unit), -(-self.total // unit)
        return Need(own, groups, alone=alone, own_part=own_part, total=total, allow_mixed=self.allow_mixed)


def can_be_enough(need: Need) -> bool:
    """Say whether stopping everybody could be enough; if not, nothing is, and nobody need look closer."""
    own = sum([size * count for size, count in need.own.items()])
    if need.own and own >= need.alone:
        return True
    own_beside = own if need.allow_mixed else 0
    if not need.groups or own_beside < need.own_part:
        return False
    return own_beside + sum([_released_at_most(group) for group in need.groups]) >= need.total


def _released_at_most(group: Group) -> int:
    """Bound what a share gives back: all but the last job are less than what it is over."""
    whole = sum([size * count for size, count in group.counts.items()])
    highest = group.over if group.is_reserve else group.over + max(group.counts) - 1
    return min(whole, highest)


def possible_own_alone(need: Need) -> set[int]:
    """Give the sizes of own candidates that are in some minimal set of own jobs only (T3)."""
    if sum(size * count for size, count in need.own.items()) < need.alone:
        return set()
    found = set()
    for size, count in need.own.items():
        others = {**need.own, size: count - 1}
        sums = stop_sums(others, need.alone + 1, need.alone - 1) | 1
        if sums >> max(0, need.alone - size):
            found.add(size)
    return found


def possible_with_others(need: Need) -> tuple[set[int], set[Kind]]:
    """Give the own sizes, and the kinds of other shares, that are in some minimal set with other shares (T2)."""
    own_found: set[int] = set()
    found: set[Kind] = set()
    if need.total <= 0 or not need.groups:
        return own_found, found
    for first, last in need.slacks():
        most = need.total + last
        mask = (1 << (most + 1)) - 1
        window = mask >> (need.total + first) << (need.total + first)
        parts = [_own(need, last)]
        parts += [_of_group(group, most, last) | 1 for group in need.groups]
        for position, rest in enumerate(outside(parts, mask)):
            if not combined(parts[position], rest, mask) & window:
                break
            if position == 0:
                own_found.update(
                    size
                    for size in need.own
                    if need.allow_mixed and combined(_own(need, last, size), rest, mask) & window
                )
            else:
                group = need.groups[position - 1]
                found.update(
                    (group.share, size)
                    for size in group.counts
                    if (group.share, size) not in found
                    and combined(_of_group(group, most, last, size), rest, mask) & window
                )
    return own_found, found


def _own(need: Need, slack: int, forced: int | None = None) -> int:
    """Give what the own share gives back beside others; less than the total, or the others would not be needed."""
    counts = need.own if need.allow_mixed else {}
    forced_sizes = frozenset() if forced is None else frozenset((forced,))
    if need.total - 1 < need.own_part:
        return 0
    return own_sums(counts, need.own_part, need.total - 1, slack=slack, forced=forced_sizes)


def _of_group(group: Group, most: int, slack: int, forced: int | None = None) -> int:
    forced_sizes = frozenset() if forced is None else frozenset((forced,))
    return released_sums(group.counts, group.over, most, is_reserve=group.is_reserve, slack=slack, forced=forced_sizes)


def is_met_without(need: Need, share: str | None, size: int) -> bool:
    """Say whether a valid set is left if one candidate is not there (T4).

    Args:
        need: what has to be given back.
        share: share of the candidate, None for the own one.
        size: its size.
    """
    own = sum(each * count for each, count in need.own.items()) - (size if share is None else 0)
    if own >= need.alone:
        return True
    own_beside = own if need.allow_mixed else 0
    if not need.groups or own_beside < need.own_part:
        return False
    released = own_beside
    for group in need.groups:
        counts = group.counts
        if group.share == share:
            counts = {**counts, size: counts[size] - 1}
        released += _most_released(group, counts)
    return released >= need.total


def _most_released(group: Group, counts: dict[int, int]) -> int:
    whole = sum(size * count for size, count in counts.items())
    if not whole:
        return 0
    if group.is_reserve:
        return min(group.over, whole)
    largest = max(size for size, count in counts.items() if count)
    if whole - largest < group.over:
        return whole
    return stop_sums(counts, group.over, group.over + largest).bit_length() - 1
