"""What `plan` says before a deployment, the guard says in it: the same words for the same moment.

Both are driven over random queues: the guard by the event that CloudFormation would send, the plan from the assembly
that would be deployed. They share one account, in which nothing moves meanwhile.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assembly_support import guard, template
from handler_support import G5, QUEUE_ARN, STACK_ID, Account, account_with_queue, event, make_share, submit

from quota_constructs.assembly import StackTemplate
from quota_constructs.planning.live import plan_stacks
from quota_handler.guard import Guard
from quota_handler.request import parse_request
from quota_live.deployment import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_live.plan import QueuePlan

QUEUES = 200
STRATEGIES = ("RESERVE", "LEND", "LEND_AND_BORROW")


@dataclass
class DeployedAccount(Account):
    """An account whose stack also has a template, as `plan` reads it."""

    template: Mapping[str, Any] = field(default_factory=dict)

    def _answer(self, service: str, operation: str, members: dict[str, Any]) -> dict[str, Any]:
        if operation == "GetTemplate":
            return {"TemplateBody": self.template}
        answer = super()._answer(service, operation, members)
        if operation == "DescribeStacks":
            answer["Stacks"][0]["StackId"] = STACK_ID
        return answer

    @property
    def clients(self) -> Any:
        made = super().clients
        made.region = "eu-west-1"
        return made


def declared_share(name: str, limit: int, strategy: str, in_share: bool) -> dict[str, Any]:
    sharing: dict[str, Any] = {"strategy": strategy}
    if strategy == "LEND_AND_BORROW":
        sharing["borrowLimit"] = 200
    return {
        "path": f"ml/Training/{name}",
        "logicalId": name,
        "name": name,
        "capacityLimits": [{"capacityUnit": G5, "maxCapacity": limit}],
        "resourceSharingConfiguration": sharing,
        "preemptionConfiguration": {"inSharePreemption": "ENABLED" if in_share else "DISABLED"},
        "state": "ENABLED",
        "lifecycle": "MANAGED",
        "onRemoval": "TERMINATE",
    }


def document(shares: list[dict[str, Any]], environment: int) -> dict[str, Any]:
    return {
        "version": 1,
        "queues": [
            {
                "path": "ml/Training",
                "queue": {"logicalId": "Queue", "name": "training", "arn": None, "state": "ENABLED"},
                "environment": {
                    "logicalId": "Env",
                    "name": "gpus",
                    "state": "ENABLED",
                    "capacityLimits": [{"capacityUnit": G5, "maxCapacity": environment}],
                },
                "schedulingPolicy": {"logicalId": "Policy", "name": "fifo"},
                "jobStateTimeLimitActions": [],
                "allowOversubscription": False,
                "shares": shares,
            }
        ],
    }


def moved(shares: list[dict[str, Any]], dice: random.Random) -> list[dict[str, Any]]:
    """The same shares, with all but one instance of one of them given to another."""
    giver, taker = dice.choice(shares)["name"], dice.choice(shares)["name"]
    limits = {share["name"]: share["capacityLimits"][0]["maxCapacity"] for share in shares}
    limits[taker], limits[giver] = limits[taker] + limits[giver] - 1, 1
    return [
        {**share, "capacityLimits": [{"capacityUnit": G5, "maxCapacity": limits[share["name"]]}]} for share in shares
    ]


def random_deployment(seed: int) -> tuple[DeployedAccount, dict[str, Any], dict[str, Any]]:
    """A busy queue, what is declared of it, and what is declared next."""
    dice = random.Random(seed)
    names = [f"S{number}" for number in range(dice.randint(1, 4))]
    old = [declared_share(name, dice.randint(1, 4), dice.choice(STRATEGIES), dice.random() < 0.5) for name in names]
    environment = sum(share["capacityLimits"][0]["maxCapacity"] for share in old)
    account = account_with_queue({G5: environment})
    made = DeployedAccount(batch=account.batch)
    made.set_status("UPDATE_IN_PROGRESS")
    for share in old:
        make_share(
            made,
            share["name"],
            share["capacityLimits"][0]["maxCapacity"],
            resourceSharingConfiguration=share["resourceSharingConfiguration"],
            preemptionConfiguration=share["preemptionConfiguration"],
        )
    for number in range(dice.randint(0, 8)):
        submit(made, dice.choice(names), f"job-{number}", dice.randint(1, 3), schedulingPriority=dice.randint(0, 3))
    made.batch.advance(dice.randint(0, 7200))
    made.resources[STACK_ID] = [
        {"LogicalResourceId": "Queue", "ResourceType": "AWS::Batch::JobQueue", "PhysicalResourceId": QUEUE_ARN},
        *(
            {
                "LogicalResourceId": name,
                "ResourceType": "Custom::QuotaShare",
                "PhysicalResourceId": f"{QUEUE_ARN}/quota-share/{name}",
            }
            for name in names
        ),
    ]
    if dice.random() < 0.4:
        return made, document(old, environment), document(moved(old, dice), environment)
    new = [dict(share) for share in old if dice.random() < 0.85]
    for share in new:
        if dice.random() < 0.6:
            share["capacityLimits"] = [{"capacityUnit": G5, "maxCapacity": dice.randint(1, 5)}]
        if dice.random() < 0.3:
            share["resourceSharingConfiguration"] = {"strategy": dice.choice(STRATEGIES)}
    return made, document(old, environment), document(new, environment + dice.choice((-1, 0, 0, 2)))


def options_of(account: DeployedAccount) -> Options:
    """Both read at the account's own time."""
    return Options(now=account.batch.now)


def by_guard(account: DeployedAccount, old: object, new: object) -> tuple[QueuePlan, ...]:
    made = event(
        "Update",
        {"ServiceToken": "x", "Proposal": json.dumps(new), "Policy": "{}", "Acknowledge": ""},
        {"ServiceToken": "x", "Proposal": json.dumps(old), "Policy": "{}", "Acknowledge": ""},
        "quota-guard",
        "Guard",
        resource_type="Custom::QuotaGuard",
    )
    verdict = Guard(parse_request(made), account.clients, options_of(account)).serve()
    return tuple(judgement.plan for judgement in verdict.judgements)


def by_plan(account: DeployedAccount, old: object, new: object) -> tuple[QueuePlan, ...]:
    account.template = template(guard(old, policy="{}"))
    account.resources["ml"] = account.resources[STACK_ID]
    account.set_status("UPDATE_COMPLETE", "ml")
    stack = StackTemplate("ml", template(guard(new, policy="{}")), path="ml")
    planned = plan_stacks(lambda region: account.clients, [stack], [stack], [], options_of(account))
    return tuple(item.plan for item in planned)


def test_plan_and_guard_agree_word_for_word() -> None:
    seen = set()
    for seed in range(QUEUES):
        account, old, new = random_deployment(seed)
        theirs = by_guard(account, old, new)
        ours = by_plan(account, old, new)
        assert ours == theirs, f"queue {seed}"
        seen.update(plan.verdict for plan in ours)
    assert seen >= {"safe", "notice", "at_risk", "disruptive", "destructive", "invalid"}
