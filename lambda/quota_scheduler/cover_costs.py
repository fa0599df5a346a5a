"""The cheapest and the dearest minimal set for a job of one instance type, whatever the heuristic is.

The same sums as in `covers.py`, with a price on each: for every amount the least and the most that giving it back can
cost, in each of the three measures for itself. Jobs of one share and size differ in what they cost and in nothing else,
so that k of them cost at least the k cheapest and at most the k dearest.
"""

from __future__ import annotations

from quota_scheduler.cost import FREE, running_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quota_scheduler.cost import Cost
    from quota_scheduler.covers import Need

    Price = tuple[int, int, int, int, int, int]  # least jobs, instances, loss; most jobs, instances, loss
    Prices = dict[int, Price]  # amount given back -> what that costs
    PriceLists = Mapping[int, list[Price]]  # size -> price of 0, 1, 2 … jobs of this size

NOTHING: Price = (*FREE, *FREE)
MOST_STEPS = 50_000


class CostLimitError(Exception):
    """The tables grow too large; the cost can only be bounded."""


def price_list(costs: list[Cost], most: int) -> list[Price]:
    """Give the price of 0, 1, 2 … of some jobs that are alike, up to `most` of them."""
    pairs = zip(running_sums(costs, most, dear=False), running_sums(costs, most, dear=True), strict=True)
    return [(*cheap, *dear) for cheap, dear in pairs]


class CostSearch:
    """Works out the prices of one need.

    Args:
        need: what has to be given back.
        own: prices of own candidates by size.
        groups: prices of the candidates of other shares by size, in the order of the need's groups.
    """

    def __init__(self, need: Need, own: PriceLists, groups: list[PriceLists]) -> None:
        self._need = need
        self._own = own
        self._groups = groups
        self._steps = 0

    def run(self) -> tuple[Cost, Cost] | None:
        """Give the least and the most cost of a minimal set, None if there is no set.

        Raises:
            CostLimitError: it takes more than `MOST_STEPS` steps.
        """
        found: list[Price] = []
        if self._own:
            found += self._alone()
        if self._need.groups and self._need.total > 0:
            for first, last in self._need.slacks():
                found += self._with_others(first, last)
        if not found:
            return None
        columns = list(zip(*found, strict=True))
        least = (min(columns[0]), min(columns[1]), min(columns[2]))
        most = (max(columns[3]), max(columns[4]), max(columns[5]))
        return least, most

    def _alone(self) -> list[Price]:
        """Price the minimal sets of own jobs only: sizes from large to small, so that the last one is the smallest."""
        needed = self._need.alone
        found: list[Price] = []
        table: Prices = {0: NOTHING}
        for size in sorted(self._own, reverse=True):
            prices = self._own[size]
            longer: Prices = dict(table)
            for amount, price in table.items():
                for count in range(1, len(prices)):
                    if amount + count * size >= needed:
                        found.append(_plus(price, prices[count]))
                        break
                    self._merge(longer, amount + count * size, _plus(price, prices[count]))
            table = longer
        return found

    def _with_others(self, first: int, last: int) -> list[Price]:
        """Price the minimal sets with jobs of other shares that give back `first` to `last` more than needed."""
        most = self._need.total + last
        table = self._own_table(last)
        for group, prices in zip(self._need.groups, self._groups, strict=True):
            if not table:
                return []
            released = self._released(prices, group.over, most, last, is_reserve=group.is_reserve)
            table = self._combined(table, released, most)
        return [price for amount, price in table.items() if amount >= self._need.total + first]

    def _own_table(self, slack: int) -> Prices:
        need = self._need
        table: Prices = {0: NOTHING} if need.own_part == 0 else {}
        if not need.allow_mixed:
            return table
        for smallest in self._own:
            highest = need.total - 1 if smallest > slack else min(need.total - 1, need.own_part + smallest - 1)
            larger = {size: prices for size, prices in self._own.items() if size >= smallest}
            for amount, price in self._stopped(larger, highest + 1, highest, smallest).items():
                if amount >= need.own_part:
                    self._merge(table, amount, price)
        return table

    def _released(self, prices: PriceLists, over: int, most: int, slack: int, *, is_reserve: bool) -> Prices:
        large = {size: listed for size, listed in prices.items() if size > slack}
        if not is_reserve:
            return self._stopped(large, over, most, None)
        table: Prices = {}
        for smallest in large:
            larger = {size: listed for size, listed in large.items() if size >= smallest}
            for amount, price in self._stopped(larger, over, over + smallest - slack - 1, smallest).items():
                if min(amount, over) <= most:
                    self._merge(table, min(amount, over), price)
        return table

    def _stopped(self, prices: PriceLists, over: int, most: int, forced: int | None) -> Prices:
        """Price the sums that obey the stop rule, as `stop_sums` finds them."""
        rest: Prices = {0: NOTHING}
        table: Prices = {}
        for size in sorted(prices):
            listed = prices[size]
            longer: Prices = {} if size == forced else dict(rest)
            for amount, price in rest.items():
                for count in range(1, len(listed)):
                    taken = amount + count * size
                    if taken > most or taken - size >= over:
                        break
                    sum_of_both = _plus(price, listed[count])
                    self._merge(table, taken, sum_of_both)
                    if taken < over:
                        self._merge(longer, taken, sum_of_both)
            rest = longer
        return table

    def _combined(self, left: Prices, right: Prices, most: int) -> Prices:
        """Price the sums of one amount of each; of the right one possibly none."""
        table = dict(left)
        for amount, price in left.items():
            for more, added in right.items():
                if amount + more <= most:
                    self._merge(table, amount + more, _plus(price, added))
        return table

    def _merge(self, table: Prices, amount: int, price: Price) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise CostLimitError
        known = table.get(amount)
        if known is None:
            table[amount] = price
        elif known != price:
            table[amount] = (
                min(known[0], price[0]),
                min(known[1], price[1]),
                min(known[2], price[2]),
                max(known[3], price[3]),
                max(known[4], price[4]),
                max(known[5], price[5]),
            )


