"""AWS's own example: three shares of one instance each, borrowing, and both kinds of preemption.

Source: SageMaker Python SDK, example notebook "Getting started with quota management".
"""

from __future__ import annotations

import pytest
from local_support import G5, LEND, RESERVE, Face, Queue, borrow, without_metadata

SHARES = {"QS1": ({G5: 1}, borrow(200)), "QS2": ({G5: 1}, LEND), "QS3": ({G5: 1}, RESERVE)}
CROSS_SHARE = "Cross-share preemption triggered to reclaim borrowed capacity"


@pytest.fixture
def queue(face: Face) -> Queue:
    return Queue(face, {G5: 3}, SHARES, in_share=["QS1"])


def usage(queue: Queue) -> dict[str, float]:
    snapshot = queue.face.client.get_job_queue_snapshot(jobQueue=queue.name)
    shares = snapshot["queueUtilization"]["quotaShareUtilization"]["topCapacityUtilization"]
    return {share["quotaShareName"]: sum(use["quantity"] for use in share["capacityUsage"]) for share in shares}


def test_the_published_walkthrough(queue: Queue) -> None:
    # 1: high runs on its own instance, med borrows QS2's, low waits although QS3's is idle
    high, med, low = (queue.submit("QS1", priority=priority) for priority in (3, 2, 1))
    queue.face.advance(30)
    assert queue.status(high, med, low) == ["RUNNING", "RUNNING", "RUNNABLE"]
    assert usage(queue) == {"QS1": 2, "QS2": 0, "QS3": 0}
    snapshot = queue.face.client.get_job_queue_snapshot(jobQueue=queue.arn)
    [head] = snapshot["frontOfQuotaShares"]["quotaShares"]["QS1"]
    assert head["jobArn"].endswith(low)
    assert snapshot["queueUtilization"]["totalCapacityUsage"] == [{"capacityUnit": G5, "quantity": 2.0}]
    assert "preemptionSummary" not in queue.describe(med)

    # 2: QS2's owner comes, med gives way
    owner = queue.submit("QS2")
    queue.face.advance(60)
    assert queue.status(high, med, low, owner) == ["RUNNING", "RUNNABLE", "RUNNABLE", "RUNNING"]
    assert usage(queue) == {"QS1": 1, "QS2": 1, "QS3": 0}
    summary = queue.describe(med)["preemptionSummary"]
    assert (summary["preemptedAttemptCount"], summary["recentPreemptedAttempts"][0]["statusReason"]) == (1, CROSS_SHARE)
    [started], [completed] = queue.face.events("preemption_started"), queue.face.events("preemption_completed")
    assert (started["subject"], started["status"]) == (med, "RUNNING")
    assert (completed["subject"], completed["status"]) == (med, "RUNNABLE")
    snapshot = queue.face.client.get_job_queue_snapshot(jobQueue=queue.arn)
    assert snapshot["frontOfQuotaShares"]["quotaShares"]["QS1"][0]["jobArn"].endswith(med)

    # 3: low is raised above high and displaces it
    queue.face.client.update_service_job(jobId=low, schedulingPriority=4)
    queue.face.advance(60)
    assert queue.status(high, med, low, owner) == ["RUNNABLE", "RUNNABLE", "RUNNING", "RUNNING"]
    assert usage(queue) == {"QS1": 1, "QS2": 1, "QS3": 0}
    assert queue.describe(high)["preemptionSummary"]["preemptedAttemptCount"] == 1
    assert queue.describe(low)["schedulingPriority"] == 4
    front = queue.face.client.get_job_queue_snapshot(jobQueue=queue.arn)["frontOfQueue"]["jobs"]
    assert [job["jobArn"].rpartition("/")[2] for job in front] == [high, med]

    # afterwards: the owner is done, high borrows its instance again
    queue.face.client.terminate_service_job(jobId=owner, reason="done")
    queue.face.advance(60)
    assert queue.status(high, owner) == ["RUNNING", "FAILED"]


def test_clean_up_in_the_order_of_the_sample_while_jobs_run(queue: Queue) -> None:
    client, face = queue.face.client, queue.face
    for share in SHARES:
        queue.submit(share)
    face.advance(30)
    for share in SHARES:
        client.update_quota_share(quotaShareArn=queue.share_arn(share), state="DISABLED")
        face.advance(2)
        client.delete_quota_share(quotaShareArn=queue.share_arn(share))
        face.advance(30)
        with pytest.raises(client.exceptions.ClientException, match="does not exist"):
            client.describe_quota_share(quotaShareArn=queue.share_arn(share))
    client.update_job_queue(jobQueue=queue.name, state="DISABLED")
    face.advance(2)
    client.delete_job_queue(jobQueue=queue.name)
    face.advance(2)
    client.delete_scheduling_policy(arn=queue.policy_arn)
    environment = f"{queue.name}-environment"
    client.update_service_environment(serviceEnvironment=environment, state="DISABLED")
    face.advance(2)
    client.delete_service_environment(serviceEnvironment=environment)
    face.advance(2)
    assert without_metadata(client.describe_job_queues(jobQueues=[queue.name])) == {"jobQueues": []}
    assert without_metadata(client.describe_service_environments()) == {"serviceEnvironments": []}
    assert without_metadata(client.list_scheduling_policies()) == {"schedulingPolicies": []}
