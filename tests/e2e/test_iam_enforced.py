"""With the roles' policies enforced: what the handler's role allows is enough for all it does, and nothing is tacit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from aws_cdk import App, CliCredentialsStackSynthesizer, Stack
from aws_cdk.aws_iam import AccountRootPrincipal, Role, ServicePrincipal
from aws_cdk.aws_sns import Topic
from botocore.exceptions import ClientError
from e2e_support import G5, Account, one_queue, share, training_queue
from local_support import payload

from quota_constructs import ChangeGuard, QuotaHandler
from quota_constructs.local import LocalCloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600), pytest.mark.xdist_group("strict-account")]


@pytest.fixture(scope="session")
def strict_account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account that enforces policies. Its deployments use the command line's credentials: the bootstrap roles of
    the CDK may not read an asset in the local cloud.
    """
    with LocalCloud(enforce_iam=True) as cloud:
        account = Account(cloud, tmp_path_factory.mktemp("strict"), CliCredentialsStackSynthesizer)
        account.bootstrap()
        yield account


def test_the_handlers_own_role_allows_all_it_does(strict_account: Account) -> None:
    """Create, tag, read, assess, update, replace nothing, remove and destroy."""
    account = strict_account
    tagged = share(2, tags={"team": "research"})
    account.deploy(one_queue("Strict", capacity=4, A=tagged, B=share(1), C=share(1)))
    queue = account.queue("Strict")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))
    assert queue.shares()["A"]["tags"]["team"] == "research"

    cut = account.synth(one_queue("Strict", capacity=4, A=share(1), B=share(3)))
    blocked = account.deploy(cut, fails=True)
    assert "disruptive" in blocked.text
    assert "owner a-team" in blocked.text
    assert queue.untouched()

    account.deploy(cut, acknowledge=blocked.acknowledgement)
    assert queue.limits() == {"A": 1, "B": 3}
    assert "team" not in queue.shares()["A"]["tags"]
    queue.wait_for(running=("b1", "b2"))

    queue.end()
    queue.wait_until(lambda jobs: set(jobs.values()) == {"FAILED"}, "no job left")
    account.destroy(cut)
    assert queue.shares() == {}


def test_a_role_of_ones_own_gets_what_the_handler_needs_and_a_topic_is_told(strict_account: Account) -> None:
    """The permissions are attached before the guard is asked for the first time, those to publish included."""
    account = strict_account

    def own_role(a: int, b: int) -> Callable[[App], None]:
        def declare(app: App) -> None:
            stack = Stack(app, "OwnRole")
            role = Role(stack, "Mine", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
            QuotaHandler.of(stack, role=role)
            guard = ChangeGuard(notify=Topic(stack, "Told"))
            queue = training_queue(stack, capacity=3, guard=guard)
            queue.add_share("A", **share(a))
            queue.add_share("B", **share(b))

        return declare

    account.deploy(own_role(2, 1))
    messages = subscribed_queue(account, *account.physical_ids("OwnRole", "AWS::SNS::Topic"))
    queue = account.queue("OwnRole")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))

    blocked = account.deploy(own_role(1, 2), fails=True)
    told = messages()
    assert "work that waits now would stop 1 running job" in told
    assert blocked.acknowledgement in told
    assert queue.untouched()


def subscribed_queue(account: Account, topic: str) -> Callable[[], str]:
    """Subscribe a message queue to a topic; gives what reads all that has come, as one text."""
    sqs, sns = (account.cloud.client(name) for name in ("sqs", "sns"))
    url = sqs.create_queue(QueueName="told")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    allow = {"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage"}
    policy = {"Version": "2012-10-17", "Statement": allow | {"Resource": arn}}
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(policy)})
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, Attributes={"RawMessageDelivery": "true"})

    def read() -> str:
        answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=5)
        return "\n".join(message["Body"] for message in answer.get("Messages", ()))

    return read


def test_a_permission_that_is_missing_is_named_and_blocks(strict_account: Account) -> None:
    """A guard that may not see the jobs does not guess."""
    account = strict_account
    account.deploy(one_queue("Blind", capacity=2, A=share(2)))
    queue = account.queue("Blind")
    queue.run("A", "a1", "a2")
    deny = {"Effect": "Deny", "Action": "batch:ListServiceJobs", "Resource": "*"}
    [role] = account.physical_ids("Blind", "AWS::IAM::Role")
    account.cloud.client("iam").put_role_policy(
        RoleName=role, PolicyName="Blindfold", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": deny})
    )

    cut = account.synth(one_queue("Blind", capacity=2, A=share(1)))
    blocked = account.deploy(cut, fails=True)
    assert "could not read the account" in blocked.text
    assert "batch:ListServiceJobs" in blocked.text
    assert queue.limits() == {"A": 2}
    account.deploy(cut, acknowledge="unknown")
    assert queue.limits() == {"A": 1}
    assert queue.untouched()


