"""What the guard tells beside its answer: log, metrics, messages."""

from __future__ import annotations

import json

import pytest
from guard_scenarios import ERRORS, failing, scenario, update
from handler_support import Context, guard_event, guard_properties

from quota_handler.handler import Surroundings, serve

TOPIC = "arn:aws:sns:eu-west-1:000000000000:quota"


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
