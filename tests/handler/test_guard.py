"""What the guard reads, what it answers, and what it does when it cannot read."""

from __future__ import annotations

import json
import re
import threading

import pytest
from guard_scenarios import LEND, LENDS, scenario
from handler_support import (
    G5,
    OTHER_STACK_ID,
    Account,
    Context,
    account_with_queue,
    client_error,
    guard_event,
    guard_properties,
    handle,
    job_status,
    make_share,
    proposal,
    read_timeout,
    set_resources,
    submit,
)

from quota_handler.handler import Surroundings, serve

LOG_STREAM = "CloudWatch Log Stream: 2026/11/29/[$LATEST]0123456789abcdef"


def update(account: Account, new: str, old: str, policy: dict[str, object] | None = None, acknowledge: str = ""):
    made = guard_event("Update", guard_properties(new, policy, acknowledge), guard_properties(old, policy))
    return handle(account, made).body


def acknowledgement_in(reason: str) -> str:
    return re.search(r"quota-acknowledge=(\S+)", reason).group(1)


def logged(capsys: pytest.CaptureFixture[str], kind: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line for line in lines if line.get("kind") == kind]


def test_a_block_says_what_and_how_to_go_on_then_the_jobs_then_the_log_stream() -> None:
    case = scenario("disruptive")
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "FAILED"
    first, *rest = body["Reason"].splitlines()
    acknowledgement = acknowledgement_in(first)
    assert first == (
        f"disruptive: queue training: share A: {G5} 2 to 1, share B: {G5} 1 to 2: work that waits would stop 1 running "
        "job (1 instance, 0.0 GPU-hours at most). Nothing was changed. To deploy it anyway: cdk deploy -c "
        f"quota-acknowledge={acknowledgement} (or --parameters QuotaAcknowledge={acknowledgement} for an assembly that "
        "is synthesized already)"
    )
    assert rest[-1] == LOG_STREAM
    assert rest[:2] == [
        f"a1 ({case.jobs['a1']}): possible, share A, 1 {G5}, 0.0 GPU-hours, owner ann",
        f"a2 ({case.jobs['a2']}): likely, share A, 1 {G5}, 0.0 GPU-hours, owner ann",
    ]
    assert rest[2:-1]
    assert all(line.startswith("advice: ") for line in rest[2:-1])


def test_a_warning_passes_and_says_the_same_in_its_attributes() -> None:
    case = scenario("at_risk")
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "SUCCESS"
    acknowledgement = body["Data"].pop("Acknowledge")
    assert body["Data"] == {
        "Verdict": "at_risk",
        "Summary": (
            f"queue training: share A: {G5} 2 to 1, share B: {G5} 1 to 2: 2 running jobs become eligible for "
            "preemption, above their limits: A by 1; nothing that waits now would claim their room"
        ),
        "NewlyEligible": "2",
        "Possible": "0",
        "Terminated": "0",
        "GpuHours": "0",
    }
    assert re.fullmatch(r"[0-9a-f]{12}-0-0", acknowledgement)


@pytest.mark.parametrize("verdict", ["invalid", "destructive", "disruptive"])
def test_the_acknowledgement_that_is_printed_lets_the_same_change_through(verdict: str) -> None:
    case = scenario(verdict)
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    body = update(case.account, case.new, case.old, acknowledge=f"000000000000-9-9, {acknowledgement}")
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", verdict)


def test_an_acknowledgement_is_stale_once_more_is_at_stake() -> None:
    case = scenario("disruptive")
    digest, jobs, hours = acknowledgement_in(update(case.account, case.new, case.old)["Reason"]).split("-")
    fewer = f"{digest}-{int(jobs) - 1}-{hours}"
    assert update(case.account, case.new, case.old, acknowledge=fewer)["Status"] == "FAILED"
    assert (
        update(case.account, case.new, case.old, acknowledge=f"{digest}-{int(jobs) + 1}-{hours}")["Status"] == "SUCCESS"
    )


