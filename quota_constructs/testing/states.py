"""Builders of queue states: a case says what matters to it, the rest has a default."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quota_scheduler import Job, QueueState, Share, parse_state
from quota_scheduler.share import STATES, STRATEGIES
from quota_scheduler.timestamp import parse_timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable

AT = "2026-01-01T12:00:00Z"
"""When a built state is taken, unless it says otherwise."""

_AT = parse_timestamp(AT)
_HOUR_MILLISECONDS = 3_600_000
_TYPE = "ml.g5.xlarge"


def share(
    name: str,
    limits: "Mapping[str, int]",
    strategy: str = "RESERVE",
    *,
    borrow_limit_percent: int = -1,
    in_share_preemption: bool = False,
    state: str = "ENABLED",
) -> Share:
    """Build a share.

    Args:
        name: Its name.
        limits: Instances of each type.
        strategy: `RESERVE`, `LEND` or `LEND_AND_BORROW`.
        borrow_limit_percent: Percent of its own limits; -1 is no limit.
        in_share_preemption: Whether its jobs may stop each other.
        state: `ENABLED` or `DISABLED`.

    Raises:
        ValueError: The limits are no amounts, or strategy or state are none.
    """
    _check_amounts(f"limits of share {name}", limits)
    for what, given, allowed in (("strategy", strategy, STRATEGIES), ("state", state, STATES)):
        if given not in allowed:
            raise ValueError(f"{what} of share {name} is none, got {given!r}; give one of {', '.join(allowed)}")
    return Share(name, limits, strategy, borrow_limit_percent, in_share_preemption, state)


def running(
    job_id: str,
    share_name: str,
    uses: "Mapping[str, int] | int" = 1,
    *,
    hours: float = 1,
    priority: int = 1,
    owner: str | None = None,
) -> Job:
    """Build a job that runs.

    Args:
        job_id: Its id, also its name.
        share_name: Its share.
        uses: Instances by type, or how many ml.g5.xlarge.
        hours: For how long it has run.
        priority: Its priority; higher goes first.
        owner: Whom to tell.

    Raises:
        ValueError: `uses` are no amounts.
    """
    started = _AT - round(hours * _HOUR_MILLISECONDS)
    return Job(
        job_id,
        share_name,
        _uses(job_id, uses),
        "RUNNING",
        name=job_id,
        priority=priority,
        created_at=started,
        scheduled_at=started,
        started_at=started,
        owner=owner,
    )


def waiting(
    job_id: str,
    share_name: str,
    uses: "Mapping[str, int] | int" = 1,
    *,
    hours: float = 0,
    priority: int = 1,
    owner: str | None = None,
) -> Job:
    """Build a job that waits.

    Args:
        job_id: Its id, also its name.
        share_name: Its share.
        uses: Instances by type, or how many ml.g5.xlarge.
        hours: For how long it has waited.
        priority: Its priority; higher goes first.
        owner: Whom to tell.

    Raises:
        ValueError: `uses` are no amounts.
    """
    created = _AT - round(hours * _HOUR_MILLISECONDS)
    return Job(
        job_id,
        share_name,
        _uses(job_id, uses),
        "RUNNABLE",
        name=job_id,
        priority=priority,
        created_at=created,
        owner=owner,
    )


def queue_state(
    environment: "Mapping[str, int]",
    shares: "Iterable[Share]",
    jobs: "Iterable[Job]" = (),
    *,
    queue: str | None = None,
) -> QueueState:
    """Build the state of a queue.

    Args:
        environment: Instances of each type in the service environment.
        shares: Its shares.
        jobs: Its jobs.
        queue: Name of the queue. By default it has none, and belongs to the one queue of a template.

    Raises:
        ValueError: Two shares have one name, the environment holds no amounts, or a state cannot be like that.
    """
    given = tuple(shares)
    twice = [name for name, times in Counter(one.name for one in given).items() if times > 1]
    if twice:
        raise ValueError(f"shares have the same name, got {', '.join(twice)} more than once; give each its own")
    _check_amounts("environment", environment)
    state = QueueState(_AT, environment, {one.name: one for one in given}, tuple(jobs), queue=queue)
    parse_state(state.to_dict())  # what no command would read is no state
    return state


def _uses(job_id: str, uses: "Mapping[str, int] | int") -> "Mapping[str, int]":
    amounts = {_TYPE: uses} if isinstance(uses, int) else uses
    _check_amounts(f"uses of job {job_id}", amounts)
    return amounts


def _check_amounts(what: str, amounts: object) -> None:
    """Refuse what is no mapping of types to whole numbers from 0.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(amounts, Mapping):
        raise ValueError(f"{what} are no amounts, got {amounts!r}; give a mapping such as {{{_TYPE!r}: 4}}")
    for kind, amount in amounts.items():
        if not isinstance(amount, int) or isinstance(amount, bool) or amount < 0:
            raise ValueError(f"{what} are whole numbers from 0, got {amount!r} for {kind}")
