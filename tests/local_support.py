"""What the tests of the local Batch have in common: two faces of the same service, and a queue in a few words."""

from __future__ import annotations

import itertools
import json
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from quota_constructs.local import LocalBatch
from quota_constructs.local.sessions import local_client

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mypy_boto3_batch import BatchClient

G5 = "ml.g5.xlarge"
P4 = "ml.p4d.24xlarge"
REGION = "eu-west-1"
_accounts = itertools.count(100_000_000_000)

LEND = {"strategy": "LEND"}
RESERVE = {"strategy": "RESERVE"}


def borrow(percent: int = -1) -> dict[str, Any]:
    return {"strategy": "LEND_AND_BORROW", "borrowLimit": percent}


class Face(Protocol):
    """One way to reach a local Batch whose clock stands still."""

    client: BatchClient

    def advance(self, seconds: float) -> None: ...
    def events(self, *kinds: str) -> list[dict[str, Any]]: ...
    def set_faults(self, *rules: dict[str, Any], seed: int = 0) -> None: ...
    def make_scarce(self, instance_type: str, available: int | None) -> None: ...


class InProcess:
    """A `LocalBatch` in the test's process."""

    def __init__(self) -> None:
        self.batch = LocalBatch(seed=1)
        self.client = self.batch.client()

    def advance(self, seconds: float) -> None:
        self.batch.advance(seconds)

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        return [record.to_dict() for record in self.batch.events if not kinds or record.kind in kinds]

    def set_faults(self, *rules: dict[str, Any], seed: int = 0) -> None:
        from quota_constructs.local.faults import rules_from

        self.batch.faults.clear()
        found, seed_given = rules_from({"rules": list(rules), "seed": seed})
        self.batch.faults.add(*found, seed=seed_given)

    def make_scarce(self, instance_type: str, available: int | None) -> None:
        self.batch.make_scarce(instance_type, available)


class OverHttp:
    """An account of its own on a server with a clock that stands still."""

    def __init__(self, endpoint_url: str) -> None:
        self.account = str(next(_accounts))
        self.endpoint_url = endpoint_url
        self.client = http_client(endpoint_url, self.account)

    def advance(self, seconds: float) -> None:
        self._control("POST", "advance", {"seconds": seconds})

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        return [event for event in self._control("GET", "events")["events"] if not kinds or event["kind"] in kinds]

    def set_faults(self, *rules: dict[str, Any], seed: int = 0) -> None:
        self._control("POST", "faults", {"rules": list(rules), "seed": seed})

    def make_scarce(self, instance_type: str, available: int | None) -> None:
        self._control("POST", "scarcity", {"instanceType": instance_type, "available": available})

    def _control(self, method: str, name: str, members: dict[str, Any] | None = None) -> dict[str, Any]:
        return control(self.endpoint_url, method, name, members, account=self.account)


def http_client(endpoint_url: str, account: str, **config: Any) -> BatchClient:
    chosen: dict[str, Any] = {"retries": {"mode": "standard"}, "max_pool_connections": 64} | config
    return local_client("batch", endpoint_url, region=REGION, account=account, config=Config(**chosen))


def control(
    endpoint_url: str, method: str, name: str, members: dict[str, Any] | None = None, account: str = "000000000000"
) -> dict[str, Any]:
    """Call a control endpoint."""
    request = urllib.request.Request(
        f"{endpoint_url}/_quota/{name}?region={REGION}&account={account}",
        method=method,
        data=json.dumps(members).encode() if members is not None else None,
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())


