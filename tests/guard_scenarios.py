"""A queue with running jobs and a change of it for each verdict."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handler_support import (
    Account,
    account_with_queue,
    client_error,
    guard_event,
    guard_properties,
    handle,
    make_share,
    proposal,
    read_timeout,
    set_resources,
    submit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

LENDS = {
    "resourceSharingConfiguration": {"strategy": "LEND"},
    "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
}
LEND = {"strategy": "LEND", "in_share": "DISABLED"}


@dataclass
class Scenario:
    """An account, what its stack declared and what it declares now.

    Args:
        account: with running jobs.
        old: the property `Proposal` before.
        new: the property `Proposal` now.
        jobs: ids of the jobs by name.
    """

    account: Account
    old: str
    new: str
    jobs: Mapping[str, str]


def scenario(verdict: str) -> Scenario:
    """Three instances; A runs on two of them, B may lend, and somebody changes something."""
    account = account_with_queue()
    make_share(account, "A", 2)
    make_share(account, "B", 1, **LENDS)
    set_resources(account, {"A": "A", "B": "B"})
    account.set_status("UPDATE_IN_PROGRESS")
    jobs = {name: submit(account, "A", name, tags={"owner": "ann"}) for name in ("a1", "a2")}
    if verdict == "disruptive":
        jobs |= {name: submit(account, "B", name) for name in ("b1", "b2")}
    if verdict == "notice":
        jobs |= {"a3": submit(account, "A", "a3"), "a4": submit(account, "A", "a4")}
    old = {"A": {"limit": 2}, "B": LEND}
    new = {
        "safe": {"A": {"limit": 2, "borrow": 300}, "B": LEND},
        "notice": {"A": {"limit": 2, "strategy": "LEND"}, "B": LEND},
        "at_risk": {"A": {"limit": 1}, "B": {**LEND, "limit": 2}},
        "disruptive": {"A": {"limit": 1}, "B": {**LEND, "limit": 2}},
        "destructive": {"B": LEND},
        "invalid": {"A": {"limit": 2}, "B": {**LEND, "limit": 2}},
    }[verdict]
    return Scenario(account, proposal(old), proposal(new), jobs)


def update(
    account: Account, new: str, old: str, policy: dict[str, object] | None = None, acknowledge: str = ""
) -> dict[str, Any]:
    made = guard_event("Update", guard_properties(new, policy, acknowledge), guard_properties(old, policy))
    return handle(account, made).body


def acknowledgement_in(reason: str) -> str:
    """The acknowledgement that an answer prints."""
    return re.search(r"quota-acknowledge=(\S+)", reason).group(1)


def logged(capsys: pytest.CaptureFixture[str], kind: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line for line in lines if line.get("kind") == kind]


ERRORS = {
    "access denied": (
        lambda operation: client_error(operation, "AccessDeniedException", "User is not authorized"),
        "permission {permission} is missing",
    ),
    "throttled": (
        lambda operation: client_error(operation, "TooManyRequestsException", "slow down"),
        "was throttled, also after retries",
    ),
    "server error": (lambda operation: client_error(operation, "ServerException", "boom"), "ServerException: boom"),
    "time-out": (lambda operation: read_timeout(), "got no answer"),
}


def failing(operation: str, make: Callable[[str], Exception]) -> Callable[[str, str, bool], None]:
    def fault(service: str, called: str, done: bool) -> None:
        if called == operation and not done:
            raise make(operation)

    return fault
