"""Random queues for the properties of the model, and the small questions that the properties ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from builders import NOON, TYPE
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from quota_scheduler import Job, QueueState, Share

if TYPE_CHECKING:
    from collections.abc import Mapping

OTHER_TYPE = "ml.p4d.24xlarge"
STRATEGIES = ("RESERVE", "LEND", "LEND_AND_BORROW", "LEND_AND_BORROW")
HOUR = 3_600_000

examples = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
"""The same examples in every run, so that the suite never fails by chance."""


@st.composite
def shares(draw: st.DrawFn, units: tuple[str, ...]) -> dict[str, Share]:
    found = {}
    for number in range(draw(st.integers(1, 4))):
        listed = [unit for unit in units if unit == units[0] or draw(st.booleans())]
        limits = {unit: draw(st.integers(1, 8)) for unit in listed}
        strategy = draw(st.sampled_from(STRATEGIES))
        borrow = draw(st.sampled_from((-1, 0, 50, 100, 200))) if strategy == "LEND_AND_BORROW" else -1
        found[f"s{number}"] = Share(f"s{number}", limits, strategy, borrow, draw(st.booleans()))
    return found


@st.composite
def queues(
    draw: st.DrawFn,
    *,
    units: tuple[str, ...] = (TYPE,),
    spare: st.SearchStrategy[int] = st.integers(-2, 3),  # noqa: B008  # strategies are immutable
    fits_environment: bool = True,
    unknown_priorities: bool = False,
) -> QueueState:
    """Draw a queue.

    Args:
        draw: of hypothesis.
        units: the instance types.
        spare: by how much the environment is larger than all limits together.
        fits_environment: whether the dispatched jobs fit the environment.
        unknown_priorities: whether the priority of some jobs is not known.
    """
    drawn = draw(shares(units))
    environment = {
        unit: max(1, sum(share.limits.get(unit, 0) for share in drawn.values()) + draw(spare)) for unit in units
    }
    free = dict(environment)
    jobs: list[Job] = []
    priorities = st.one_of(st.none(), st.integers(0, 4)) if unknown_priorities else st.integers(0, 4)
    for number in range(draw(st.integers(0, 8))):
        uses = draw(uses_of(units, 5))
        if fits_environment and any(amount > free[unit] for unit, amount in uses.items()):
            continue
        for unit, amount in uses.items():
            free[unit] -= amount
        dispatched = NOON - draw(st.integers(0, 9)) * HOUR
        status = draw(st.sampled_from(("RUNNING", "RUNNING", "STARTING", "SCHEDULED")))
        jobs.append(
            Job(
                f"r{number}",
                draw(st.sampled_from(sorted(drawn))),
                uses,
                status,
                priority=draw(priorities),
                created_at=dispatched - HOUR,
                scheduled_at=dispatched,
                started_at=dispatched if status == "RUNNING" else None,
            )
        )
    jobs += [
        Job(
            f"w{number}",
            draw(st.sampled_from(sorted(drawn))),
            draw(uses_of(units, 6)),
            "RUNNABLE",
            priority=draw(priorities),
            created_at=NOON - draw(st.integers(0, 5)) * HOUR,
        )
        for number in range(draw(st.integers(1, 4)))
    ]
    return QueueState(NOON, environment, drawn, tuple(jobs))


@st.composite
def uses_of(draw: st.DrawFn, units: tuple[str, ...], most: int) -> dict[str, int]:
    chosen = [unit for unit in units if draw(st.booleans())] or [units[0]]
    return {unit: draw(st.integers(1, most)) for unit in chosen}


def usage(state: QueueState) -> dict[str, dict[str, int]]:
    """Give U by share and type."""
    used: dict[str, dict[str, int]] = {name: {} for name in state.shares}
    for job in state.jobs:
        if job.is_dispatched:
            for unit, amount in job.uses.items():
                used[job.share][unit] = used[job.share].get(unit, 0) + amount
    return used


def limit(state: QueueState, share: str, unit: str) -> int:
    return state.shares[share].limits.get(unit, 0)


def over(state: QueueState, share: str, unit: str) -> int:
    return max(0, usage(state)[share].get(unit, 0) - limit(state, share, unit))


def total_usage(state: QueueState, unit: str) -> int:
    return sum(used.get(unit, 0) for used in usage(state).values())


def pool_holds(state: QueueState, unit: str) -> bool:
    """Say whether all that is borrowed is covered by what lenders have idle."""
    used = usage(state)
    borrowed = sum(over(state, name, unit) for name in state.shares)
    idle = sum(
        max(0, limit(state, name, unit) - used[name].get(unit, 0))
        for name, share in state.shares.items()
        if share.strategy != "RESERVE"
    )
    return borrowed <= idle


def owns_everything(state: QueueState, unit: str) -> bool:
    """Say whether the environment has what all shares have together."""
    return state.environment.get(unit, 0) >= sum(limit(state, name, unit) for name in state.shares)


def jobs_by_id(state: QueueState) -> Mapping[str, Job]:
    return {job.id: job for job in state.jobs}


def waiting_of(state: QueueState) -> list[Job]:
    return [job for job in state.jobs if job.is_waiting]


def cap(share: Share, unit: str) -> float:
    """Give the most that a share may hold of a type: its limit and what it may borrow."""
    own = share.limits.get(unit, 0)
    if share.strategy != "LEND_AND_BORROW":
        return own
    return float("inf") if share.borrow_limit_percent == -1 else own + own * share.borrow_limit_percent // 100


def without(state: QueueState, job_ids: set[str] | frozenset[str] | tuple[str, ...]) -> QueueState:
    """Give the state without some jobs."""
    left = tuple(job for job in state.jobs if job.id not in job_ids)
    return QueueState(state.at, state.environment, state.shares, left)