def test_an_acknowledgement_of_another_change_counts_for_nothing() -> None:
    case = scenario("destructive")
    other = proposal({"A": {"limit": 2}})
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    case.account.batch.advance(1)
    submit(case.account, "B", "b1")
    body = update(case.account, other, case.old, acknowledge=acknowledgement)
    assert body["Status"] == "FAILED"


def test_a_job_that_would_end_as_well_makes_an_acknowledgement_stale() -> None:
    case = scenario("destructive")
    acknowledgement = acknowledgement_in(update(case.account, case.new, case.old)["Reason"])
    submit(case.account, "A", "a3")
    assert update(case.account, case.new, case.old, acknowledge=acknowledgement)["Status"] == "FAILED"


def test_a_first_deployment_is_checked_by_the_rules_alone() -> None:
    account = Account()
    passed = handle(account, guard_event("Create", guard_properties(proposal({"A": 1, "B": LEND})))).body
    assert (passed["Status"], passed["Data"]["Verdict"]) == ("SUCCESS", "safe")
    wrong = proposal({"A": {"limit": 5}})
    failed = handle(account, guard_event("Create", guard_properties(wrong))).body
    assert failed["Status"] == "FAILED"
    assert "[QS" in failed["Reason"].splitlines()[0]
    assert [operation for _, operation in account.calls if operation.startswith(("Describe", "List"))] == [
        "DescribeStacks",
        "ListStackResources",
    ] * 2


def test_a_guard_that_is_added_to_a_live_stack_checks_it() -> None:
    case = scenario("disruptive")
    body = handle(case.account, guard_event("Create", guard_properties(case.new))).body
    assert body["Status"] == "FAILED"
    assert body["Reason"].startswith("disruptive: ")


def test_what_did_not_change_is_not_touched_so_that_drift_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    case = scenario("safe")
    case.account.batch.checked_call(
        "UpdateQuotaShare",
        {
            "quotaShareArn": "arn:aws:batch:eu-west-1:000000000000:job-queue/training/quota-share/B",
            "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 2}],
        },
    )
    case.account.batch.advance(5)
    capsys.readouterr()
    body = update(case.account, case.new, case.old)
    (document,) = logged(capsys, "assessment")
    assert body["Status"] == "SUCCESS"
    assert document["change"] == {"shares": {"A": {"borrow_limit_percent": 300}}}
    assert document["drift"] == [{"where": "shares.B.limits", "message": f"declared 1 {G5}, live 2 {G5}"}]


def test_old_properties_that_equal_the_new_ones_are_left_aside() -> None:
    """What Old holds when a deployment is tried again without a rollback is not documented."""
    case = scenario("disruptive")
    assert update(case.account, case.new, case.new)["Status"] == "FAILED"


@pytest.mark.parametrize(
    "old", ["{}", '{"version":2,"queues":[]}', "not json", ""], ids=["empty", "newer", "broken", "none"]
)
def test_old_properties_that_cannot_be_read_are_left_aside(old: str) -> None:
    case = scenario("disruptive")
    assert update(case.account, case.new, old)["Status"] == "FAILED"


@pytest.mark.parametrize(
    ("new", "want"),
    [
        ('{"version":2,"queues":[]}', "$.version: must be 1, got 2"),
        ("{", "$: not JSON"),
        ("", "$: not JSON"),
        ('{"version":1,"queues":[{"path":"p","queue":{}}]}', "$.queues[0].queue: needs logicalId, or arn"),
    ],
    ids=["newer", "broken", "missing", "no queue"],
)
def test_fails_to_deploy_a_proposal_that_cannot_be_read_but_rolls_back_to_it(new: str, want: str) -> None:
    case = scenario("safe")
    body = update(case.account, new, case.old)
    assert body["Status"] == "FAILED"
    assert want in body["Reason"]
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    assert update(case.account, new, case.old)["Status"] == "SUCCESS"


