"""Calls that fail on purpose: throttled, refused, late, answered by nobody, or followed by a status that hangs.

    {"version": 1, "seed": 7, "rules": [
        {"fault": "throttling", "operation": "SubmitServiceJob", "probability": 0.2},
        {"fault": "lost_response", "operation": "CreateQuotaShare", "times": 1},
        {"fault": "latency", "seconds": 2.5},
        {"fault": "hanging_status", "operation": "UpdateQuotaShare", "after": 1}]}

The first rule that strikes decides. With a seed, the same calls meet the same faults again.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quota_constructs.local.errors import ServerException, ServiceError, TooManyRequestsException

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LOST_RESPONSE = "x-quota-local-lost"
"""Header of a response that the client must not get."""

LATENCY = "x-quota-local-latency"
"""Header with the seconds by which a response is late."""

KINDS = ("throttling", "server_error", "latency", "lost_response", "hanging_status")
VERSION = 1


class LostResponseError(Exception):
    """Ends a connection on purpose, without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRule:
    """When which calls fail, and how.

    Args:
        fault: `throttling` and `server_error` refuse the call before anything is changed; `latency` answers late;
            `lost_response` does what was asked and answers nobody; `hanging_status` leaves the resource CREATING,
            UPDATING or DELETING until the rules are cleared.
        operation: name of the operation, for example `CreateQuotaShare`; every operation unless given.
        probability: how likely it strikes, from 0 to 1; always unless given.
        after: how many such calls are left alone first; none unless given.
        times: how often it strikes at most; as often as it likes unless given.
        seconds: how late, for `latency`.

    Raises:
        ValueError: a member is out of range.
    """

    fault: str
    operation: str = "*"
    probability: float = 1.0
    after: int = 0
    times: int | None = None
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.fault not in KINDS:
            raise ValueError(f"fault must be {' or '.join(KINDS)}, got {self.fault!r}")
        if not _is_number(self.probability) or not 0 <= self.probability <= 1:
            raise ValueError(f"probability must be from 0 to 1, got {self.probability!r}")
        if not _is_number(self.seconds) or not 0 <= self.seconds < float("inf"):
            raise ValueError(f"seconds must be a number of at least 0, got {self.seconds!r}")
        for name, value in (("after", self.after), ("times", self.times)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
                raise ValueError(f"{name} must be a whole number of at least 0, got {value!r}")


@dataclass(slots=True)
class _Count:
    seen: int = 0
    struck: int = 0


class Faults:
    """The rules in force.

    Args:
        strikes: called with a rule's fault and the operation whenever one strikes.
        cleared: called when the rules are taken away.
    """

    def __init__(self, strikes: Callable[[str, str], None], cleared: Callable[[], None]) -> None:
        self._strikes = strikes
        self._cleared = cleared
        self._rules: list[tuple[FaultRule, _Count]] = []
        self._random = random.Random(0)  # noqa: S311 - repeatable on purpose

    def add(self, *rules: FaultRule, seed: int | None = None) -> None:
        """Put more rules in force.

        Args:
            rules: come after those that are in force.
            seed: where the dice of the probabilities start.
        """
        if seed is not None:
            self._random.seed(seed)
        self._rules += [(rule, _Count()) for rule in rules]

    def clear(self) -> None:
        """Take all rules away; statuses that hang move again."""
        self._rules.clear()
        self._cleared()

    def next(self, operation: str) -> FaultRule | None:
        """The rule that strikes a call; None if none does.

        Args:
            operation: name of the called operation.
        """
        for rule, count in self._rules:
            if rule.operation not in ("*", operation):
                continue
            count.seen += 1
            if count.seen <= rule.after or (rule.times is not None and count.struck >= rule.times):
                continue
            if rule.probability < 1 and self._random.random() >= rule.probability:
                continue
            count.struck += 1
            self._strikes(rule.fault, operation)
            return rule
        return None


def refusal(rule: FaultRule) -> ServiceError | None:
    """The error with which a rule refuses a call; None if it lets it happen."""
    if rule.fault == "throttling":
        return TooManyRequestsException("Rate exceeded")
    return ServerException("Internal error, on purpose") if rule.fault == "server_error" else None


def rules_from(document: Mapping[str, Any]) -> tuple[list[FaultRule], int | None]:
    """Read a document of rules.

    Args:
        document: as in this module's description.

    Returns:
        The rules and the seed.

    Raises:
        ValueError: something in it is wrong; the message names every such place.
    """
    problems = [f"{name} is unknown, allowed are version, seed, rules" for name in document.keys() - _MEMBERS]
    if document.get("version", VERSION) != VERSION:
        problems.append(f"version must be {VERSION}, got {document['version']!r}")
    seed, given = document.get("seed"), document.get("rules", [])
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        problems.append(f"seed must be a whole number, got {seed!r}")
    rules: list[FaultRule] = []
    for index, members in enumerate(given if isinstance(given, list) else [given]):
        where = f"rules[{index}]"
        if not isinstance(members, dict) or "fault" not in members:
            problems.append(f"{where} must be an object with a fault, got {members!r}")
            continue
        unknown = sorted(members.keys() - set(FaultRule.__slots__))
        problems += [f"{where}.{name} is unknown, allowed are {', '.join(FaultRule.__slots__)}" for name in unknown]
        try:
            rules.append(FaultRule(**{name: value for name, value in members.items() if name not in unknown}))
        except ValueError as error:
            problems.append(f"{where}: {error}")
    if problems:
        raise ValueError("; ".join(problems))
    return rules, seed


def read_rules(path: Path) -> tuple[list[FaultRule], int | None]:
    """Read a file of rules.

    Args:
        path: a JSON file.

    Raises:
        ValueError: it is no JSON object, or something in it is wrong.
        OSError: it cannot be read.
    """
    try:
        document = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path} must hold a JSON object with rules")
    try:
        return rules_from(document)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


_MEMBERS = {"version", "seed", "rules"}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
