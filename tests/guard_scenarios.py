"""A queue with running jobs and a change of it for each verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handler_support import Account, account_with_queue, make_share, proposal, set_resources, submit

if TYPE_CHECKING:
    from collections.abc import Mapping

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
