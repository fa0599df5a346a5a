"""What stopping a set of jobs costs, in three measures: jobs, instances, GPU-milliseconds of lost work."""

from __future__ import annotations

from quota_scheduler.loss import instances, upper_loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.job import Job

    Cost = tuple[int, int, int]

FREE: Cost = (0, 0, 0)


def cost_of(job: Job, at: int) -> Cost:
    """Give what stopping one job now costs at most."""
    return (1, instances(job), upper_loss(job, at))


def total(costs: Iterable[Cost]) -> Cost:
    """Add up costs, each measure for itself."""
    jobs = held = lost = 0
    for cost in costs:
        jobs += cost[0]
        held += cost[1]
        lost += cost[2]
    return (jobs, held, lost)


def cheapest(left: Cost, right: Cost) -> Cost:
    """Take the smaller of each measure."""
    return (min(left[0], right[0]), min(left[1], right[1]), min(left[2], right[2]))


def dearest(left: Cost, right: Cost) -> Cost:
    """Take the larger of each measure."""
    return (max(left[0], right[0]), max(left[1], right[1]), max(left[2], right[2]))


def running_sums(costs: list[Cost], most: int, *, dear: bool) -> list[Cost]:
    """Give, for each count up to `most`, the cost of that many jobs, in each measure as cheap or as dear as can be."""
    columns = [sorted([cost[measure] for cost in costs], reverse=dear)[:most] for measure in range(3)]
    sums = [FREE]
    for row in zip(*columns, strict=True):
        last = sums[-1]
        sums.append((last[0] + row[0], last[1] + row[1], last[2] + row[2]))
    return sums