def test_shares_of_other_stacks_count_and_a_cut_that_needs_two_stacks_is_possible() -> None:
    account = account_with_queue({G5: 4})
    make_share(account, "A", 2)
    make_share(account, "B", 2, **LENDS)  # of another stack
    set_resources(account, {"A": "A"})
    account.set_status("UPDATE_IN_PROGRESS")
    too_much = update(account, proposal({"A": {"limit": 3}}, {G5: 4}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert too_much["Reason"].startswith("invalid: ")
    cut = update(account, proposal({"A": {"limit": 2}}, {G5: 3}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert cut["Status"] == "FAILED"  # the environment is cut below what both stacks have: by one of them first
    first = update(account, proposal({"A": {"limit": 1}}, {G5: 4}), proposal({"A": {"limit": 2}}, {G5: 4}))
    assert first["Status"] == "SUCCESS"


def test_an_error_that_was_there_before_does_not_block() -> None:
    account = account_with_queue({G5: 3})
    make_share(account, "A", 2)
    make_share(account, "B", 2, **LENDS)  # 4 of 3: somebody made it so by hand
    set_resources(account, {"A": "A"})
    account.set_status("UPDATE_IN_PROGRESS")
    body = update(account, proposal({"A": {"limit": 2, "borrow": 50}}), proposal({"A": {"limit": 2}}))
    assert body["Status"] == "SUCCESS"


def test_a_share_on_an_imported_queue_is_checked_against_the_whole_queue() -> None:
    account = account_with_queue()
    make_share(account, "A", 2)
    make_share(account, "B", 1, **LENDS)
    set_resources(account, {"A": "A"}, queue=False)
    account.set_status("UPDATE_IN_PROGRESS")
    jobs = [submit(account, "A", name) for name in ("a1", "a2")]
    body = update(account, proposal({"A": {"limit": 3}}, imported=True), proposal({"A": {"limit": 2}}, imported=True))
    assert body["Reason"].startswith("invalid: queue training: ")
    assert [job_status(account, job) for job in jobs] == ["RUNNING", "RUNNING"]


@pytest.mark.parametrize(
    ("shares", "want"),
    [
        ({"B": LEND}, "destructive"),
        ({"A2": {"limit": 2}, "B": LEND}, "destructive"),
        ({"X": {"name": "A", "logical_id": "X", "limit": 2}, "B": LEND}, "safe"),
        ({"A": {"name": "A9", "limit": 2}, "B": LEND}, "destructive"),
    ],
    ids=["construct removed", "renamed with its share", "only the construct renamed", "only the share renamed"],
)
def test_removals_and_renames(shares: dict[str, object], want: str) -> None:
    case = scenario("safe")
    body = update(case.account, proposal(shares), case.old)
    verdict = body["Data"].get("Verdict") or body["Reason"].partition(":")[0]
    assert verdict == want


def test_a_share_that_is_retained_is_no_removal() -> None:
    case = scenario("safe")
    old = proposal({"A": {"limit": 2, "on_removal": "RETAIN"}, "B": LEND})
    body = update(case.account, proposal({"B": LEND}), old)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "safe")


@pytest.mark.parametrize(
    ("removal_policy", "on_removal", "want"),
    [("DESTROY", "RETAIN", "FAILED"), ("RETAIN", "REFUSE_IF_BUSY", "FAILED"), ("RETAIN", "RETAIN", "SUCCESS")],
)
def test_a_queue_construct_that_is_renamed_leaves_queue_and_shares(
    removal_policy: str, on_removal: str, want: str
) -> None:
    case = scenario("safe")
    shares = {"A": {"limit": 2, "on_removal": on_removal}, "B": {**LEND, "on_removal": on_removal}}
    old = proposal(shares, removal_policy=removal_policy)
    renamed = {f"New{name}": {**share, "name": name} for name, share in shares.items()}
    new = proposal(renamed, queue_id="NewQueue", removal_policy=removal_policy)
    body = update(case.account, new, old)
    assert body["Status"] == want
    if want == "FAILED":
        assert body["Reason"].startswith("destructive: queue training: removing share")


def test_a_queue_that_is_replaced_takes_its_shares_with_it() -> None:
    case = scenario("safe")
    new = proposal({"A": {"limit": 2}, "B": LEND}, queue_name="another", removal_policy="DESTROY")
    body = update(case.account, new, case.old)
    assert body["Reason"].startswith("destructive: queue training: removing share")


def test_resources_that_are_declared_outside_the_guard_are_no_removals() -> None:
    case = scenario("safe")
    new = json.loads(proposal({"B": LEND}))
    new["unguarded"] = ["A"]
    body = update(case.account, json.dumps(new), case.old)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "safe")


ERRORS = {
    "access denied": (
        lambda operation: client_error(operation, "AccessDeniedException", "User is not authorized"),
        "permission {permission} is missing",
    ),
    "throttled": (
        lambda operation: client_error(operation, "TooManyRequestsException", "slow down"),
        "was throttled, also after retries",
    ),
    "server error": (lambda operation: client_error(operation, "ServerException", "boom"), "ServerException: boom"),
    "time-out": (lambda operation: read_timeout(), "got no answer"),
}
READS = (
    ("cloudformation", "ListStackResources"),
    ("batch", "DescribeJobQueues"),
    ("batch", "DescribeServiceEnvironments"),
    ("batch", "ListQuotaShares"),
    ("batch", "GetJobQueueSnapshot"),
    ("batch", "ListServiceJobs"),
    ("batch", "DescribeServiceJob"),
)


def failing(operation: str, make: object):
    def fault(service: str, called: str, done: bool) -> None:
        if called == operation and not done:
            raise make(operation)

    return fault


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("service", "operation"), READS)
@pytest.mark.parametrize("on_unknown", ["BLOCK", "WARN", "IGNORE"])
def test_an_account_that_cannot_be_read_is_answered_by_on_unknown_but_never_in_a_rollback(
    error: str, service: str, operation: str, on_unknown: str
) -> None:
    case = scenario("disruptive")
    make, words = ERRORS[error]
    case.account.fault = failing(operation, make)
    body = update(case.account, case.new, case.old, {"onUnknown": on_unknown})
    said = body["Reason"].splitlines()[0] if on_unknown == "BLOCK" else body["Data"]["Summary"]
    assert body["Status"] == ("FAILED" if on_unknown == "BLOCK" else "SUCCESS")
    assert said.startswith("the guard could not read the account: ")
    assert words.format(permission=f"{service}:{operation}") in said
    if on_unknown == "BLOCK":
        assert "cdk deploy -c quota-acknowledge=unknown" in said
        assert update(case.account, case.new, case.old, acknowledge="unknown")["Status"] == "SUCCESS"
    else:
        assert (body["Data"]["Verdict"], body["Data"]["Acknowledge"]) == ("unknown", "unknown")
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    assert update(case.account, case.old, case.new, {"onUnknown": on_unknown})["Status"] == "SUCCESS"


@pytest.mark.parametrize("error", ERRORS)
def test_the_way_back_from_a_block_is_known_even_if_nothing_can_be_read(error: str) -> None:
    case = scenario("disruptive")
    make, _ = ERRORS[error]

    def fault(service: str, operation: str, done: bool) -> None:
        raise make(operation)

    case.account.fault = fault
    assert update(case.account, case.old, case.new)["Status"] == "FAILED"
    case.account.blocked.clear()
    assert update(case.account, case.new, case.old)["Status"] == "FAILED"
    case.account.set_status("UPDATE_ROLLBACK_IN_PROGRESS")
    body = update(case.account, case.old, case.new)
    assert (body["Status"], body["Data"]["Verdict"]) == ("SUCCESS", "skipped")
    assert update(case.account, case.new, case.old)["Status"] == "FAILED"


@pytest.mark.parametrize("error", ERRORS)
def test_a_status_that_cannot_be_read_stops_only_what_would_be_blocked(error: str) -> None:
    make, words = ERRORS[error]
    passing, blocked = scenario("at_risk"), scenario("disruptive")
    for case in (passing, blocked):
        case.account.fault = failing("DescribeStacks", make)
    assert update(passing.account, passing.new, passing.old)["Status"] == "SUCCESS"
    body = update(blocked.account, blocked.new, blocked.old)
    assert body["Status"] == "FAILED"
    assert words.format(permission="cloudformation:DescribeStacks") in body["Reason"]


def test_time_that_runs_out_is_answered_before_the_function_is_stopped() -> None:
    case = scenario("disruptive")
    answered = threading.Event()

    def hang(service: str, operation: str, done: bool) -> None:
        if operation == "ListServiceJobs":
            answered.wait(20)

    case.account.fault = hang
    puts: list[dict[str, object]] = []

    def deliver(url: str, body: bytes) -> None:
        puts.append(json.loads(body))
        answered.set()

    world = Surroundings(lambda: case.account.clients, deliver, case.account.batch.advance, case.account.batch.now)
    made = guard_event("Update", guard_properties(case.new), guard_properties(case.old))
    serve(made, Context(case.account, seconds=0.2), world)
    (body,) = puts
    assert body["Status"] == "FAILED"
    assert body["Reason"].startswith("the guard could not read the account: time ran out while it was read")


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        ({"maxJobs": 1}, "2 jobs are at risk, max_jobs allows 1"),
        ({"maxGpuHours": 1.5}, "4 GPU-hours are at risk, max_gpu_hours allows 1.5"),
        ({"protect": {"minimumRunTimeSeconds": 3600, "tags": {}}}, "a1 is protected: it has run 2.0 h"),
        (
            {"protect": {"minimumRunTimeSeconds": None, "tags": {"owner": "ann"}}},
            "a1 is protected by its tag owner=ann",
        ),
    ],
    ids=["jobs", "GPU-hours", "run time", "tag"],
)
def test_limits_and_protected_jobs_turn_a_warning_into_a_block(policy: dict[str, object], want: str) -> None:
    case = scenario("at_risk")
    case.account.batch.advance(7200)
    assert update(case.account, case.new, case.old)["Status"] == "SUCCESS"
    body = update(case.account, case.new, case.old, policy)
    assert body["Status"] == "FAILED"
    assert want in body["Reason"].splitlines()[0]
    acknowledgement = acknowledgement_in(body["Reason"])
    assert update(case.account, case.new, case.old, policy, acknowledgement)["Status"] == "SUCCESS"


