"""The routes against botocore's service model: what is answered, what is refused, and whether answers fit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from local_support import G5, LEND, InProcess, Queue, borrow, limits

from quota_constructs.local.operations import OPERATIONS
from quota_constructs.local.service_model import output_problems, service_model

QUOTA_MANAGEMENT = {
    "CreateJobQueue", "CreateQuotaShare", "CreateSchedulingPolicy", "CreateServiceEnvironment",
    "DeleteJobQueue", "DeleteQuotaShare", "DeleteSchedulingPolicy", "DeleteServiceEnvironment",
    "DescribeJobQueues", "DescribeQuotaShare", "DescribeSchedulingPolicies", "DescribeServiceEnvironments",
    "DescribeServiceJob", "GetJobQueueSnapshot", "ListQuotaShares", "ListSchedulingPolicies", "ListServiceJobs",
    "ListTagsForResource", "SubmitServiceJob", "TagResource", "TerminateServiceJob", "TerminateServiceJobs",
    "UntagResource", "UpdateJobQueue", "UpdateQuotaShare", "UpdateSchedulingPolicy", "UpdateServiceEnvironment",
    "UpdateServiceJob",
}  # fmt: skip


def test_every_operation_of_quota_management_is_answered() -> None:
    words = ("quotashare", "servicejob", "serviceenvironment", "schedulingpolic", "jobqueue", "tag")
    about_it = {name for name in service_model().operation_names if any(word in name.lower() for word in words)}
    assert set(OPERATIONS) == QUOTA_MANAGEMENT == about_it


@pytest.mark.parametrize("name", sorted(set(service_model().operation_names) - QUOTA_MANAGEMENT))
def test_other_operations_say_that_they_are_not_part_of_it(name: str) -> None:
    http = service_model().operation_model(name).http
    status, headers, body = InProcess().batch.handle(http["method"], http["requestUri"], {}, b"{}", {})
    assert (status, headers["x-amzn-ErrorType"]) == (400, "ClientException")
    assert json.loads(body) == {"message": f"{name} is not part of the local Batch: it has quota management only"}


def test_every_answer_of_a_full_life_fits_its_shape() -> None:
    """A queue from creation to deletion with every operation; the answers have only members their shapes know."""
    face = InProcess()
    answers: dict[str, list[Any]] = {}
    plain = face.batch.handle

    def recording(method: str, path: str, headers: Any, body: bytes, query: Any) -> Any:
        from quota_constructs.local.service_model import route

        status, fields, content = plain(method, path, headers, body, query)
        if status == 200:
            answers.setdefault(route(method, path).operation, []).append(json.loads(content))
        return status, fields, content

    face.batch.handle = recording  # type: ignore[method-assign]
    whole_life(face)
    assert set(answers) == QUOTA_MANAGEMENT
    # DescribeServiceJob requires startedAt although a waiting job has none; the service's own guide shows such answers.
    allowed = {"startedAt is missing"}
    problems = {
        f"{name}: {problem}"
        for name, given in answers.items()
        for answer in given
        for problem in output_problems(name, answer)
        if problem not in allowed
    }
    assert problems == set()


def whole_life(face: InProcess) -> None:
    client = face.client
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})
    environment = f"{queue.name}-environment"
    first, second, third = (queue.submit("A", tags={"a": "b"}) for _ in range(3))
    face.advance(30)
    queue.submit("B")
    face.advance(30)
    for job in (first, second, third):
        client.describe_service_job(jobId=job)
    client.get_job_queue_snapshot(jobQueue=queue.name)
    client.list_service_jobs(jobQueue=queue.name)
    client.list_service_jobs(jobQueue=queue.name, filters=[{"name": "JOB_NAME", "values": ["*"]}], maxResults=1)
    client.update_service_job(jobId=third, schedulingPriority=4)
    client.terminate_service_job(jobId=third, reason="r")
    client.terminate_service_jobs(jobs=[first, "unknown"], reason="r")
    face.advance(60)
    client.describe_service_job(jobId=first)
    client.list_service_jobs(jobQueue=queue.name, jobStatus="FAILED")
    client.tag_resource(resourceArn=queue.arn, tags={"a": "b"})
    client.list_tags_for_resource(resourceArn=queue.arn)
    client.untag_resource(resourceArn=queue.arn, tagKeys=["a"])
    client.update_scheduling_policy(arn=queue.policy_arn, quotaSharePolicy={"idleResourceAssignmentStrategy": "FIFO"})
    client.describe_scheduling_policies(arns=[queue.policy_arn])
    client.list_scheduling_policies()
    client.update_service_environment(serviceEnvironment=environment, capacityLimits=limits({G5: 3}))
    client.describe_service_environments()
    client.describe_job_queues()
    client.list_quota_shares(jobQueue=queue.name)
    for share in ("A", "B"):
        client.update_quota_share(quotaShareArn=queue.share_arn(share), state="DISABLED")
        face.advance(2)
        client.describe_quota_share(quotaShareArn=queue.share_arn(share))
        client.delete_quota_share(quotaShareArn=queue.share_arn(share))
    face.advance(60)
    client.update_job_queue(jobQueue=queue.name, state="DISABLED")
    client.update_service_environment(serviceEnvironment=environment, state="DISABLED")
    face.advance(2)
    client.delete_job_queue(jobQueue=queue.name)
    face.advance(2)
    client.delete_service_environment(serviceEnvironment=environment)
    client.delete_scheduling_policy(arn=queue.policy_arn)
    face.advance(2)
