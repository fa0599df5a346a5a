"""Whether a failed attempt is tried again.

Source: user guide, service job retry strategies; API Reference, ServiceJobEvaluateOnExit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def retries(reason: str, times_runnable: int, attempts_allowed: int, rules: Sequence[Mapping[str, Any]]) -> bool:
    """Decide about one failed attempt.

    1. No attempts left: no.
    2. The first rule whose pattern matches decides.
    3. No rule matches: yes.

    Args:
        reason: why the attempt failed.
        times_runnable: how many of its attempts the job has used.
        attempts_allowed: `retryStrategy.attempts`.
        rules: `retryStrategy.evaluateOnExit`.

    >>> rules = [{"action": "RETRY", "onStatusReason": "*CapacityError*"}, {"action": "EXIT", "onStatusReason": "*"}]
    >>> retries("Received status from SageMaker: InternalServerError: x", 1, 3, rules)
    False
    """
    if times_runnable >= attempts_allowed:
        return False
    for rule in rules:
        if _matches(rule.get("onStatusReason", "*"), reason):
            return str(rule.get("action", "RETRY")).upper() == "RETRY"
    return True


def _matches(pattern: str, reason: str) -> bool:
    """Whether a reason matches a pattern, in which `*` stands for anything at the start or the end."""
    leading, trailing = pattern.startswith("*"), pattern.endswith("*")
    core = pattern.strip("*")
    if leading and trailing:
        return core in reason
    if trailing:
        return reason.startswith(core)
    return reason.endswith(core) if leading else reason == core