@pytest.mark.parametrize(
    "policy",
    [
        {"maxJobs": 2, "maxGpuHours": 99, "maxAmplification": 1},
        {"protect": {"minimumRunTimeSeconds": 360000, "tags": {"owner": "bob"}}},
    ],
    ids=["limits", "protection"],
)
def test_limits_that_hold_change_nothing(policy: dict[str, object]) -> None:
    case = scenario("at_risk")
    case.account.batch.advance(7200)
    assert update(case.account, case.new, case.old, policy)["Status"] == "SUCCESS"


def test_amplification_is_instances_stopped_for_each_instance_asked_for() -> None:
    account = account_with_queue({G5: 6})
    make_share(account, "A", 5)
    make_share(account, "B", 1, **LENDS)
    set_resources(account, {"A": "A", "B": "B"})
    account.set_status("UPDATE_IN_PROGRESS")
    submit(account, "A", "big", instances=5)
    submit(account, "B", "b1")
    submit(account, "B", "b2")
    old = proposal({"A": {"limit": 5}, "B": LEND}, {G5: 6})
    new = proposal({"A": {"limit": 4}, "B": {**LEND, "limit": 2}}, {G5: 6})
    policy = {"verdicts": {"disruptive": "WARN"}}
    assert update(account, new, old, {**policy, "maxAmplification": 5})["Status"] == "SUCCESS"
    body = update(account, new, old, {**policy, "maxAmplification": 4.5})
    assert body["Status"] == "FAILED"
    assert "5 instances may be stopped for 1 that waiting work asks for, max_amplification allows 4.5" in body["Reason"]


