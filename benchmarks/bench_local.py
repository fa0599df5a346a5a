"""What calls of the local Batch cost with 1,000 and with 10,000 service jobs in one queue.

    python benchmarks/bench_local.py

Prints microseconds of processor time a call (the best of several rounds) and the ratio of the two, and fails if a ratio
is above 1.5.
Half of the jobs have ended, the rest wait behind those that run; `submit` and `schedule` are measured together with
the scheduler's pass.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from quota_constructs.local import LocalBatch

if TYPE_CHECKING:
    from collections.abc import Callable

TYPE = "ml.g5.xlarge"
MOST_RATIO = 1.5
ROUNDS = 5
CALLS = 60
SIZES = (1_000, 10_000)
PAYLOAD = json.dumps(
    {
        "TrainingJobName": "j",
        "ResourceConfig": {"InstanceType": TYPE, "InstanceCount": 1},
        "Environment": {"QUOTA_LOCAL_RUN_SECONDS": "1000000"},
    }
)


class Load:
    """A queue with two shares and so many jobs."""

    def __init__(self, jobs: int) -> None:
        self.batch = LocalBatch(seed=0)
        self.count = 0
        limits = [{"capacityUnit": TYPE, "maxCapacity": 50}]
        policy = self.call(
            "createschedulingpolicy", name="p", quotaSharePolicy={"idleResourceAssignmentStrategy": "FIFO"}
        )
        environment = {"serviceEnvironmentName": "e", "serviceEnvironmentType": "SAGEMAKER_TRAINING"}
        self.call(
            "createserviceenvironment", **environment, capacityLimits=[{"capacityUnit": TYPE, "maxCapacity": 100}]
        )
        self.batch.advance(2)
        order = [{"order": 1, "serviceEnvironment": "e"}]
        self.call(
            "createjobqueue",
            jobQueueName="q",
            jobQueueType="SAGEMAKER_TRAINING",
            priority=1,
            schedulingPolicyArn=policy["arn"],
            serviceEnvironmentOrder=order,
        )
        self.batch.advance(2)
        for share in ("A", "B"):
            self.call(
                "createquotashare",
                quotaShareName=share,
                jobQueue="q",
                capacityLimits=limits,
                resourceSharingConfiguration={"strategy": "LEND_AND_BORROW"},
                preemptionConfiguration={"inSharePreemption": "ENABLED"},
            )
        self.batch.advance(2)
        ids = [self.submit() for _ in range(jobs)]
        self.batch.advance(60)
        for job in ids[-jobs // 2 :]:
            self.call("terminateservicejob", jobId=job, reason="r")
        self.batch.advance(60)
        self.known = ids[jobs // 3]

    def call(self, operation: str, **members: Any) -> dict[str, Any]:
        """Do an operation as over HTTP, without the network."""
        status, _, body = self.batch.handle("POST", f"/v1/{operation}", {}, json.dumps(members).encode(), {})
        assert status == 200, body
        return json.loads(body)

    def submit(self) -> str:
        """Submit one more job; gives its id."""
        self.count += 1
        return self.call(
            "submitservicejob",
            jobName=f"job-{self.count}",
            jobQueue="q",
            serviceJobType="SAGEMAKER_TRAINING",
            quotaShareName="AB"[self.count % 2],
            schedulingPriority=self.count % 5,
            serviceRequestPayload=PAYLOAD,
        )["jobId"]

    def submit_and_schedule(self) -> None:
        """Submit one more job and let the scheduler look at it."""
        self.submit()
        self.batch.advance(3)


def microseconds(what: Callable[[], object]) -> float:
    """Processor time of one call, the best of the rounds: what other processes do does not count."""
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(CALLS):
            what()
        rounds.append((time.process_time() - began) / CALLS)
    return min(rounds) * 1e6


def measure(jobs: int) -> dict[str, float]:
    load = Load(jobs)
    filters = [{"name": "QUOTA_SHARE_NAME", "values": ["A"]}]
    calls: dict[str, Callable[[], object]] = {
        "submit": load.submit,
        "submit and schedule": load.submit_and_schedule,
        "list running": lambda: load.call("listservicejobs", jobQueue="q"),
        "list waiting of a share": lambda: load.call(
            "listservicejobs", jobQueue="q", jobStatus="RUNNABLE", filters=filters
        ),
        "describe": lambda: load.call("describeservicejob", jobId=load.known),
        "snapshot": lambda: load.call("getjobqueuesnapshot", jobQueue="q"),
    }
    return {name: microseconds(what) for name, what in calls.items()}


def main() -> int:
    small, large = (measure(jobs) for jobs in SIZES)
    print(f"{'call':26}{SIZES[0]:>10} jobs{SIZES[1]:>10} jobs{'ratio':>8}")
    for name, cost in small.items():
        print(f"{name:26}{cost:>12.0f} us{large[name]:>12.0f} us{large[name] / cost:>8.2f}")
    slow = [name for name, cost in small.items() if large[name] / cost > MOST_RATIO]
    if slow:
        print(f"above {MOST_RATIO}: {', '.join(slow)}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
