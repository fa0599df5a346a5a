"""What must be allowed for a request: actions, resources and condition keys of the Service Authorization Reference."""

from __future__ import annotations

import json
from typing import Any

import pytest
from local_support import G5, LEND, InProcess, Queue, limits, payload

from quota_constructs.local.authorization import Need, needs_of

ACCOUNT = "arn:aws:batch:eu-west-1:000000000000"
QUEUE = f"{ACCOUNT}:job-queue/training"
SHARE = f"{QUEUE}/quota-share/A"
JOB = f"{ACCOUNT}:service-job"


@pytest.fixture
def queue() -> Queue:
    queue = Queue(InProcess(), shares={"A": ({G5: 1}, LEND)})
    queue.face.client.tag_resource(resourceArn=SHARE, tags={"team": "a"})
    return queue


def needs(queue: Queue, operation: str, **members: Any) -> list[tuple[str, str, dict[str, Any]]]:
    found = needs_of(queue.face.batch._service.store, operation, members)
    return [(need.action, need.resource, dict(need.context)) for need in found]


@pytest.mark.parametrize(
    ("operation", "members", "expected"),
    [
        ("DescribeJobQueues", {}, [("batch:DescribeJobQueues", "*", {})]),
        ("ListServiceJobs", {"jobQueue": "training"}, [("batch:ListServiceJobs", "*", {})]),
        ("ListQuotaShares", {"jobQueue": "training"}, [("batch:ListQuotaShares", QUEUE, {})]),
        ("GetJobQueueSnapshot", {"jobQueue": QUEUE}, [("batch:GetJobQueueSnapshot", QUEUE, {})]),
        (
            "DescribeQuotaShare",
            {"quotaShareArn": SHARE},
            [("batch:DescribeQuotaShare", SHARE, {"aws:ResourceTag/team": "a"})],
        ),
        (
            "UntagResource",
            {"resourceArn": SHARE, "tagKeys": ["team"]},
            [("batch:UntagResource", SHARE, {"aws:TagKeys": ["team"], "aws:ResourceTag/team": "a"})],
        ),
        (
            "CreateQuotaShare",
            {"jobQueue": "training", "quotaShareName": "B", "tags": {"team": "b"}},
            [
                ("batch:CreateQuotaShare", QUEUE, {"aws:RequestTag/team": "b", "aws:TagKeys": ["team"]}),
                (
                    "batch:CreateQuotaShare",
                    f"{QUEUE}/quota-share/B",
                    {"aws:RequestTag/team": "b", "aws:TagKeys": ["team"]},
                ),
                (
                    "batch:TagResource",
                    f"{QUEUE}/quota-share/B",
                    {"aws:RequestTag/team": "b", "aws:TagKeys": ["team"]},
                ),
            ],
        ),
        (
            "CreateJobQueue",
            {
                "jobQueueName": "other",
                "schedulingPolicyArn": f"{ACCOUNT}:scheduling-policy/p",
                "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "e"}],
            },
            [
                ("batch:CreateJobQueue", f"{ACCOUNT}:job-queue/other", {}),
                ("batch:CreateJobQueue", f"{ACCOUNT}:scheduling-policy/p", {}),
                ("batch:CreateJobQueue", f"{ACCOUNT}:service-environment/e", {}),
            ],
        ),
        (
            "SubmitServiceJob",
            {
                "jobQueue": "training",
                "quotaShareName": "A",
                "schedulingPriority": 7,
                "serviceRequestPayload": json.dumps({"RoleArn": "arn:aws:iam::000000000000:role/r"}),
            },
            [
                ("batch:SubmitServiceJob", QUEUE, {}),
                ("batch:SubmitServiceJob", f"{JOB}/*", {"batch:SchedulingPriority": "7"}),
                ("batch:SubmitServiceJob", SHARE, {"aws:ResourceTag/team": "a"}),
                (
                    "iam:PassRole",
                    "arn:aws:iam::000000000000:role/r",
                    {"iam:PassedToService": "sagemaker.amazonaws.com"},
                ),
            ],
        ),
        (
            "TerminateServiceJobs",
            {"jobs": ["one", f"{JOB}/two"]},
            [("batch:TerminateServiceJob", f"{JOB}/one", {}), ("batch:TerminateServiceJob", f"{JOB}/two", {})],
        ),
    ],
)
def test_each_operation_needs_what_the_reference_says(
    queue: Queue, operation: str, members: dict[str, Any], expected: list[tuple[str, str, dict[str, Any]]]
) -> None:
    assert needs(queue, operation, **members) == expected


def test_a_jobs_tags_and_its_new_priority_decide(queue: Queue) -> None:
    job = queue.submit("A", tags={"team": "a"})
    assert needs(queue, "UpdateServiceJob", jobId=job, schedulingPriority=9) == [
        ("batch:UpdateServiceJob", f"{JOB}/{job}", {"aws:ResourceTag/team": "a", "batch:SchedulingPriority": "9"})
    ]


def test_a_request_that_is_refused_anyway_needs_nothing(queue: Queue) -> None:
    batch = queue.face.batch
    assert batch.needs("POST", "/v1/listquotashares", b"{}", {}) == ()
    assert batch.needs("POST", "/v1/no-such-thing", b"{}", {}) == ()
    body = json.dumps({"jobQueue": "training", "quotaShareName": "B", "capacityLimits": limits({G5: 1})}).encode()
    assert batch.needs("POST", "/v1/createquotashare", body[:-1], {}) == ()
    asked = json.dumps({"jobQueue": "training"}).encode()
    assert batch.needs("POST", "/v1/listquotashares", asked, {}) == (Need("batch:ListQuotaShares", QUEUE, {}),)


def test_a_payload_without_a_role_passes_none(queue: Queue) -> None:
    for text in (payload({G5: 1}), "no json", "[]", '{"RoleArn": 7}'):
        found = needs(queue, "SubmitServiceJob", jobQueue="training", serviceRequestPayload=text)
        assert [need for need in found if need[0] == "iam:PassRole"] == []
