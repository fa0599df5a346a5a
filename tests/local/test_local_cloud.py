"""The whole local cloud: CloudFormation, Lambda, EventBridge and CloudWatch around the local Batch."""

from __future__ import annotations

import io
import json
import subprocess
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from local_support import G5, control, payload

from quota_constructs.local import LocalCloud, ministack_adapter
from quota_constructs.local.errors import StartError
from quota_constructs.local.ministack_adapter import EXPECTED_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAMBDA = '''
import json, time, urllib.request
import boto3

batch = boto3.client("batch")

def handler(event, context):
    """A custom resource that is a quota share."""
    status, reason, physical_id = "SUCCESS", "", event.get("PhysicalResourceId", "none")
    try:
        if event["RequestType"] == "Create":
            physical_id = batch.create_quota_share(
                quotaShareName="FromLambda", jobQueue=event["ResourceProperties"]["Queue"],
                capacityLimits=[{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1}],
                resourceSharingConfiguration={"strategy": "LEND"},
                preemptionConfiguration={"inSharePreemption": "DISABLED"})["quotaShareArn"]
            settle(physical_id)
        elif event["RequestType"] == "Delete" and physical_id != "none":
            batch.update_quota_share(quotaShareArn=physical_id, state="DISABLED")
            settle(physical_id)
            batch.delete_quota_share(quotaShareArn=physical_id)
    except Exception as error:
        status, reason = "FAILED", repr(error)
    body = json.dumps({
        "Status": status, "Reason": reason, "PhysicalResourceId": physical_id, "StackId": event["StackId"],
        "RequestId": event["RequestId"], "LogicalResourceId": event["LogicalResourceId"]}).encode()
    urllib.request.urlopen(urllib.request.Request(
        event["ResponseURL"], data=body, method="PUT", headers={"content-type": ""}))

def settle(arn):
    while batch.describe_quota_share(quotaShareArn=arn)["status"] != "VALID":
        time.sleep(0.05)
'''


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with LocalCloud() as running:
        yield running