def test_a_team_can_use_its_own_share_and_touch_nothing_else(strict_account: Account) -> None:
    """The grants of two teams, by the answers their roles get."""

    def declare(app: App) -> None:
        stack = Stack(app, "Teams")
        queue = training_queue(stack, capacity=2)
        for team in ("A", "B"):
            role = Role(stack, f"Role{team}", role_name=f"team-{team}", assumed_by=AccountRootPrincipal())
            quota = queue.add_share(team, **share(1))
            quota.grants.submit(role, max_priority=5, tags={"team": team})
            quota.grants.operate(role, tags={"team": team}, max_priority=5)
            quota.grants.observe(role)

    strict_account.deploy(declare)
    queue = strict_account.queue("Teams")
    a, b = (Team(strict_account, name, queue.arn) for name in ("A", "B"))

    own = a.submit("A", priority=5, tags={"team": "A"})
    other = b.submit("B", tags={"team": "B"})
    assert a.is_denied("batch:SubmitServiceJob", a.submit, "B", tags={"team": "A"})
    assert a.is_denied("batch:SubmitServiceJob", a.submit, "A", priority=6, tags={"team": "A"})
    assert a.is_denied("batch:SubmitServiceJob", a.submit, "A")
    assert a.is_denied(
        "iam:PassRole", a.submit, "A", tags={"team": "A"}, RoleArn="arn:aws:iam::000000000000:role/admin"
    )

    assert a.batch.update_service_job(jobId=own, schedulingPriority=4)["jobId"] == own
    assert a.is_denied("batch:UpdateServiceJob", a.batch.update_service_job, jobId=own, schedulingPriority=6)
    assert a.is_denied("batch:UpdateServiceJob", a.batch.update_service_job, jobId=other, schedulingPriority=1)
    assert a.is_denied("batch:TerminateServiceJob", a.batch.terminate_service_job, jobId=other, reason="no")
    job_arn = a.batch.describe_service_job(jobId=other)["jobArn"]
    assert a.is_denied("batch:TagResource", a.batch.tag_resource, resourceArn=job_arn, tags={"team": "A"})
    share_arn = f"{queue.arn}/quota-share/A"
    assert a.is_denied("batch:UpdateQuotaShare", a.batch.update_quota_share, quotaShareArn=share_arn, state="DISABLED")
    assert a.is_denied("batch:DeleteQuotaShare", a.batch.delete_quota_share, quotaShareArn=share_arn)
    a.batch.terminate_service_job(jobId=own, reason="done")
    assert a.batch.describe_service_job(jobId=own)["isTerminated"]


class Team:
    """Somebody with a team's role."""

    def __init__(self, account: Account, name: str, queue_arn: str) -> None:
        answer = account.cloud.client("sts").assume_role(
            RoleArn=f"arn:aws:iam::000000000000:role/team-{name}", RoleSessionName="scientist"
        )
        self.batch = boto3.client(
            "batch",
            endpoint_url=account.cloud.endpoint_url,
            region_name=account.cloud.region,
            aws_access_key_id=answer["Credentials"]["AccessKeyId"],
            aws_secret_access_key=answer["Credentials"]["SecretAccessKey"],
            aws_session_token=answer["Credentials"]["SessionToken"],
        )
        self._queue = queue_arn

    def submit(self, quota_share: str, *, priority: int = 1, tags: dict[str, str] | None = None, **more: Any) -> str:
        job_id: str = self.batch.submit_service_job(
            jobName="job",
            jobQueue=self._queue,
            serviceJobType="SAGEMAKER_TRAINING",
            quotaShareName=quota_share,
            schedulingPriority=priority,
            serviceRequestPayload=payload({G5: 1}, **more),
            **({"tags": tags} if tags else {}),
        )["jobId"]
        return job_id

    def is_denied(self, action: str, call: Callable[..., object], *arguments: object, **members: object) -> bool:
        with pytest.raises(ClientError) as caught:
            call(*arguments, **members)
        error = caught.value.response["Error"]
        return error["Code"] == "AccessDeniedException" and action in error["Message"]
