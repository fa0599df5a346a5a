"""The AWS CLI does the user guide's sequence: create, describe, submit, update, delete.

Source: user guide, "Create quota management resources", "Submitting jobs to a quota share".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from local_support import G5, OverHttp, payload

if TYPE_CHECKING:
    from quota_constructs.local import LocalCloud


if TYPE_CHECKING:
    from collections.abc import Iterator

SHELL = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
from awscli.clidriver import create_clidriver
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = create_clidriver().main(json.loads(line))
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""
"""Runs one command of the AWS CLI after another, without starting a process for each."""


class Cli:
    """The AWS CLI against a server with the Batch API alone."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.face = OverHttp(cloud.endpoint_url)
        self.shell = subprocess.Popen(
            [sys.executable, "-c", SHELL],
            env=os.environ | cloud.environment() | {"AWS_ACCESS_KEY_ID": self.face.account},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, operation: str, **members: Any) -> Any:
        """Call an operation; gives what it prints, or its last line of standard error if it fails."""
        assert self.shell.stdin is not None
        assert self.shell.stdout is not None
        options = [part for name, value in members.items() for part in (f"--{name.replace('_', '-')}", _text(value))]
        self.shell.stdin.write(json.dumps(["batch", operation, "--output", "json", *options]) + "\n")
        self.shell.stdin.flush()
        code, out, err = json.loads(self.shell.stdout.readline())
        if code:
            return err.strip().splitlines()[-1]
        return json.loads(out) if out.strip() else {}

    def close(self) -> None:
        self.shell.communicate(timeout=30)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture
def cli(batch_server: LocalCloud) -> Iterator[Cli]:
    started = Cli(batch_server)
    yield started
    started.close()


def test_the_sequence_of_the_user_guide(cli: Cli) -> None:
    policy = cli(
        "create-scheduling-policy", name="qm-policy", quota_share_policy={"idleResourceAssignmentStrategy": "FIFO"}
    )
    environment = cli(
        "create-service-environment",
        service_environment_name="qm-environment",
        service_environment_type="SAGEMAKER_TRAINING",
        capacity_limits=[{"capacityUnit": G5, "maxCapacity": 3}],
    )
    assert environment["serviceEnvironmentArn"].endswith("service-environment/qm-environment")
    cli.face.advance(2)
    queue = cli(
        "create-job-queue",
        job_queue_name="qm-queue",
        job_queue_type="SAGEMAKER_TRAINING",
        priority="1",
        service_environment_order=[{"order": 1, "serviceEnvironment": "qm-environment"}],
        scheduling_policy_arn=policy["arn"],
    )
    cli.face.advance(2)
    [described] = cli("describe-job-queues", job_queues="qm-queue")["jobQueues"]
    assert (described["status"], described["statusReason"]) == ("VALID", "JobQueue Healthy")
    share = cli(
        "create-quota-share",
        quota_share_name="team-a",
        job_queue="qm-queue",
        capacity_limits=[{"capacityUnit": G5, "maxCapacity": 1}],
        resource_sharing_configuration={"strategy": "LEND_AND_BORROW", "borrowLimit": 200},
        preemption_configuration={"inSharePreemption": "ENABLED"},
    )["quotaShareArn"]
    assert share == f"{queue['jobQueueArn']}/quota-share/team-a"
    cli.face.advance(2)
    assert [found["status"] for found in cli("list-quota-shares", job_queue="qm-queue")["quotaShares"]] == ["VALID"]

    job = cli(
        "submit-service-job",
        job_name="job",
        job_queue="qm-queue",
        service_job_type="SAGEMAKER_TRAINING",
        quota_share_name="team-a",
        scheduling_priority="10",
        service_request_payload=payload({G5: 1}),
    )["jobId"]
    cli.face.advance(30)
    assert cli("describe-service-job", job_id=job)["status"] == "RUNNING"
    of_team = [{"name": "QUOTA_SHARE_NAME", "values": ["team-a"]}]
    [listed] = cli("list-service-jobs", job_queue="qm-queue", filters=of_team)["jobSummaryList"]
    assert listed["jobId"] == job
    usage = cli("get-job-queue-snapshot", job_queue="qm-queue")["queueUtilization"]["totalCapacityUsage"]
    assert usage == [{"capacityUnit": G5, "quantity": 1.0}]
    cli("update-service-job", job_id=job, scheduling_priority="5")
    cli("terminate-service-job", job_id=job, reason="done")
    cli.face.advance(30)
    assert cli("describe-service-job", job_id=job)["statusReason"] == "done"

    assert "state must be DISABLED first" in cli("delete-quota-share", quota_share_arn=share)
    cli("update-quota-share", quota_share_arn=share, state="DISABLED")
    cli.face.advance(2)
    cli("delete-quota-share", quota_share_arn=share)
    cli("update-job-queue", job_queue="qm-queue", state="DISABLED")
    cli.face.advance(2)
    assert "(ClientException) when calling the DescribeQuotaShare" in cli("describe-quota-share", quota_share_arn=share)
    cli("delete-job-queue", job_queue="qm-queue")
    cli.face.advance(2)
    cli("delete-scheduling-policy", arn=policy["arn"])
    cli("update-service-environment", service_environment="qm-environment", state="DISABLED")
    cli.face.advance(2)
    cli("delete-service-environment", service_environment="qm-environment")
    cli.face.advance(2)
    assert cli("describe-service-environments") == {"serviceEnvironments": []}