def wait_for(what: Callable[[], Any], seconds: float = 30) -> Any:
    """Ask until there is an answer; the local cloud runs in real time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


class Stack:
    """A stack of the local cloud with a queue, a native share and, if wanted, a share that a Lambda makes."""

    def __init__(self, cloud: LocalCloud, name: str) -> None:
        self.name = name
        self.formation = cloud.client("cloudformation")
        self.batch = cloud.client("batch")

    def template(self, *, capacity: int = 3, share: str = "Native", limit: int = 1, token: str | None = None) -> str:
        resources: dict[str, Any] = {
            "Policy": {
                "Type": "AWS::Batch::SchedulingPolicy",
                "Properties": {"QuotaSharePolicy": {"IdleResourceAssignmentStrategy": "FIFO"}},
            },
            "Environment": {
                "Type": "AWS::Batch::ServiceEnvironment",
                "Properties": {
                    "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
                    "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": capacity}],
                },
            },
            "Queue": {
                "Type": "AWS::Batch::JobQueue",
                "Properties": {
                    "JobQueueType": "SAGEMAKER_TRAINING",
                    "Priority": 1,
                    "SchedulingPolicyArn": {"Fn::GetAtt": ["Policy", "Arn"]},
                    "ServiceEnvironmentOrder": [{"Order": 1, "ServiceEnvironment": {"Ref": "Environment"}}],
                },
            },
            "Share": {
                "Type": "AWS::Batch::QuotaShare",
                "Properties": {
                    "QuotaShareName": share,
                    "JobQueue": {"Fn::GetAtt": ["Queue", "JobQueueArn"]},
                    "CapacityLimits": [{"CapacityUnit": G5, "MaxCapacity": limit}],
                    "ResourceSharingConfiguration": {"Strategy": "LEND_AND_BORROW", "BorrowLimit": 200},
                    "PreemptionConfiguration": {"InSharePreemption": "ENABLED"},
                },
            },
        }
        if token:
            resources["Managed"] = {
                "Type": "Custom::QuotaShare",
                "Properties": {"ServiceToken": token, "ServiceTimeout": "60", "Queue": {"Ref": "Queue"}},
            }
        outputs = {
            "Queue": {"Value": {"Ref": "Queue"}},
            "Share": {"Value": {"Fn::GetAtt": ["Share", "QuotaShareArn"]}},
            "ShareRef": {"Value": {"Ref": "Share"}},
            "EnvironmentArn": {"Value": {"Fn::GetAtt": ["Environment", "ServiceEnvironmentArn"]}},
        }
        return json.dumps({"Resources": resources, "Outputs": outputs})

    def create(self, **members: Any) -> str:
        self.formation.create_stack(StackName=self.name, TemplateBody=self.template(**members))
        return self.settled()

    def update(self, **members: Any) -> str:
        self.formation.update_stack(StackName=self.name, TemplateBody=self.template(**members))
        return self.settled()

    def delete(self) -> None:
        self.formation.delete_stack(StackName=self.name)
        wait_for(lambda: not any(stack["StackName"] == self.name and stack["StackStatus"] != "DELETE_COMPLETE"
                                 for stack in self.formation.list_stacks()["StackSummaries"]))  # fmt: skip

    def settled(self) -> str:
        def status() -> str | None:
            found = self.formation.describe_stacks(StackName=self.name)["Stacks"][0]["StackStatus"]
            return None if found.endswith("IN_PROGRESS") else found

        return str(wait_for(status))

    def outputs(self) -> dict[str, str]:
        [stack] = self.formation.describe_stacks(StackName=self.name)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    def shares(self) -> dict[str, str]:
        listed = self.batch.list_quota_shares(jobQueue=self.outputs()["Queue"])["quotaShares"]
        return {share["quotaShareName"]: share["status"] for share in listed}

    def limit(self) -> int:
        [environment] = self.batch.describe_service_environments(
            serviceEnvironments=[self.outputs()["EnvironmentArn"]]
        )["serviceEnvironments"]
        return int(environment["capacityLimits"][0]["maxCapacity"])

    def submit(self, share: str) -> str:
        return str(
            self.batch.submit_service_job(
                jobName="job",
                jobQueue=self.outputs()["Queue"],
                serviceJobType="SAGEMAKER_TRAINING",
                quotaShareName=share,
                serviceRequestPayload=payload({G5: 1}),
            )["jobId"]
        )


def make_lambda(cloud: LocalCloud) -> str:
    role = cloud.client("iam").create_role(RoleName="lambda", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("index.py", LAMBDA)
    made = cloud.client("lambda").create_function(
        FunctionName="share",
        Runtime="python3.13",
        Role=role,
        Handler="index.handler",
        Code={"ZipFile": code.getvalue()},
        Timeout=60,
    )
    return str(made["FunctionArn"])


def test_a_stack_lives_and_a_lambda_in_it_makes_a_share(cloud: LocalCloud) -> None:
    stack = Stack(cloud, "life")
    token = make_lambda(cloud)
    assert stack.create(token=token) == "CREATE_COMPLETE"
    outputs = stack.outputs()
    assert outputs["Share"] == outputs["ShareRef"] == f"{outputs['Queue']}/quota-share/Native"
    assert stack.shares() == {"Native": "VALID", "FromLambda": "VALID"}

    assert stack.update(token=token, capacity=5) == "UPDATE_COMPLETE"
    assert (stack.limit(), stack.outputs()) == (5, outputs)

    assert stack.update(token=token, capacity=5, share="Renamed") == "UPDATE_COMPLETE"
    assert stack.shares() == {"Renamed": "VALID", "FromLambda": "VALID"}

    # the share's limit of 0 is refused: the environment, which was changed before, gets its limit back
    assert stack.update(token=token, capacity=9, share="Renamed", limit=0) == "UPDATE_ROLLBACK_COMPLETE"
    assert stack.limit() == 5
    events = stack.formation.describe_stack_events(StackName="life")["StackEvents"]
    reasons = [event["ResourceStatusReason"] for event in events if event["ResourceStatus"] == "UPDATE_FAILED"]
    assert [reason.rpartition(" ")[2] for reason in reasons] == ["[QS002]"]

    queue = outputs["Queue"]
    stack.delete()
    assert stack.batch.describe_job_queues(jobQueues=[queue])["jobQueues"] == []
    assert stack.batch.describe_service_environments()["serviceEnvironments"] == []
    assert stack.batch.list_scheduling_policies()["schedulingPolicies"] == []


def test_a_stack_with_running_jobs_can_be_deleted(cloud: LocalCloud) -> None:
    stack = Stack(cloud, "busy")
    stack.create()
    job = stack.submit("Native")
    wait_for(lambda: stack.batch.describe_service_job(jobId=job)["status"] == "RUNNING")
    stack.delete()
    assert stack.batch.describe_service_job(jobId=job)["status"] == "FAILED"


def test_events_and_metrics_reach_the_local_cloud(cloud: LocalCloud) -> None:
    events, sqs, watch = cloud.client("events"), cloud.client("sqs"), cloud.client("cloudwatch")
    url = sqs.create_queue(QueueName="events")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    pattern = {"source": ["aws.batch"], "detail-type": ["Batch Service Job State Change"]}
    events.put_rule(Name="jobs", EventPattern=json.dumps(pattern))
    events.put_targets(Rule="jobs", Targets=[{"Id": "1", "Arn": arn}])
    stack = Stack(cloud, "events")
    stack.create()
    job = stack.submit("Native")
    found: list[dict[str, Any]] = []

    def running() -> bool:
        for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            found.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return any(event["detail"]["status"] == "RUNNING" for event in found)

    wait_for(running)
    statuses = [event["detail"]["status"] for event in found if event["detail"]["jobId"] == job]
    assert sorted(statuses) == ["RUNNABLE", "RUNNING", "SCHEDULED", "STARTING"]
    described = stack.batch.describe_service_job(jobId=job)
    assert {(event["region"], event["account"], *event["resources"]) for event in found} == {
        (cloud.region, "000000000000", described["jobArn"])
    }
    queue = stack.outputs()["Queue"].rpartition("/")[2]
    names = wait_for(
        lambda: {
            metric["MetricName"]
            for metric in watch.list_metrics(
                Namespace="AWS/Batch", Dimensions=[{"Name": "JobQueueName", "Value": queue}]
            )["Metrics"]
        }
    )
    assert {"JobsSubmitted", "JobsMovedToScheduled", "JobSubmittedToFirstScheduledDuration"} <= names
    stack.delete()


def test_control_endpoints_work_beside_the_cloud(cloud: LocalCloud) -> None:
    before = control(cloud.endpoint_url, "GET", "health")["now"]
    control(cloud.endpoint_url, "POST", "advance", {"seconds": 3600})
    assert control(cloud.endpoint_url, "GET", "health")["now"] - before >= 3_600_000


def test_a_lost_response_is_a_cut_connection_in_the_cloud_too(cloud: LocalCloud) -> None:
    rule = {"fault": "lost_response", "operation": "CreateSchedulingPolicy", "times": 1}
    control(cloud.endpoint_url, "POST", "faults", {"rules": [rule]})
    client = cloud.client("batch")
    with pytest.raises(client.exceptions.ClientException, match="Object already exists"):
        client.create_scheduling_policy(name="once")
    control(cloud.endpoint_url, "POST", "faults", {"rules": []})
    client.delete_scheduling_policy(arn=client.list_scheduling_policies()["schedulingPolicies"][0]["arn"])


def test_nothing_is_left_of_a_cloud_that_ran_a_lambda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with LocalCloud() as cloud:
        stack = Stack(cloud, "left")
        assert stack.create(token=make_lambda(cloud)) == "CREATE_COMPLETE"
        [folder] = tmp_path.iterdir()
        assert list(folder.rglob("ministack-lambda-*"))
        assert workers(folder)
    assert list(tmp_path.iterdir()) == []
    assert workers(folder) == []


def workers(folder: Path) -> list[str]:
    """Processes that run from a folder."""
    listed = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if str(folder) in line]


def test_the_environment_of_lambdas_has_nothing_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_PROFILE": "prod", "AWS_SECRET_ACCESS_KEY": "real", "AWS_ENDPOINT_URL": "http://x"}.items():
        monkeypatch.setenv(name, value)
    with LocalCloud() as cloud:
        assert cloud.pid is not None
        started = Path(f"/proc/{cloud.pid}/environ").read_bytes()
        assert b"prod" in started, "what the process was started with"
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("index.py", "import os\ndef handler(event, context):\n    return dict(os.environ)\n")
        client = cloud.client("lambda")
        client.create_function(
            FunctionName="environment", Runtime="python3.13", Role="arn:aws:iam::000000000000:role/r",
            Handler="index.handler", Code={"ZipFile": code.getvalue()},
        )  # fmt: skip
        seen = json.loads(client.invoke(FunctionName="environment")["Payload"].read())
    assert seen["AWS_ENDPOINT_URL"] == cloud.endpoint_url
    assert "AWS_PROFILE" not in seen
    assert "real" not in seen.values()


def test_a_release_without_the_hooks_is_refused_with_the_expected_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ministack_adapter, "_HOOKS", (("ministack.core.responses", "no_such_hook"),))
    with pytest.raises(
        StartError, match=rf"needs ministack {EXPECTED_VERSION}.*ministack\.core\.responses\.no_such_hook"
    ):
        ministack_adapter.stop_lambdas()


def test_the_installed_release_is_the_expected_one() -> None:
    from importlib.metadata import version

    assert version("ministack") == EXPECTED_VERSION
