"""Every command against the local cloud over HTTP, with a stack that CloudFormation deployed there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from assembly_support import raw_queue, raw_share, template, write_assembly
from cli_live_support import resources, settle
from cli_support import problems_with

from quota_scheduler import parse_state

if TYPE_CHECKING:
    from pathlib import Path

    from cli_live_support import Live
    from cli_support import Cli


def assembly(folder: Path, **changed: object) -> Path:
    return write_assembly(folder / "cdk.out", {"Demo": template(resources(**changed))})


CUT = raw_share("QS1", ResourceSharingConfiguration={"Strategy": "LEND"})


def test_status_shows_shares_and_why_the_first_waits(live_cli: Cli, live: Live) -> None:
    outcome = live_cli("status", live.queue)
    assert (outcome.code, outcome.err) == (0, "")
    assert "QS1: 1 job waiting, first low (1 × ml.g5.xlarge" in outcome.out
    document = live_cli("status", live.queue, "--format", "json").json()
    assert problems_with(document, "status") == []
    assert document["shares"]["QS1"]["types"]["ml.g5.xlarge"] == {
        "limit": 1,
        "used": 2,
        "borrowed": 1,
        "lent": [0, 0],
        "waiting": 1,
    }
    assert document["shares"]["QS2"]["types"]["ml.g5.xlarge"]["lent"] == [1, 1]


def test_snapshot_is_what_every_offline_command_reads(live_cli: Cli, live: Live) -> None:
    outcome = live_cli("snapshot", live.queue, "-o", "state.json")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    document = json.loads((live_cli.folder / "state.json").read_text())
    assert problems_with(document, "state") == []
    state = parse_state(document)
    assert {(job.name, job.share, job.priority, job.owner) for job in state.jobs} == {
        ("high", "QS1", 5, "high-owner"),
        ("med", "QS1", 2, "med-owner"),
        ("low", "QS1", 1, "low-owner"),
        ("own", "QS3", 1, "own-owner"),
    }
    ours = live_cli("assess", "state.json", "--format", "json").json()
    theirs = live_cli("assess", live.queue, "--format", "json").json()
    assert ours["verdict"] == theirs["verdict"]
    assert ours["jobs"].keys() == theirs["jobs"].keys()


def test_a_redacted_snapshot_has_no_names(live_cli: Cli, live: Live) -> None:
    text = live_cli("snapshot", live.queue, "--redact").out
    assert problems_with(json.loads(text), "state") == []
    for name in ("high", "med", "low", "QS1", "QS2", live.queue):
        assert name not in text


def test_explain_asks_the_live_queue(live_cli: Cli, live: Live) -> None:
    outcome = live_cli("explain", live.queue, "--job", "low", "--format", "json")
    assert (outcome.code, outcome.json()["outcome"], outcome.json()["reason"]) == (0, "wait", "no_capacity")
    asked = live_cli("explain", live.queue, "--submit", "share=QS2,uses=ml.g5.xlarge:1", "--format", "json")
    assert asked.json()["outcome"] == "preempt"


def test_plan_of_a_removed_share_is_destructive(live_cli: Cli, live: Live) -> None:
    app = assembly(live_cli.folder, QS3=None)
    outcome = live_cli("plan", "--app", app, "--format", "json")
    assert (outcome.code, outcome.err) == (1, "")
    document = outcome.json()
    assert problems_with(document, "plan") == []
    (plan,) = document["plans"]
    assert (document["verdict"], plan["stack"], plan["queue"]) == ("destructive", "Demo", live.queue)
    assert [plan["assessment"]["jobs"][name]["owner"] for name in plan["assessment"]["terminated"]] == ["own-owner"]


def test_plan_of_a_replaced_queue_ends_all_its_jobs(live_cli: Cli, live: Live) -> None:
    renamed = raw_queue(3, JobQueueName="renamed")["Queue"]
    outcome = live_cli("plan", "--app", assembly(live_cli.folder, Queue=renamed))
    assert outcome.code == 1
    text = " ".join(outcome.out.split())
    assert "removing all shares ends 4 unfinished jobs: " in text
    assert f"job queue {live.queue} (Queue) is replaced, as its name changes: it is deleted" in text


def test_plan_of_a_replaced_environment_says_so(live_cli: Cli) -> None:
    renamed = raw_queue(3)["Env"]
    renamed["Properties"]["ServiceEnvironmentName"] = "renamed"
    outcome = live_cli("plan", "--app", assembly(live_cli.folder, Env=renamed))
    assert "the service environment is replaced: the queue moves to a new one" in " ".join(outcome.out.split())


def test_plan_of_a_renamed_share_ends_its_jobs(live_cli: Cli) -> None:
    app = assembly(live_cli.folder, QS3=raw_share("QS9", ResourceSharingConfiguration={"Strategy": "RESERVE"}))
    (plan,) = live_cli("plan", "--app", app, "--format", "json").json()["plans"]
    assert len(plan["assessment"]["terminated"]) == 1


def test_plan_of_nothing_new_is_a_notice_at_most(live_cli: Cli) -> None:
    outcome = live_cli("plan", "--app", assembly(live_cli.folder), "--format", "json")
    assert (outcome.code, outcome.json()["verdict"]) == (0, "safe")


@pytest.mark.parametrize(("level", "want"), [("safe", 1), ("notice", 1), ("at_risk", 0), ("never", 0)])
def test_fail_on_decides_the_exit_code(live_cli: Cli, level: str, want: int) -> None:
    outcome = live_cli("plan", "--app", assembly(live_cli.folder, QS1=CUT), "--fail-on", level, "--format", "json")
    assert (outcome.json()["verdict"], outcome.code) == ("notice", want)


def test_plan_of_a_stack_that_is_not_there_yet(live_cli: Cli) -> None:
    app = write_assembly(live_cli.folder / "cdk.out", {"New": template(resources())})
    outcome = live_cli("plan", "--app", app)
    assert (outcome.code, outcome.err) == (0, "")
    assert "the queue does not exist yet" in outcome.out


@pytest.mark.parametrize("name", ["Demo", "New"])
def test_plan_refuses_a_stack_of_another_account(live_cli: Cli, name: str) -> None:
    app = write_assembly(live_cli.folder / "cdk.out", {name: template(resources())}, "aws://111122223333/eu-west-1")
    outcome = live_cli("plan", "--app", app)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"batch-quota: stack {name} belongs to account 111122223333, the credentials are of 000000000000; "
        "pass --profile, or choose the stacks of this account with --stack\n"
    )


def test_plan_of_a_stack_bound_to_this_account(live_cli: Cli) -> None:
    app = write_assembly(live_cli.folder / "cdk.out", {"New": template(resources())}, "aws://000000000000/eu-west-1")
    assert live_cli("plan", "--app", app).code == 0


def test_plan_of_an_assembly_without_queues(live_cli: Cli) -> None:
    app = write_assembly(live_cli.folder / "cdk.out", {"Plain": template({})})
    outcome = live_cli("plan", "--app", app)
    assert (outcome.code, outcome.out) == (0, "no stack changes a queue with quota management\n")
    assert live_cli("plan", "--app", app, "--format", "json").json() == {"version": 1, "verdict": "safe", "plans": []}


def test_plan_of_team_stacks_finds_the_queue_of_the_other_stack(live_cli: Cli, live: Live) -> None:
    arn = {"Fn::GetAtt": ["Queue", "JobQueueArn"]}
    core = template(resources(), Outputs={"Out": {"Value": arn, "Export": {"Name": "Demo:Queue"}}})
    team = template({"QS4": raw_share("QS4", queue={"Fn::ImportValue": "Demo:Queue"})})
    app = write_assembly(live_cli.folder / "cdk.out", {"Demo": core, "Team": team})
    outcome = live_cli("plan", "--app", app, "--stack", "Team", "--format", "json")
    (plan,) = outcome.json()["plans"]
    assert (plan["stack"], plan["queue"], plan["assessment"]["verdict"]) == ("Team", live.queue, "invalid")


def test_plan_of_a_change_set_equals_that_of_the_assembly(live_cli: Cli, live: Live) -> None:
    body = template(resources(QS3=None))
    live.cloud.client("cloudformation").create_change_set(
        StackName="Demo", ChangeSetName="take-away", TemplateBody=json.dumps(body)
    )
    prepared = live_cli("plan", "--stack", "Demo", "--change-set", "take-away", "--format", "json").json()
    synthesized = live_cli("plan", "--app", assembly(live_cli.folder, QS3=None), "--format", "json").json()
    for name in ("verdict", "terminated", "acknowledge", "eligible", "possible", "certain"):
        ours, theirs = (document["plans"][0]["assessment"][name] for document in (prepared, synthesized))
        if name == "acknowledge":
            ours, theirs = ours.partition("-")[0], theirs.partition("-")[0]
        assert ours == theirs


FAILURES = {
    "a queue that is not there": (("status", "Demo-Queue"), "there is no file and no job queue Demo-Queue"),
    "another Region": (("status", "Demo-Queue-0", "--region", "us-east-1"), "no job queue Demo-Queue-0 in us-east-1"),
    "a change set that is not there": (
        ("plan", "--stack", "Demo", "--change-set", "nope"),
        "stack Demo has no change set nope",
    ),
}


@pytest.mark.parametrize(("arguments", "want"), FAILURES.values(), ids=FAILURES)
def test_fails_in_one_line(live_cli: Cli, arguments: tuple[str, ...], want: str) -> None:
    outcome = live_cli(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert want in outcome.err


def test_a_queue_without_quota_management_is_refused(live_cli: Cli, live: Live) -> None:
    batch = live.cloud.client("batch")
    batch.create_service_environment(
        serviceEnvironmentName="plain",
        serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=[{"capacityUnit": "NUM_INSTANCES", "maxCapacity": 4}],
    )

    def valid() -> bool:
        found = batch.describe_service_environments(serviceEnvironments=["plain"])["serviceEnvironments"]
        return found[0]["status"] == "VALID"

    settle(valid)
    batch.create_job_queue(
        jobQueueName="plain",
        jobQueueType="SAGEMAKER_TRAINING",
        priority=1,
        serviceEnvironmentOrder=[{"order": 1, "serviceEnvironment": "plain"}],
    )
    outcome = live_cli("status", "plain")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "quota" in outcome.err
