"""A live queue, read: whole, in parallel, within a budget, each job once."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from guard_scenarios import LENDS
from handler_support import G5, QUEUE_ARN, Account, Face, account_with_queue, make_share, submit

from quota_live.collect import collect, describe, read_lists
from quota_live.errors import NoQuotaManagementError, NotFoundError
from quota_live.job_lists import list_share_jobs
from quota_live.need import jobs_with_priority_that_matters
from quota_live.rate import RateBudget
from quota_live.read_options import ReadOptions
from quota_live.reader import Reader
from quota_scheduler import Job, QueueState, Share, parse_state


@pytest.fixture
def account() -> Account:
    made = account_with_queue()
    make_share(made, "A", 2)
    make_share(made, "B", 1, **LENDS)
    return made


def options(account: Account, **changed: Any) -> ReadOptions:
    return ReadOptions(now=account.batch.now, **changed)


def reader(account: Account, **changed: Any) -> Reader:
    return Reader.of(account.clients, options(account, **changed))


def test_a_queue_is_read_as_it_is(account: Account) -> None:
    ids = {name: submit(account, "A", name, tags={"owner": "ann"}) for name in ("a1", "a2", "a3", "a4")}
    ids["b1"] = submit(account, "B", "b1", schedulingPriority=7)
    found = collect(account.clients, QUEUE_ARN, "all", options=options(account))
    assert not found.torn
    assert found.notes == ()
    state = found.state
    assert parse_state(state.to_dict()) == state
    want = account.batch.queue_state(QUEUE_ARN)
    assert (state.environment, state.queue, state.region, state.account) == (
        want.environment,
        "training",
        "eu-west-1",
        "000000000000",
    )
    assert state.shares == want.shares
    jobs = {job.id: job for job in state.jobs}
    assert {job.id: (job.share, dict(job.uses), job.status, job.priority) for job in want.jobs} == {
        job.id: (job.share, dict(job.uses), job.status, job.priority) for job in jobs.values()
    }
    first = jobs[ids["a1"]]
    assert (first.name, first.owner, first.preempted_attempt_count) == ("a1", "ann", 0)
    assert first.expected_end == first.started_at + 36_000_000
    assert found.tags[ids["a1"]] == {"owner": "ann"}


def test_a_queue_can_be_named_by_its_name(account: Account) -> None:
    assert collect(account.clients, "training", options=options(account)) == collect(
        account.clients, QUEUE_ARN, options=options(account)
    )


def test_fails_for_a_queue_that_is_not_there(account: Account) -> None:
    with pytest.raises(NotFoundError, match="there is no job queue elsewhere"):
        collect(account.clients, "elsewhere", options=options(account))


class WithoutQuotas:
    """A Batch whose queue was made for other work.

    Args:
        account: answers everything else.
        order: service environments of the queue.
    """

    def __init__(self, account: Account, order: list[dict[str, Any]]) -> None:
        self._face = Face(account, "batch")
        self._order = order

    def __getattr__(self, name: str) -> Any:
        return getattr(self._face, name)

    def describe_job_queues(self, **members: Any) -> dict[str, Any]:
        (queue,) = self._face.describe_job_queues(**members)["jobQueues"]
        return {"jobQueues": [{**queue, "serviceEnvironmentOrder": self._order}]}

    def describe_service_environments(self, **members: Any) -> dict[str, Any]:
        return {"serviceEnvironments": [{"capacityLimits": [{"capacityUnit": "NUM_INSTANCES", "maxCapacity": 4}]}]}


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ([], "job queue training has no service environment"),
        ([{"order": 1, "serviceEnvironment": "gpus"}], "job queue training counts NUM_INSTANCES"),
    ],
    ids=["no environment", "instances of no type"],
)
def test_fails_for_a_queue_without_quota_management(account: Account, order: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(NoQuotaManagementError) as failed:
        read_lists(Reader(WithoutQuotas(account, order)), "training")
    assert str(failed.value) == f"{reason}, so that it has no quota management"


def test_fails_for_an_unknown_word_about_priorities(account: Account) -> None:
    with pytest.raises(ValueError, match="where_needed, all or none, got some"):
        collect(account.clients, "training", "some", options=options(account))


@pytest.mark.parametrize(("priorities", "want"), [("none", 0), ("all", 5), ("where_needed", 4)])
def test_only_the_jobs_whose_priority_matters_are_described(account: Account, priorities: str, want: int) -> None:
    for name in ("a1", "a2", "a3", "a4"):
        submit(account, "A", name)
    submit(account, "B", "b1")
    account.calls.clear()
    collect(account.clients, "training", priorities, options=options(account))
    described = [operation for _, operation in account.calls if operation == "DescribeServiceJob"]
    assert len(described) == want


def test_thousands_of_descriptions_are_read_by_the_quick_way(account: Account) -> None:
    job = submit(account, "A", "a1")
    asked: list[str] = []

    def quickly(*, jobId: str) -> dict[str, Any]:  # noqa: N803  # the API's name
        asked.append(jobId)
        return {"jobId": jobId, "schedulingPriority": 7}

    account.calls.clear()
    clients: Any = SimpleNamespace(batch=account.clients.batch, describe_quickly=quickly)
    (found,) = collect(clients, "training", "all").state.jobs
    assert (asked, found.priority) == ([job], 7)
    assert ("batch", "DescribeServiceJob") not in account.calls


def test_each_status_of_each_share_is_one_list_and_pages_follow(account: Account) -> None:
    for number in range(120):
        account.batch.checked_call(
            "SubmitServiceJob",
            {
                "jobName": f"w{number}",
                "jobQueue": "training",
                "quotaShareName": "A",
                "serviceJobType": "SAGEMAKER_TRAINING",
                "serviceRequestPayload": json.dumps({"ResourceConfig": {"InstanceType": G5, "InstanceCount": 1}}),
            },
        )
    account.batch.advance(30)
    account.calls.clear()
    found = read_lists(reader(account), "training")
    assert len(found.state.jobs) == 120
    assert [operation for _, operation in account.calls].count("ListServiceJobs") == 2 * 6 + 1


class Moving:
    """A Batch whose job is on one list after the other, as if it moved while they were read.

    Args:
        account: answers everything else.
        rounds: how many times the lists are read before it is still.
    """

    def __init__(self, account: Account, job: str, rounds: int) -> None:
        self._face = Face(account, "batch")
        self._job = job
        self._left = rounds
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._face, name)

    def list_service_jobs(self, **members: Any) -> dict[str, Any]:
        answer = self._face.list_service_jobs(**members)
        with self._lock:
            if members["filters"][0]["values"] == ["A"] and members["jobStatus"] == "RUNNABLE" and self._left:
                self._left -= 1
                entry = {
                    "jobId": self._job,
                    "jobName": "a1",
                    "status": "RUNNABLE",
                    "quotaShareName": "A",
                    "capacityUsage": [{"capacityUnit": G5, "quantity": 1.0}],
                    "createdAt": 1,
                }
                answer = {**answer, "jobSummaryList": [*answer.get("jobSummaryList", []), entry]}
        return answer


@pytest.mark.parametrize(("rounds", "want_torn"), [(0, False), (1, False), (2, False), (3, True), (9, True)])
def test_a_share_that_moves_is_read_again_and_each_job_counts_once(
    account: Account, rounds: int, want_torn: bool
) -> None:
    job = submit(account, "A", "a1")
    found = read_lists(Reader(Moving(account, job, rounds), options(account), threads=1), "training")
    assert [(each.id, each.status) for each in found.state.jobs] == [(job, "RUNNING")]
    assert found.torn is want_torn
    assert found.notes == (("jobs of A moved while they were read; the picture may be torn",) if want_torn else ())


def test_lists_that_do_not_add_up_to_what_the_service_counts_are_torn(account: Account) -> None:
    submit(account, "A", "a1")

    class Miscounting:
        def __getattr__(self, name: str) -> Any:
            return getattr(Face(account, "batch"), name)

        def get_job_queue_snapshot(self, **members: Any) -> dict[str, Any]:
            usage = [{"quotaShareName": "A", "capacityUsage": [{"capacityUnit": G5, "quantity": 2.0}]}]
            return {"queueUtilization": {"quotaShareUtilization": {"topCapacityUtilization": usage}}}

    found = read_lists(Reader(Miscounting(), options(account)), "training")
    assert found.torn
    assert "jobs of A moved" in found.notes[0]


def test_a_job_that_is_being_stopped_for_another_is_no_candidate_a_second_time(account: Account) -> None:
    jobs = [submit(account, "A", name, schedulingPriority=number) for number, name in enumerate(("a1", "a2", "a3"))]
    claimant = account.batch.checked_call(
        "SubmitServiceJob",
        {
            "jobName": "b1",
            "jobQueue": "training",
            "quotaShareName": "B",
            "serviceJobType": "SAGEMAKER_TRAINING",
            "serviceRequestPayload": json.dumps({"ResourceConfig": {"InstanceType": G5, "InstanceCount": 1}}),
        },
    )
    account.batch.advance(3)
    found = read_lists(reader(account), "training")
    stopping = {job.id: job.stopping_for for job in found.state.jobs if job.stopping_for}
    assert stopping == {jobs[0]: claimant["jobId"]}


def test_a_job_that_ends_before_it_is_described_keeps_what_was_listed(account: Account) -> None:
    job = submit(account, "A", "a1")
    listed = read_lists(reader(account), "training")

    class Gone:
        def describe_service_job(self, **members: Any) -> dict[str, Any]:
            raise NotFoundError("DescribeServiceJob", "batch", "ClientException", "does not exist")

    found = describe(Reader(Gone()), listed, [job, "another"])
    assert found.state == listed.state


def test_details_stop_when_time_is_short_and_that_is_said(account: Account) -> None:
    jobs = [submit(account, "A", name) for name in ("a1", "a2")]
    listed = read_lists(reader(account), "training")
    left = iter([True, False])
    found = describe(replace(reader(account, has_time=lambda: next(left)), threads=1), listed, jobs)
    assert [job.priority for job in found.state.jobs if job.id in jobs].count(None) == 1
    assert found.notes == ("priorities of 1 job were not read, there was no time; they are unknown",)


def test_there_is_an_end_to_descriptions_and_that_is_said(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [submit(account, "A", name) for name in ("a1", "a2")]
    listed = read_lists(reader(account), "training")
    monkeypatch.setattr("quota_live.collect.MOST_DESCRIPTIONS", 1)
    found = describe(reader(account), listed, jobs)
    assert set(found.tags) == {jobs[0]}
    assert found.notes == ("priorities of 1 job were not read, 1 are at most; they are unknown",)


def test_a_job_is_described_once(account: Account) -> None:
    job = submit(account, "A", "a1")
    found = describe(reader(account), read_lists(reader(account), "training"), [job, job])
    account.calls.clear()
    assert describe(reader(account), found, [job]) == found
    assert account.calls == []


def test_progress_is_told_step_by_step(account: Account) -> None:
    told: list[tuple[str, int, int]] = []
    collect(account.clients, "training", options=options(account, progress=lambda *step: told.append(step)))
    assert told[:3] == [("shares", 1, 3), ("shares", 2, 3), ("shares", 3, 3)]
    assert told[-1] == ("jobs", 12, 12)


def test_jobs_of_one_share_come_those_that_are_furthest_first(account: Account) -> None:
    for name in ("a1", "a2", "a3", "a4"):
        submit(account, "A", name)
    listed = list_share_jobs(reader(account), QUEUE_ARN, "A")
    assert [(job.name, job.status) for job in listed] == [
        ("a1", "RUNNING"),
        ("a2", "RUNNING"),
        ("a3", "RUNNING"),
        ("a4", "RUNNABLE"),
    ]


def test_a_budget_lets_a_burst_through_and_then_so_many_a_second() -> None:
    at = [0.0]
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        at[0] += seconds

    budget = RateBudget(10, 3, clock=lambda: at[0], sleep=sleep)
    for _ in range(6):
        budget.take()
    assert [round(wait, 6) for wait in waits] == [0.1, 0.1, 0.1]
    at[0] += 100
    for _ in range(3):
        budget.take()
    assert len(waits) == 3


def state(shares: dict[str, Share], *jobs: Job) -> QueueState:
    return QueueState(0, {G5: 9}, shares, jobs)


def waiting(name: str, share: str) -> Job:
    return Job(name, share, {G5: 1}, "RUNNABLE")


def running(name: str, share: str) -> Job:
    return Job(name, share, {G5: 1}, "RUNNING")


IN_SHARE = Share("A", {G5: 5}, "LEND", in_share_preemption=True)
PLAIN = Share("A", {G5: 5}, "LEND")
OVER = Share("A", {G5: 1}, "LEND_AND_BORROW")
OTHER = Share("B", {G5: 1}, "LEND")


@pytest.mark.parametrize(
    ("share", "jobs", "want"),
    [
        (PLAIN, (running("r", "A"), waiting("w", "A")), ()),
        (PLAIN, (waiting("w", "A"), waiting("x", "A")), ("w", "x")),
        (IN_SHARE, (running("r", "A"),), ()),
        (IN_SHARE, (waiting("w", "A"),), ()),
        (IN_SHARE, (running("r", "A"), waiting("w", "A")), ("r", "w")),
        (OVER, (running("r", "A"), running("s", "A")), ()),
        (OVER, (running("r", "A"), running("s", "A"), waiting("w", "A")), ()),
        (OVER, (running("r", "A"), running("s", "A"), waiting("w", "B")), ("r", "s")),
        (PLAIN, (Job("p", "A", {G5: 1}, "PENDING"), Job("q", "A", {G5: 1}, "PENDING")), ()),
    ],
    ids=[
        "one waits, none can be displaced",
        "who is first",
        "nobody waits",
        "nobody can be displaced",
        "who displaces whom",
        "nobody claims",
        "only the share itself waits",
        "somebody else claims",
        "not waiting yet",
    ],
)
def test_priorities_matter_where_they_decide(share: Share, jobs: tuple[Job, ...], want: tuple[str, ...]) -> None:
    assert jobs_with_priority_that_matters([state({"A": share, "B": OTHER}, *jobs)]) == want


def test_priorities_matter_where_they_will_decide() -> None:
    jobs = (running("r", "A"), running("s", "A"), waiting("w", "B"))
    now, then = state({"A": PLAIN, "B": OTHER}, *jobs), state({"A": OVER, "B": OTHER}, *jobs)
    assert jobs_with_priority_that_matters([now, then]) == ("r", "s")


def test_a_job_of_which_nobody_can_tell_what_it_asks_for_stays_in_the_picture(account: Account) -> None:
    job = submit(account, "A", "a1")

    class Silent:
        def __getattr__(self, name: str) -> Any:
            return getattr(Face(account, "batch"), name)

        def list_service_jobs(self, **members: Any) -> dict[str, Any]:
            answer = Face(account, "batch").list_service_jobs(**members)
            for entry in answer.get("jobSummaryList", []):
                del entry["capacityUsage"]
            return answer

        def describe_service_job(self, **members: Any) -> dict[str, Any]:
            return {"jobId": members["jobId"], "serviceRequestPayload": "?"}

    found = read_lists(Reader(Silent(), options(account)), "training")
    assert [(each.id, dict(each.uses)) for each in found.state.jobs] == [(job, {"unknown": 1})]
    assert "what 1 job asks for is not known" in found.notes[-1]
    assert parse_state(found.state.to_dict()) == found.state


def test_a_share_that_is_being_deleted_counts_until_it_is_gone(account: Account) -> None:
    job = submit(account, "A", "a1")
    share = {"quotaShareArn": f"{QUEUE_ARN}/quota-share/A"}
    account.batch.checked_call("UpdateQuotaShare", {**share, "state": "DISABLED"})
    account.batch.advance(5)
    account.batch.checked_call("DeleteQuotaShare", share)
    account.batch.advance(1)
    found = read_lists(reader(account), "training")
    assert found.state.shares["A"].state == "DISABLED"
    assert [each.id for each in found.state.jobs] == [job]
