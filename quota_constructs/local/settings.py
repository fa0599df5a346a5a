"""How the local Batch behaves where the service says nothing, or where a test wants something else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DELAYS = ("short", "realistic")
"""Names of settings; the first is the default."""
PORT = 4599
"""Where it listens unless told otherwise."""
SPEED = 1.0
"""Seconds of its clock in a second, unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Delays and limits of the local Batch. All times are in seconds of its clock.

    Args:
        status_seconds: how long a service environment, job queue or quota share stays CREATING, UPDATING or DELETING.
        runnable_seconds: from the submission of a job until it is RUNNABLE.
        scheduling_seconds: how long after a change of the queue the scheduler looks at it.
        starting_seconds: how long a job is SCHEDULED before it is STARTING, when its instances can be had.
        running_seconds: how long a job is STARTING before it is RUNNING.
        stop_seconds: from the request to stop a running job until its instances are free.
        run_seconds: how long a job runs that says nothing about it.
        capacity_wait_seconds: how long a job waits SCHEDULED for instances that cannot be had before it goes back.
        capacity_retry_seconds: how long it stays RUNNABLE before it is tried again.
        preemption_history: how many preempted attempts DescribeServiceJob shows at most.
        submit_rate: most SubmitServiceJob calls in a second of the clock; no limit unless given. The service has 5.
        scarce: instances of a type that can be had at all; every other type is plenty.
        event_log_limit: how many records of the event log are kept.

    Raises:
        ValueError: a time or number is below 0.

    Source: assumed (docs/decisions/0031-local-batch-timing.md); the submit rate and 20 seconds for a stop are
    published.
    """

    status_seconds: float = 2.0
    runnable_seconds: float = 1.0
    scheduling_seconds: float = 1.0
    starting_seconds: float = 5.0
    running_seconds: float = 10.0
    stop_seconds: float = 20.0
    run_seconds: float = 300.0
    capacity_wait_seconds: float = 300.0
    capacity_retry_seconds: float = 60.0
    preemption_history: int = 10
    submit_rate: int | None = None
    scarce: Mapping[str, int] = field(default_factory=dict)
    event_log_limit: int = 1_000_000

    def __post_init__(self) -> None:
        wrong = [
            f"{name} must be at least 0, got {value!r}"
            for name in self.__slots__
            if isinstance(value := getattr(self, name), int | float) and not value >= 0
        ]
        if wrong:
            raise ValueError("\n".join(wrong))


def named_settings(name: str) -> Settings:
    """The delays that go by a name.

    Args:
        name: `short` for a person who waits, `realistic` for the defaults.
    """
    return short_settings() if name == "short" else Settings()


def settings_with(settings: Settings, assignments: Iterable[str]) -> Settings:
    """Change single settings.

    Args:
        settings: those to start from.
        assignments: `name=number` each, for example `stop_seconds=120`.

    Raises:
        ValueError: a name is unknown, or a value is no number of at least 0; the message names them all.
    """
    numbers: dict[str, float | int] = {}
    problems = []
    for assignment in assignments:
        name, _, text = assignment.partition("=")
        kind = _NUMBERS.get(name)
        if kind is None:
            problems.append(f"unknown setting {name!r}; there are {', '.join(_NUMBERS)}")
            continue
        try:
            numbers[name] = kind(text)
        except ValueError:
            problems.append(f"{name} must be {'a whole number' if kind is int else 'a number'}, got {text!r}")
    if problems:
        raise ValueError("\n".join(problems))
    return replace(settings, **numbers)  # type: ignore[arg-type]  # read by _NUMBERS


_WHOLE = ("preemption_history", "submit_rate", "event_log_limit")
_NUMBERS: dict[str, type[int] | type[float]] = {
    name: int if name in _WHOLE else float for name in Settings.__slots__ if name != "scarce"
}


def short_settings() -> Settings:
    """Delays for a person who waits in front of a terminal: a fifth of a second here, two seconds there."""
    return Settings(
        status_seconds=0.3,
        runnable_seconds=0.2,
        scheduling_seconds=0.2,
        starting_seconds=0.5,
        running_seconds=0.5,
        stop_seconds=2.0,
        capacity_wait_seconds=10.0,
        capacity_retry_seconds=5.0,
    )
