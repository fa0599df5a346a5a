"""The likely set: which jobs the default heuristic stops for a waiting one.

AWS does not publish its heuristic. The default (H1) is Kueue's, which agrees with every published example: jobs of
other shares first, lower priority first, newest first; then whatever is not needed is put back. Another member of the
panel would be another order of the candidates; the rest of the search stays.

Source: assumed (docs/decisions/0014-default-heuristic.md).
"""

from __future__ import annotations

from heapq import merge
from itertools import chain

from quota_scheduler.admission import is_entitled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from quota_scheduler.candidates import Candidates
    from quota_scheduler.job import Job
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.ledger import Demand
    from quota_scheduler.roster import Entry, Roster
    from quota_scheduler.tally import Tally

    Order = Callable[[list[Roster]], Iterable[Entry]]


def lowest_priority_newest_first(rosters: list[Roster]) -> Iterable[Entry]:
    """Give candidates in the order of H1, which is the order of each roster.

    1. lower priority first, an unknown one counted as 0
    2. dispatched later first, an unknown time last
    3. id
    """
    return merge(*[roster.entries for roster in rosters]) if len(rosters) > 1 else rosters[0].entries


def choose(
    demand: Demand,
    candidates: Candidates,
    knobs: Knobs,
    new_tally: Callable[[], Tally],
    order: Order = lowest_priority_newest_first,
) -> tuple[Job, ...] | None:
    """Choose the jobs to stop for a waiting job that does not fit.

    Args:
        demand: what the waiting job asks for.
        candidates: the jobs that can be stopped for it.
        knobs: what is assumed.
        new_tally: gives an empty set that knows when it is enough.
        order: in which order candidates of one kind are taken.

    Returns:
        The jobs, or None if no attempt finds a set.
    """
    for groups in _attempts(demand, candidates, knobs):
        tally = new_tally()
        taken = take_until_enough(tally, chain.from_iterable([order(rosters) for rosters in groups]))
        kept = put_back(tally, taken) if taken else []
        tally.close()
        if kept:
            return tuple(kept)
    return None


def _attempts(demand: Demand, candidates: Candidates, knobs: Knobs) -> Iterator[list[list[Roster]]]:
    """Give what to try, one after another: groups of candidates, one behind the other.

    1. below the limit and with candidates in other shares: those, then own ones
    2. own ones only
    """
    cross, own = candidates.cross, [candidates.own] if candidates.own else []
    groups = [group for group in (cross, own) if group]
    in_share_first = knobs.order_of_remedies == "in_share_first"
    if cross and knobs.allow_mixed:
        yield groups[::-1] if in_share_first else groups
    elif cross and not in_share_first:
        yield [cross]
    if own and not (cross and knobs.allow_mixed and is_entitled(demand)):
        yield [own]
    if cross and not knobs.allow_mixed and in_share_first:
        yield [cross]


def take_until_enough(tally: Tally, entries: Iterable[Entry]) -> list[Job]:
    """Take candidates until they are enough; none if they never are. A share that is no longer over is skipped."""
    taken: list[Job] = []
    for entry in entries:
        job = entry[3]
        if tally.may_take(job):
            tally.take(job)
            taken.append(job)
            if tally.is_enough():
                return taken
    return []


def put_back(tally: Tally, taken: list[Job]) -> list[Job]:
    """Put back, newest taken first, until nothing can be.

    Once is not always enough: without any job of another share in the set the waiting job may borrow, so that an own
    job that was needed before is no longer.
    """
    kept = []
    for job in reversed(taken):
        tally.put_back(job)
        if not tally.is_enough():
            tally.take(job)
            kept.append(job)
    kept.reverse()
    return kept if len(kept) == len(taken) else put_back(tally, kept)
