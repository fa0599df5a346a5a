"""Templates and assemblies as small values: a test shows only what matters to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TYPE = "ml.g5.xlarge"


def limits(amount: object, unit: str = TYPE) -> list[dict[str, Any]]:
    """Capacity limits of a native resource."""
    return [{"CapacityUnit": unit, "MaxCapacity": amount}]


def raw_queue(capacity: object = 3, **queue: object) -> dict[str, Any]:
    """Native environment, policy and queue, by logical id."""
    return {
        "Env": {
            "Type": "AWS::Batch::ServiceEnvironment",
            "Properties": {"ServiceEnvironmentType": "SAGEMAKER_TRAINING", "CapacityLimits": limits(capacity)},
        },
        "Policy": {
            "Type": "AWS::Batch::SchedulingPolicy",
            "Properties": {"QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}},
        },
        "Queue": {
            "Type": "AWS::Batch::JobQueue",
            "Properties": {
                "JobQueueType": "SAGEMAKER_TRAINING",
                "Priority": 1,
                "SchedulingPolicyArn": {"Fn::GetAtt": ["Policy", "Arn"]},
                "ServiceEnvironmentOrder": [
                    {"Order": 1, "ServiceEnvironment": {"Fn::GetAtt": ["Env", "ServiceEnvironmentArn"]}}
                ],
                **queue,
            },
        },
    }


def raw_share(name: object, capacity: object = 1, queue: object = None, **members: object) -> dict[str, Any]:
    """A native quota share that lends."""
    return {
        "Type": "AWS::Batch::QuotaShare",
        "Properties": {
            "QuotaShareName": name,
            "JobQueue": {"Fn::GetAtt": ["Queue", "JobQueueArn"]} if queue is None else queue,
            "CapacityLimits": limits(capacity),
            "ResourceSharingConfiguration": {"Strategy": "LEND"},
            "PreemptionConfiguration": {"InSharePreemption": "DISABLED"},
            **members,
        },
    }


def proposal(shares: Mapping[str, object], environment: object = 3, path: str = "Demo/Training") -> dict[str, Any]:
    """A guard's proposal of one queue whose shares lend, with limits by name."""
    return {
        "version": 1,
        "queues": [
            {
                "path": path,
                "queue": {"logicalId": "Queue", "name": None, "arn": None, "state": "ENABLED"},
                "environment": {
                    "logicalId": "Env",
                    "name": None,
                    "state": "ENABLED",
                    "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": environment}],
                },
                "schedulingPolicy": {"logicalId": "Policy", "name": None},
                "jobStateTimeLimitActions": [],
                "allowOversubscription": False,
                "shares": [
                    {
                        "path": f"{path}/{name}",
                        "logicalId": f"Share{name}",
                        "name": name,
                        "capacityLimits": [{"capacityUnit": TYPE, "maxCapacity": amount}],
                        "resourceSharingConfiguration": {"strategy": "LEND"},
                        "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
                        "state": "ENABLED",
                        "lifecycle": "MANAGED",
                        "onRemoval": "REFUSE_IF_BUSY",
                    }
                    for name, amount in shares.items()
                ],
            }
        ],
    }


def guard(text: object, policy: str = '{"version":1}', acknowledge: str = "") -> dict[str, Any]:
    """A guard resource with this proposal: a document, or an expression that joins one."""
    return {
        "Guard": {
            "Type": "Custom::QuotaGuard",
            "Properties": {
                "ServiceToken": {"Fn::GetAtt": ["Handler", "Arn"]},
                "Proposal": json.dumps(text, separators=(",", ":"))
                if isinstance(text, dict) and "queues" in text
                else text,
                "Policy": policy,
                "Acknowledge": acknowledge,
            },
            "Metadata": {"aws:cdk:path": "Demo/QuotaGuard/Resource"},
        }
    }


def template(resources: Mapping[str, object], **sections: object) -> dict[str, Any]:
    """A template with these resources and sections."""
    return {"Resources": dict(resources), **sections}


def write_assembly(
    folder: Path, stacks: Mapping[str, Mapping[str, object]], environment: str = "aws://unknown-account/unknown-region"
) -> Path:
    """Write an assembly of top-level stacks by artifact name."""
    folder.mkdir(parents=True, exist_ok=True)
    artifacts = {}
    for name, body in stacks.items():
        (folder / f"{name}.template.json").write_text(json.dumps(body))
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": environment,
            "properties": {"templateFile": f"{name}.template.json"},
            "displayName": name,
        }
    (folder / "manifest.json").write_text(json.dumps({"version": "55.0.0", "artifacts": artifacts}))
    return folder