def payload(uses: dict[str, int], *, run_seconds: float | None = 3600, name: str = "train", **more: Any) -> str:
    """A training job's request: one instance type, or groups of several."""
    resources: dict[str, Any] = {"VolumeSizeInGB": 30}
    if len(uses) == 1:
        [(instance_type, count)] = uses.items()
        resources |= {"InstanceType": instance_type, "InstanceCount": count}
    else:
        resources["InstanceGroups"] = [
            {"InstanceGroupName": f"g{index}", "InstanceType": instance_type, "InstanceCount": count}
            for index, (instance_type, count) in enumerate(uses.items())
        ]
    environment = {} if run_seconds is None else {"QUOTA_LOCAL_RUN_SECONDS": str(run_seconds)}
    environment |= more.pop("Environment", {})
    return json.dumps({"TrainingJobName": name, "ResourceConfig": resources, "Environment": environment, **more})


@dataclass
class Queue:
    """A queue with shares, VALID and ready for jobs; `shares` gives for each its limits and sharing."""

    face: Face
    environment: dict[str, int] = field(default_factory=lambda: {G5: 3})
    shares: dict[str, tuple[dict[str, int], dict[str, Any]]] = field(default_factory=dict)
    in_share: Iterable[str] = ()
    time_limits: list[dict[str, Any]] = field(default_factory=list)
    name: str = "training"

    def __post_init__(self) -> None:
        client = self.face.client
        self.policy_arn = client.create_scheduling_policy(
            name=f"{self.name}-policy", quotaSharePolicy={"idleResourceAssignmentStrategy": "FIFO"}
        )["arn"]
        client.create_service_environment(
            serviceEnvironmentName=f"{self.name}-environment",
            serviceEnvironmentType="SAGEMAKER_TRAINING",
            capacityLimits=limits(self.environment),
        )
        self.face.advance(2)
        more = {"jobStateTimeLimitActions": self.time_limits} if self.time_limits else {}
        self.arn = client.create_job_queue(
            jobQueueName=self.name,
            jobQueueType="SAGEMAKER_TRAINING",
            priority=1,
            schedulingPolicyArn=self.policy_arn,
            serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": f"{self.name}-environment"}],
            **more,
        )["jobQueueArn"]
        self.face.advance(2)
        for share in self.shares:
            self.add_share(share)
        self.face.advance(2)

    def add_share(self, share: str, **more: Any) -> str:
        of_share, sharing = self.shares.get(share, ({G5: 1}, LEND))
        request = {
            "quotaShareName": share,
            "jobQueue": self.name,
            "capacityLimits": limits(of_share),
            "resourceSharingConfiguration": sharing,
            "preemptionConfiguration": {"inSharePreemption": "ENABLED" if share in self.in_share else "DISABLED"},
        }
        return self.face.client.create_quota_share(**(request | more))["quotaShareArn"]

    def share_arn(self, share: str) -> str:
        return f"{self.arn}/quota-share/{share}"

    def submit(self, share: str, uses: int | dict[str, int] = 1, priority: int = 1, **more: Any) -> str:
        """Submit a job that runs for an hour; gives its id."""
        wanted = {G5: uses} if isinstance(uses, int) else uses
        environment = {key: more.pop(key) for key in ("run_seconds",) if key in more}
        request = {
            "jobName": "job",
            "jobQueue": self.name,
            "serviceJobType": "SAGEMAKER_TRAINING",
            "quotaShareName": share,
            "schedulingPriority": priority,
            "serviceRequestPayload": payload(wanted, **environment),
        }
        return self.face.client.submit_service_job(**(request | more))["jobId"]

    def status(self, *jobs: str) -> list[str]:
        return [self.face.client.describe_service_job(jobId=job)["status"] for job in jobs]

    def describe(self, job: str) -> dict[str, Any]:
        return without_metadata(self.face.client.describe_service_job(jobId=job))


def limits(of: dict[str, int]) -> list[dict[str, Any]]:
    return [{"capacityUnit": unit, "maxCapacity": count} for unit, count in of.items()]


def without_metadata(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def refused(call: Any, **members: Any) -> str:
    """The message with which a call is refused; it must be a ClientException with status 400."""
    with pytest.raises(ClientError) as caught:
        call(**members)
    assert caught.value.response["Error"]["Code"] == "ClientException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    return caught.value.response["Error"]["Message"]