def _plus(left: Price, right: Price) -> Price:
    return (
        left[0] + right[0],
        left[1] + right[1],
        left[2] + right[2],
        left[3] + right[3],
        left[4] + right[4],
        left[5] + right[5],
    )


def outer_bounds(needed: int, candidates: Iterable[tuple[int, Cost]]) -> tuple[Cost, Cost]:
    """Bound the cost of every minimal set from outside, without any table.

    The fewest jobs are the largest ones until enough is given back (T5), the least loss the cheapest instances, where
    a job counts in parts (T7). The dearest set has no more jobs than the smallest ones that are needed, and one.

    Args:
        needed: what has to be given back at least, at least 1.
        candidates: size and cost of each candidate.
    """
    largest_first = sorted(candidates, key=lambda candidate: -candidate[0])
    fewest = _count_until(needed, [size for size, _ in largest_first])
    highest = 1 + _count_until(needed, [size for size, _ in reversed(largest_first)])
    costs = [cost for _, cost in largest_first]
    dearest = [sum(sorted([cost[measure] for cost in costs], reverse=True)[:highest]) for measure in range(3)]
    most = (min(highest, len(costs)), dearest[1], dearest[2])
    return (fewest, needed, _cheapest_parts(needed, largest_first)), most


def _count_until(needed: int, sizes: list[int]) -> int:
    count = 0
    for size in sizes:
        if needed <= 0:
            break
        needed -= size
        count += 1
    return count


def _cheapest_parts(needed: int, candidates: list[tuple[int, Cost]]) -> int:
    """Give the cost of the cheapest instances, rounded down."""
    lost = 0
    for size, cost in sorted(candidates, key=lambda candidate: candidate[1][2] / candidate[0]):
        if size >= needed:
            return lost + cost[2] * needed // size
        lost += cost[2]
        needed -= size
    return lost
