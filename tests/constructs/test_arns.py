"""What is no ARN of a queue, a share, an environment or a policy: a wildcard in one would be a right over all."""

import re

import pytest
from aws_cdk import Aws, Fn
from constructs_support import QUEUE_ARN, SHARE_ARN, new_stack

from quota_constructs import QuotaManagedQueue, QuotaShare
from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants
from quota_constructs.quota_share_grants import QuotaShareGrants

AT = "arn:aws:batch:eu-west-1:111122223333"
OPEN = f"arn:{Aws.PARTITION}:batch:{Aws.REGION}:{Aws.ACCOUNT_ID}"
BUCKET = "arn:aws:s3:::bucket"

QUEUES = {
    f"{AT}:job-queue/*": "no wildcard",
    f"{AT}:job-queue/training?": "no wildcard",
    f"{AT}:job-queue/": "'job-queue/' names no job queue",
    f"{AT}:job-queue/{'x' * 129}": "names no job queue",
    f"{AT}:job-queue/x y:z": "letters, digits, hyphens and underscores",
    f"{AT}:job-queue/x:z": "'job-queue/x:z' names no job queue",
    f"{QUEUE_ARN}\n": "letters, digits",
    f" {QUEUE_ARN}": "letters, digits",
    f"{AT}:compute-environment/x": "'compute-environment/x' names no job queue",
    SHARE_ARN: "names no job queue",
    "training": "too few parts",
    "": "too few parts",
    "arn:aws:batch:::job-queue/x": "its Region is '', allowed is names such as eu-west-1, its account is ''",
    "arn:foo:batch:eu-west-1:111122223333:job-queue/x": "its partition is 'foo'",
    "arn::batch:eu-west-1:111122223333:job-queue/x": "its partition is ''",
    "arn:aws:batch:eu-west-1:abc:job-queue/x": "its account is 'abc', allowed is 12 digits",
    "arn:aws:batch:west:111122223333:job-queue/x": "its Region is 'west'",
    "arn:aws:batch:cn-north-1:111122223333:job-queue/x": "its Region cn-north-1 is of the partition aws-cn, not of aws",
    "arn:aws-cn:batch:eu-west-1:111122223333:job-queue/x": "eu-west-1 is of the partition aws, not of aws-cn",
    f"arn:aws:sqs:{Aws.REGION}:{Aws.ACCOUNT_ID}:x": "its service is 'sqs'",
    f"arn:aws:sqs:{Fn.import_value('Rest')}": "its service is 'sqs'",
    f"arn:aws:batch:{Fn.import_value('Rest')}": "too few parts",
    f"{OPEN}:job-queue/*": "no wildcard",
    f"{OPEN}:job-definition/{Fn.import_value('Name')}": "names no job queue",
    f"{Fn.import_value('Queue')}*": "no wildcard",
}
SHARES = {
    f"{QUEUE_ARN}/quota-share/*": "no wildcard",
    f"{AT}:job-queue/*/quota-share/vision": "no wildcard",
    f"{QUEUE_ARN}/quota-share/": "names no quota share",
    f"{QUEUE_ARN}/quota-share/a/b": "names no quota share",
    QUEUE_ARN: "'job-queue/training' names no quota share",
    f"{Fn.import_value('Queue')}/quota-share/*": "no wildcard",
    f"{Fn.import_value('Queue')}/quota-share/": "names no quota share",
}
GOOD_QUEUES = [
    QUEUE_ARN,
    "arn:aws-cn:batch:cn-north-1:111122223333:job-queue/Training_2",
    "arn:aws-us-gov:batch:us-gov-west-1:111122223333:job-queue/x",
    "arn:aws-iso-b:batch:us-isob-east-1:111122223333:job-queue/x",
    "arn:aws-eusc:batch:eusc-de-east-1:111122223333:job-queue/x",
    f"{OPEN}:job-queue/training",
    f"{OPEN}:job-queue/team-{Fn.import_value('Name')}",
    f"{OPEN}:{Fn.import_value('Resource')}",
    Fn.import_value("Queue"),
]
GOOD_SHARES = [
    SHARE_ARN,
    f"{OPEN}:job-queue/training/quota-share/vision",
    f"{OPEN}:job-queue/{Fn.import_value('Name')}/quota-share/vision",
    f"{Fn.import_value('Queue')}/quota-share/vision",
    Fn.import_value("Share"),
]


def plain(arn):
    """Name a case without the numbers of tokens, which depend on what was made before."""
    return re.sub(r"\{Token\[\w+\.(\w+\.)?\d+\]\}", "", arn) or "token"


def import_queue(arn, **further):
    return QuotaManagedQueue.from_job_queue_attributes(new_stack(), "Queue", job_queue_arn=arn, **further)


def import_share(arn):
    return QuotaShare.from_quota_share_arn(new_stack(), "Share", arn)


def fails_with(want, act):
    with pytest.raises(ValueError, match=re.escape(want)) as raised:
        act()
    assert raised.value.rule_ids == ("QC004",)
    (line,) = str(raised.value).splitlines()
    assert ", got '" in line
    assert "; give one of the form arn:<partition>:batch:<region>:<account>:" in line


@pytest.mark.parametrize("arn", QUEUES, ids=plain)
@pytest.mark.parametrize("use", [import_queue, QuotaManagedQueueGrants])
def test_fails_on_what_is_no_arn_of_a_queue(arn, use):
    fails_with(QUEUES[arn], lambda: use(arn))


@pytest.mark.parametrize("arn", SHARES, ids=plain)
@pytest.mark.parametrize("use", [import_share, QuotaShareGrants])
def test_fails_on_what_is_no_arn_of_a_share(arn, use):
    fails_with(SHARES[arn], lambda: use(arn))


@pytest.mark.parametrize("arn", GOOD_QUEUES, ids=plain)
def test_takes_an_arn_of_a_queue(arn):
    assert import_queue(arn).job_queue_arn == arn


@pytest.mark.parametrize("arn", GOOD_SHARES, ids=plain)
def test_takes_an_arn_of_a_share(arn):
    assert import_share(arn).quota_share_arn == arn


def test_fails_on_what_else_is_known_of_a_queue_all_at_once():
    for use in (import_queue, QuotaManagedQueueGrants):
        with pytest.raises(ValueError, match="not the ARN of a service environment") as raised:
            use(QUEUE_ARN, service_environment_arn="*", scheduling_policy_arn=BUCKET)
        assert raised.value.rule_ids == ("QC004", "QC004")
    with pytest.raises(TypeError, match="scheduling_policy_arn has the wrong type, got 5"):
        import_queue(QUEUE_ARN, scheduling_policy_arn=5)


def test_fails_on_a_queue_beside_a_share_that_is_none():
    fails_with("not the ARN of a job queue", lambda: QuotaShareGrants(SHARE_ARN, "*"))


def test_takes_what_else_is_known_of_a_queue():
    import_queue(
        QUEUE_ARN,
        service_environment_arn=f"{AT}:service-environment/training",
        scheduling_policy_arn=f"{AT}:scheduling-policy/training",
    )
