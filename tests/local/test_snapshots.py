from __future__ import annotations

from typing import Any

from local_support import G5, LEND, P4, RESERVE, Face, Queue, borrow, refused, without_metadata


def snapshot(queue: Queue) -> dict[str, Any]:
    return without_metadata(queue.face.client.get_job_queue_snapshot(jobQueue=queue.name))


def test_an_idle_queue_names_its_shares(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND), "B": ({G5: 1}, RESERVE)})
    found = snapshot(queue)
    updated = found["frontOfQueue"]["lastUpdatedAt"]
    assert found == {
        "frontOfQueue": {"jobs": [], "lastUpdatedAt": updated},
        "frontOfQuotaShares": {"quotaShares": {"A": [], "B": []}, "lastUpdatedAt": updated},
        "queueUtilization": {
            "totalCapacityUsage": [],
            "quotaShareUtilization": {
                "topCapacityUtilization": [
                    {"quotaShareName": "A", "capacityUsage": []},
                    {"quotaShareName": "B", "capacityUsage": []},
                ]
            },
            "lastUpdatedAt": updated,
        },
    }
    assert refused(face.client.get_job_queue_snapshot, jobQueue="none") == "job queue none does not exist"


def test_usage_counts_dispatched_jobs_by_type(face: Face) -> None:
    queue = Queue(face, {G5: 4, P4: 4}, {"A": ({G5: 1, P4: 1}, borrow()), "B": ({G5: 3, P4: 3}, LEND)})
    queue.submit("A", {G5: 2})
    queue.submit("A", {G5: 1, P4: 3})
    face.advance(2)
    utilization = snapshot(queue)["queueUtilization"]
    assert utilization["totalCapacityUsage"] == [
        {"capacityUnit": G5, "quantity": 3.0},
        {"capacityUnit": P4, "quantity": 3.0},
    ]
    assert [share["capacityUsage"] for share in utilization["quotaShareUtilization"]["topCapacityUtilization"]] == [
        utilization["totalCapacityUsage"],
        [],
    ]


def test_heads_and_their_time_at_the_front(face: Face) -> None:
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, LEND), "B": ({G5: 1}, LEND)})
    first, second, third = (queue.submit("A") for _ in range(3))
    face.advance(30)
    queue.face.client.terminate_service_job(jobId=first, reason="done")
    face.advance(30)
    [head] = snapshot(queue)["frontOfQuotaShares"]["quotaShares"]["A"]
    dispatched = queue.describe(second)["scheduledAt"]
    assert (head["jobArn"].rpartition("/")[2], head["earliestTimeAtPosition"]) == (third, dispatched)


def test_the_front_of_the_queue_has_owners_before_borrowers_and_100_jobs_at_most(face: Face) -> None:
    queue = Queue(face, {G5: 2}, {"A": ({G5: 1}, borrow()), "B": ({G5: 1}, LEND)})
    queue.submit("A", 2)
    face.advance(30)
    borrower = queue.submit("A")
    owner = queue.submit("B")
    face.advance(1)
    front = [job["jobArn"].rpartition("/")[2] for job in snapshot(queue)["frontOfQueue"]["jobs"]]
    assert front == [owner, borrower]
    for _ in range(120):
        queue.submit("A")
    face.advance(1)
    assert len(snapshot(queue)["frontOfQueue"]["jobs"]) == 100
