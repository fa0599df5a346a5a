"""Whatever happened to a stack, the next deployment that nothing disturbs makes it so, and no job ended on the way.

A history is a few deployments drawn at random: shares are added, changed, renamed, moved to another construct, taken
away; calls fail, answers get lost, events come twice, rollbacks begin in the middle; jobs come in meanwhile.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from cloudformation_model import CloudFormation, Template
from handler_support import G5, OWNER, STACK_ID, KilledError, account_with_queue, client_error, job_status, submit

if TYPE_CHECKING:
    from collections.abc import Callable

HISTORIES = 40
DEPLOYMENTS = 4
LOGICAL_IDS = ("QS1", "QS2", "Other")
NAMES = ("A", "B", "C")
IGNORE_RISK = {"verdicts": dict.fromkeys(("destructive", "disruptive", "at_risk", "notice"), "IGNORE")}


class History:
    """One history, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.account = account_with_queue({G5: 30})
        self.stack = CloudFormation(self.account)
        self.jobs: dict[str, str] = {}

    def template(self, fails_later: bool = False) -> Template:
        names = self.draw.sample(NAMES, k=self.draw.randint(0, 3))
        homes = self.draw.sample(LOGICAL_IDS, k=len(names))
        shares = {
            logical_id: {
                "name": name,
                "limit": self.draw.randint(2, 8),
                "strategy": "LEND",
                "state": self.draw.choice(["ENABLED", "ENABLED", "DISABLED"]),
                "on_removal": self.draw.choice(["REFUSE_IF_BUSY", "RETAIN"]),
                "adopt": True,
                "tags": {"team": self.draw.choice("xyz")},
            }
            for logical_id, name in zip(homes, names, strict=True)
        }
        return Template(shares, policy=IGNORE_RISK, fails_later=fails_later)

    def disturb(self) -> None:
        """Let something go wrong in the next deployment, or not."""
        number = len(self.account.calls) + self.draw.randint(1, 60)
        kind = self.draw.choice(["nothing", "refused", "lost", "killed", "twice", "cancelled", "answer lost"])
        self.stack.deliveries = 2 if kind == "twice" else 1
        self.stack.cancel_at = number - len(self.account.calls) if kind == "cancelled" else 0
        self.stack.before_answer = lambda made: None
        if kind in ("refused", "lost", "killed"):
            self.account.fault = self._fault(number, kind)
        if kind == "answer lost":
            left = [self.draw.randint(1, 4)]

            def lose(made: dict[str, Any]) -> None:
                left[0] -= 1
                if left[0] == 0:
                    raise KilledError

            self.stack.before_answer = lose

    def _fault(self, number: int, kind: str) -> Callable[[str, str, bool], None]:
        def fault(service: str, operation: str, done: bool) -> None:
            if len(self.account.calls) != number or done is not (kind != "refused"):
                return
            self.account.fault = lambda service, operation, done: None
            raise KilledError if kind == "killed" else client_error(operation, "ServerException", "boom")

        return fault

    def calm(self) -> None:
        self.account.fault = lambda service, operation, done: None
        self.account.hooks.clear()
        self.stack.before_answer = lambda made: None
        self.stack.deliveries, self.stack.cancel_at = 1, 0

    def submit_somewhere(self) -> None:
        name = self.draw.choice(NAMES)
        share = self.account.share(name)
        if name not in self.jobs and share is not None and (share["status"], share["state"]) == ("VALID", "ENABLED"):
            self.jobs[name] = submit(self.account, name, f"job-{name}", seconds=10_000_000)

    def run(self) -> None:
        for _ in range(DEPLOYMENTS):
            self.disturb()
            self.stack.deploy(self.template(fails_later=self.draw.random() < 0.3))
            self.calm()
            self.submit_somewhere()
            self.check_jobs()

    def check_jobs(self) -> None:
        for name, job in self.jobs.items():
            assert job_status(self.account, job) == "RUNNING", f"the job of {name} ended"

    def check_declared(self, template: Template) -> None:
        for logical_id, members in template.shares.items():
            share = self.account.share(members["name"])
            assert share is not None, f"{members['name']} is not there"
            (limit,) = share["capacityLimits"]
            now = (limit["maxCapacity"], share["state"], share["status"], share["tags"]["team"], share["tags"][OWNER])
            owner = f"{STACK_ID}/{logical_id}"
            assert now == (members["limit"], members["state"], "VALID", members["tags"]["team"], owner)


def history(seed: int) -> None:
    made = History(seed)
    made.run()
    last = made.template()
    status = made.stack.deploy(last)
    assert status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"), "\n".join(made.stack.said[-12:])
    made.check_declared(last)
    made.check_jobs()


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_deployment_that_nothing_disturbs_makes_it_so(seed: int) -> None:
    history(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(10))
def test_a_deployment_that_nothing_disturbs_makes_it_so_after_many_histories(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        history(seed)
