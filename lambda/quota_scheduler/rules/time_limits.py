"""Rules about what the queue does with jobs that stay at its front."""

from __future__ import annotations

from quota_scheduler.rules.configuration import given, is_whole_number
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration

REASONS = (
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
    "MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED",
    "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE",
)
SHORTEST_SECONDS = 600
LONGEST_SECONDS = 86_400


def _check_reason(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for action in queue.time_limit_actions:
        if given(action.reason) and action.reason not in REASONS:
            yield (
                f"{action.path}.reason",
                f"a time limit never matches the reason {action.reason}; {_meant(str(action.reason))}",
            )


def _meant(reason: str) -> str:
    bare = reason.strip().upper().rpartition(":")[2]
    for known in REASONS:
        if known.endswith(f":{bare}"):
            return f"did you mean {known}?"
    # Imported here: only needed for a reason that is wrong.
    from difflib import get_close_matches

    close = get_close_matches(reason.upper(), REASONS, n=1)
    return f"did you mean {close[0]}?" if close else f"allowed are {', '.join(REASONS)}"


def _check_seconds(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for action in queue.time_limit_actions:
        seconds = action.max_time_seconds
        if given(seconds) and not (is_whole_number(seconds) and SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS):
            yield (
                f"{action.path}.max_time_seconds",
                (
                    f"a time limit must be {SHORTEST_SECONDS} to {LONGEST_SECONDS} seconds (10 minutes to 24 hours), "
                    f"got {seconds!r}"
                ),
            )


def _check_action(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for action in queue.time_limit_actions:
        if given(action.action) and action.action != "TERMINATE":
            yield (
                f"{action.path}.action",
                f"the action of a time limit must be TERMINATE in a SAGEMAKER_TRAINING queue, got {action.action}",
            )


def _check_state(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for action in queue.time_limit_actions:
        if given(action.state) and action.state != "RUNNABLE":
            yield f"{action.path}.state", f"the state of a time limit must be RUNNABLE, got {action.state}"


def _example(**members: object) -> str:
    inner = ", ".join(
        f'"{name}": {value}' if isinstance(value, int) else f'"{name}": "{value}"' for name, value in members.items()
    )
    return f'{{"jobStateTimeLimitActions": [{{{inner}}}]}}'


RULES = (
    Rule(
        id="QS025",
        title="a time limit has a reason that the service gives",
        severity=ERROR,
        source="AWS Batch User Guide, Automatic remediation with jobStateTimeLimitActions",
        check=_check_reason,
        fix=f"use {', '.join(REASONS[:-1])} or {REASONS[-1]}",
        bad=_example(reason="QUOTA_MANAGEMENT_LIMIT_EXCEEDED"),
        good=_example(reason="MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED"),
    ),
    Rule(
        id="QS026",
        title="a time limit is 600 to 86400 seconds",
        severity=ERROR,
        source="Batch API, JobStateTimeLimitAction.maxTimeSeconds",
        check=_check_seconds,
        fix="choose between 10 minutes and 24 hours",
        bad=_example(maxTimeSeconds=60),
        good=_example(maxTimeSeconds=600),
    ),
    Rule(
        id="QS027",
        title="the action of a time limit is TERMINATE",
        severity=ERROR,
        source="Batch API, JobStateTimeLimitAction.action",
        check=_check_action,
        fix="say TERMINATE; CANCEL is for other kinds of queue",
        bad=_example(action="CANCEL"),
        good=_example(action="TERMINATE"),
    ),
    Rule(
        id="QS028",
        title="the state of a time limit is RUNNABLE",
        severity=ERROR,
        source="Batch API, JobStateTimeLimitAction.state",
        check=_check_state,
        fix="say RUNNABLE",
        bad=_example(state="SCHEDULED"),
        good=_example(state="RUNNABLE"),
    ),
)
