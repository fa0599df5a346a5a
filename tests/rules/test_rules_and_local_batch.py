"""Synth, guard and local Batch agree: what a rule calls an error by the documentation, the local Batch refuses.

What the service is not known to refuse, the local Batch takes; the reasons are in the rules' decision record.
"""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, ParamValidationError

from quota_constructs.local import LocalBatch
from quota_scheduler.rules import ERROR, RULES, Rule

P5 = "ml.p5.48xlarge"
NOT_REFUSED = {
    "QS007": "a share above the environment",
    "QS008": "a type that the environment lacks",
    "QS009": "more shared out than there is",
}
# How a call fails in the service, not how a template would be read.
NOT_FOR_A_CALL = {"QS013": "the second share of a name exists already", "QS039": "names cannot be updated at all"}
CREATED = [
    rule
    for rule in RULES.values()
    if rule.severity == ERROR and rule.looks_at != "update" and rule.id not in NOT_FOR_A_CALL
]


def create(document: dict[str, Any], client: Any, batch: LocalBatch, suffix: str = "") -> None:
    """Make what an example describes, with what it leaves out filled in."""
    environment = _named(
        {
            "serviceEnvironmentName": f"environment{suffix}",
            "serviceEnvironmentType": "SAGEMAKER_TRAINING",
            "capacityLimits": [{"capacityUnit": P5, "maxCapacity": 64}],
        },
        document.get("environment", {}),
        "serviceEnvironmentName",
    )
    policy = {"quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}, **document.get("schedulingPolicy", {})}
    if f"{environment['serviceEnvironmentName']}" not in {
        found["serviceEnvironmentName"] for found in client.describe_service_environments()["serviceEnvironments"]
    }:
        client.create_service_environment(**environment)
    arn = client.create_scheduling_policy(name=f"policy{suffix}", **policy)["arn"]
    batch.advance(60)
    queue = _named(
        {
            "jobQueueName": f"queue{suffix}",
            "jobQueueType": "SAGEMAKER_TRAINING",
            "priority": 1,
            "schedulingPolicyArn": arn,
            "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": environment["serviceEnvironmentName"]}],
            "jobStateTimeLimitActions": [
                {
                    "reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
                    "state": "RUNNABLE",
                    "maxTimeSeconds": 600,
                    "action": "TERMINATE",
                    **action,
                }
                for action in document.get("jobStateTimeLimitActions", [])
            ],
        },
        document.get("queue", {}),
        "jobQueueName",
    )
    if queue["serviceEnvironmentOrder"]:
        queue["serviceEnvironmentOrder"] = [
            {"order": 1, "serviceEnvironment": environment["serviceEnvironmentName"]}
            for _ in queue["serviceEnvironmentOrder"]
        ]
    client.create_job_queue(**queue)
    batch.advance(60)
    shares = document.get("shares", [])
    for share in shares or [{"quotaShareName": "a"}]:
        client.create_quota_share(
            **{
                "jobQueue": queue["jobQueueName"],
                "capacityLimits": [{"capacityUnit": P5, "maxCapacity": 1}],
                "resourceSharingConfiguration": {"strategy": "LEND"},
                "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
                **share,
            }
        )
    batch.advance(60)
    for job in document.get("jobs", []):
        client.submit_service_job(
            **{
                "jobQueue": queue["jobQueueName"],
                "serviceJobType": "SAGEMAKER_TRAINING",
                "serviceRequestPayload": json.dumps({"ResourceConfig": {"InstanceType": P5, "InstanceCount": 1}}),
                "quotaShareName": shares[0]["quotaShareName"] if shares else "a",
                **job,
            }
        )


def _named(defaults: dict[str, Any], given: dict[str, Any], name: str) -> dict[str, Any]:
    members = {**defaults, **given}
    if "name" in members:
        members[name] = members.pop("name")
    return members


def is_refused(rule: Rule, example: str) -> bool:
    batch = LocalBatch(seed=1)
    client = batch.client()
    document = json.loads(example)
    try:
        for number, part in enumerate(document if isinstance(document, list) else [document]):
            part.pop("allowOversubscription", None)
            create(part, client, batch, suffix=str(number))
    except (ClientError, ParamValidationError):
        return True
    return False


@pytest.mark.parametrize("rule", CREATED, ids=[rule.id for rule in CREATED])
def test_local_batch_refuses_what_the_rule_calls_an_error(rule: Rule) -> None:
    assert is_refused(rule, rule.bad) == (rule.id not in NOT_REFUSED)


@pytest.mark.parametrize("rule", CREATED, ids=[rule.id for rule in CREATED])
def test_local_batch_takes_the_mended_example(rule: Rule) -> None:
    assert not is_refused(rule, rule.good)


def test_what_is_not_refused_is_said() -> None:
    assert set(NOT_REFUSED) <= set(RULES)
    assert set(NOT_FOR_A_CALL) <= set(RULES)