def test_the_whole_report_is_one_line_and_the_metrics_another(capsys: pytest.CaptureFixture[str]) -> None:
    case = scenario("disruptive")
    capsys.readouterr()
    update(case.account, case.new, case.old)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (document,) = [line for line in lines if line.get("kind") == "assessment"]
    assert (document["verdict"], document["action"], document["queue"].rpartition("/")[2]) == (
        "disruptive",
        "BLOCK",
        "training",
    )
    assert document["assessment"]["version"] == 1
    assert set(document["assessment"]["jobs"]) == set(case.jobs.values())
    (metrics,) = [line for line in lines if "_aws" in line]
    (directive,) = metrics["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "QuotaConstructs"
    assert directive["Dimensions"] == [["Stack", "Queue"]]
    lost = metrics.pop("GpuHours")
    assert 0 < lost < 0.1
    assert {metric["Name"]: metrics.get(metric["Name"]) for metric in directive["Metrics"]} == {
        "NewlyEligible": 2,
        "NewlyPossible": 2,
        "Possible": 2,
        "Terminated": 0,
        "GpuHours": None,
        "Blocked": 1,
    }
    assert (metrics["Stack"], metrics["Queue"]) == ("ml", "training")


TOPIC = "arn:aws:sns:eu-west-1:000000000000:quota"


@pytest.mark.parametrize(
    ("verdict", "action", "want"),
    [("disruptive", "BLOCK", 1), ("at_risk", "WARN", 1), ("at_risk", "IGNORE", 0), ("safe", None, 0)],
)
def test_what_is_not_safe_is_published(verdict: str, action: str | None, want: int) -> None:
    case = scenario(verdict)
    policy = {"notifyTopicArn": TOPIC} | ({"verdicts": {verdict: action}} if action else {})
    update(case.account, case.new, case.old, policy)
    assert len(case.account.published) == want
    for message in case.account.published:
        state = "blocked" if action == "BLOCK" else "passed"
        assert (message["TopicArn"], message["Subject"]) == (TOPIC, f"quota guard of ml: {verdict}, {state}")
        assert "a1" in message["Message"]


def test_the_answer_does_not_wait_for_the_topic() -> None:
    case = scenario("at_risk")
    answered: list[bool] = []
    case.account.hooks.append(
        lambda service, operation: answered.append(bool(puts)) if operation == "Publish" else None
    )
    puts: list[bytes] = []
    world = Surroundings(
        lambda: case.account.clients,
        lambda url, body: puts.append(body),
        case.account.batch.advance,
        case.account.batch.now,
    )
    properties = guard_properties(case.new, {"notifyTopicArn": TOPIC})
    serve(guard_event("Update", properties, guard_properties(case.old)), Context(case.account), world)
    assert answered == [True]


def test_a_topic_that_fails_stops_no_deployment(capsys: pytest.CaptureFixture[str]) -> None:
    case = scenario("at_risk")
    case.account.fault = failing("Publish", ERRORS["access denied"][0])
    assert update(case.account, case.new, case.old, {"notifyTopicArn": TOPIC})["Status"] == "SUCCESS"
    assert "permission sns:Publish is missing" in capsys.readouterr().out


def test_an_sdk_without_the_operations_is_named() -> None:
    case = scenario("at_risk")
    clients = case.account.clients

    class Old:
        cloudformation = clients.cloudformation

        @property
        def batch(self) -> object:
            from quota_live.clients import check_operations

            old = type("Client", (), {"meta": type("Meta", (), {"method_to_api_mapping": {"list_jobs": "ListJobs"}})})
            check_operations(old)
            return old

    case.account.__class__ = type("OldAccount", (Account,), {"clients": property(lambda self: Old())})
    body = update(case.account, case.new, case.old)
    assert body["Status"] == "FAILED"
    assert "does not know the Batch operations CreateQuotaShare, DeleteQuotaShare" in body["Reason"]
    assert "use a newer runtime" in body["Reason"]


def test_another_stacks_guard_sees_nothing_of_this_stack() -> None:
    case = scenario("destructive")
    case.account.set_status("CREATE_IN_PROGRESS", OTHER_STACK_ID)
    made = guard_event("Create", guard_properties(proposal({"C": {"limit": 1, "strategy": "LEND"}}, imported=True)))
    made["StackId"] = OTHER_STACK_ID
    body = handle(case.account, made).body
    assert body["Reason"].startswith("invalid: queue training: ")  # A 2, B 1 and C 1 of 3
