"""The steps of the walkthrough and what each of them must show."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import boto3

from sample_app.demo.cdk_output import CdkOutput
from sample_app.demo.jobs import DISPATCHED, Jobs
from sample_app.demo.source import AppCopy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quota_constructs.local import LocalCloud
    from sample_app.demo.screen import Screen

STACK = "QuotaDemo"
IN_USE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
ACKNOWLEDGEMENT = re.compile(r"\b[0-9a-f]{12}-\d+-\d+\b")


class UnexpectedError(RuntimeError):
    """Raised when a step of the walkthrough does not show what it promises."""


class Story:
    """AWS's example, deployed, changed three times and taken down again."""

    def __init__(self, screen: Screen, cloud: LocalCloud, folder: Path) -> None:
        self._screen = screen
        self._environment = {**os.environ, **cloud.environment(), "NO_COLOR": "1", "COLUMNS": str(screen.columns)}
        self._app = AppCopy(folder.resolve())
        session = boto3.Session(
            aws_access_key_id="local", aws_secret_access_key="local", region_name=self._environment["AWS_REGION"]
        )
        self._batch = session.client("batch", endpoint_url=cloud.endpoint_url)
        self._cloudformation = session.client("cloudformation", endpoint_url=cloud.endpoint_url)
        self._jobs: Jobs

    def tell(self) -> None:
        """Tell the whole story; every step checks what it shows."""
        self.declare_and_deploy()
        self.submit_the_examples_jobs()
        self.grow()
        self.cut_a_share_that_nobody_claims()
        self.cut_a_share_that_others_wait_for()
        self.remove_a_busy_share()
        self.take_down()

    def declare_and_deploy(self) -> None:
        """Bootstrap the account and deploy the sample app."""
        self._screen.step("bootstrap the local account for the CDK, once")
        self._cdk("bootstrap", shown=False)
        self._screen.step("deploy AWS's example: 3 instances, QS1 may borrow, QS2 lends, QS3 keeps its own")
        self._cdk("deploy", "-c", "quota:plan=live")
        queue_arn = self._physical_id("AWS::Batch::JobQueue")
        self._queue = queue_arn.rsplit("/", 1)[1]
        self._jobs = Jobs(self._batch, queue_arn)

    def submit_the_examples_jobs(self) -> None:
        """Submit the jobs of the published walkthrough and show who runs, borrows and waits."""
        self._screen.step("submit three jobs to QS1: one runs on its own limit, one borrows from QS2, one waits")
        for name, priority in (("qs1_job_high", 3), ("qs1_job_med", 2), ("qs1_job_low", 1)):
            self._jobs.submit("QS1", name, priority=priority)
        self._jobs.wait_for(running=("qs1_job_high", "qs1_job_med"), waiting=("qs1_job_low",))
        self._quota("status", self._queue)

        self._screen.step("submit a job to QS2: it takes back what QS2 lent, and qs1_job_med is preempted")
        self._jobs.submit("QS2", "qs2_job_1", priority=1)
        self._jobs.wait_for(running=("qs1_job_high", "qs2_job_1"), waiting=("qs1_job_med", "qs1_job_low"))

        self._screen.step("raise qs1_job_low to priority 4: nothing left to borrow, so it preempts within its share")
        self._jobs.set_priority("qs1_job_low", 4)
        self._jobs.wait_for(running=("qs1_job_low", "qs2_job_1"), waiting=("qs1_job_high", "qs1_job_med"))
        self._quota("status", self._queue)

    def grow(self) -> None:
        """Raise a limit: nothing is at risk."""
        self._screen.step("two instances more, both for QS1: a change that harms nobody")
        self._screen.diff(self._app.edit(environment=5, limits={"QS1": 3}))
        self._cdk("deploy", "-c", "quota:plan=live")
        self._jobs.wait_for(running=("qs1_job_low", "qs1_job_high", "qs1_job_med", "qs2_job_1"))

    def cut_a_share_that_nobody_claims(self) -> None:
        """Cut a share below what it uses while nobody waits: a warning, and the deployment passes."""
        self._screen.step("take one instance away from QS1 again, while it uses all three: what would that do?")
        self._screen.diff(self._app.edit(environment=4, limits={"QS1": 2}))
        self._cdk("synth", "--quiet", shown=False)
        code, text = self._quota("plan", "--app", "cdk.out", "--stack", STACK)
        self._expect(code == 1 and "AT RISK" in text, "the plan to say AT RISK and exit with 1", text)
        self._screen.step("deploy it all the same: the warning is printed before anything starts, and it passes")
        _, text = self._cdk("deploy", "-c", "quota:plan=live")
        self._expect("AT RISK" in text.split(f"{STACK}: deploying")[0], "the warning before the deployment", text)
        self._expect_all_running("qs1_job_low", "qs1_job_high", "qs1_job_med", "qs2_job_1")

    def cut_a_share_that_others_wait_for(self) -> None:
        """Move an instance to a share where a job waits for it: blocked, rolled back, then acknowledged."""
        self._screen.step("a second job waits in QS2; give QS2 an instance that QS1 still uses")
        self._jobs.submit("QS2", "qs2_job_2", priority=1)
        self._jobs.wait_for(waiting=("qs2_job_2",))
        self._screen.diff(self._app.edit(limits={"QS1": 1, "QS2": 2}))
        code, text = self._cdk("deploy", fails=True)
        self._expect(code != 0 and "qs1_job_" in text, "the guard to block and to name the jobs", text)
        acknowledge = ACKNOWLEDGEMENT.search(text)
        self._expect(acknowledge is not None, "the guard to say what to acknowledge", text)
        self._expect_status("UPDATE_ROLLBACK_COMPLETE")
        self._expect_all_running("qs1_job_low", "qs1_job_high", "qs1_job_med", "qs2_job_1")
        self._screen.say("rolled back; every job is still running")

        self._screen.step("the same, acknowledged: now it is a decision, and it goes through")
        self._cdk("deploy", "-c", f"quota-acknowledge={acknowledge[0] if acknowledge else ''}")
        self._jobs.wait_until(
            lambda jobs: jobs["qs2_job_2"] == "RUNNING", "qs2_job_2 running on what QS1 gave back", timeout_seconds=60
        )
        self._quota("status", self._queue)

    def remove_a_busy_share(self) -> None:
        """Remove a share in which jobs run: blocked, because deleting a share ends all of its jobs."""
        self._screen.step("remove QS2 while its jobs run: deleting a share would end them all, so it is blocked")
        self._screen.diff(self._app.edit(drop="QS2"))
        before = self._jobs.statuses()
        code, text = self._cdk("deploy", fails=True)
        self._expect(code != 0 and "qs2_job_1" in text, "the guard to block and to name the jobs", text)
        self._expect_status("UPDATE_ROLLBACK_COMPLETE")
        self._expect(self._jobs.statuses() == before, "every job as before", str(self._jobs.statuses()))
        self._screen.say("rolled back; every job is still where it was")

    def take_down(self) -> None:
        """Let the jobs end and destroy the stack; nothing is left."""
        self._screen.step("the jobs end, and the stack is destroyed")
        self._jobs.end()
        self._jobs.wait_until(lambda jobs: not set(jobs.values()) & {*DISPATCHED, "RUNNABLE"}, "no job left", 60)
        self._cdk("destroy", "--force")
        queues = self._batch.describe_job_queues()["jobQueues"]
        environments = self._batch.describe_service_environments()["serviceEnvironments"]
        self._expect(not queues and not environments, "nothing left", f"{queues} {environments}")
        self._screen.say("no queue, no environment, no share is left")

    def _cdk(self, *words: str, shown: bool = True, fails: bool = False) -> tuple[int, str]:
        options = {
            "deploy": ("--require-approval", "never", "--progress", "events"),
            "bootstrap": (f"aws://{self._environment['CDK_DEFAULT_ACCOUNT']}/{self._environment['AWS_REGION']}",),
        }
        command = ("cdk", *words, *options.get(words[0], ()))
        deployed = self._deployed() if words[0] == "deploy" else {}
        code, text = self._screen.run(
            command,
            folder=self._app.folder if words[0] != "bootstrap" else self._app.folder.parent,  # which needs no app
            environment=self._environment,
            shown=CdkOutput(lambda: self._same(deployed)).shown if shown else lambda _line: (),
        )
        self._expect(code == 0 or fails, f"`{' '.join(command)}` to succeed", text)
        return code, text

    def _deployed(self) -> Mapping[str, object]:
        """Return the resources of the template that is deployed; none before the first deployment."""
        stacks = self._cloudformation.list_stacks()["StackSummaries"]
        if not any(stack["StackName"] == STACK and stack["StackStatus"] in IN_USE for stack in stacks):
            return {}
        template = self._cloudformation.get_template(StackName=STACK)["TemplateBody"]
        return resources_of(json.loads(template) if isinstance(template, str) else template)

    def _same(self, deployed: Mapping[str, object]) -> set[str]:
        """Return the logical ids of resources that the synthesized template has as they are deployed."""
        path = self._app.folder / "cdk.out" / f"{STACK}.template.json"
        declared = resources_of(json.loads(path.read_text())) if path.exists() else {}
        return {name for name, resource in declared.items() if deployed.get(name) == resource}

    def _quota(self, *words: str) -> tuple[int, str]:
        code, text = self._screen.run(("batch-quota", *words), folder=self._app.folder, environment=self._environment)
        self._expect(code in (0, 1), f"`batch-quota {' '.join(words)}` to answer", text)
        return code, text

    def _physical_id(self, resource_type: str) -> str:
        resources = self._cloudformation.describe_stack_resources(StackName=STACK)["StackResources"]
        return next(r["PhysicalResourceId"] for r in resources if r["ResourceType"] == resource_type)

    def _expect_status(self, status: str) -> None:
        actual = self._cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]
        self._expect(actual == status, f"the stack to be {status}", actual)

    def _expect_all_running(self, *names: str) -> None:
        statuses = self._jobs.statuses()
        self._expect(all(statuses[name] == "RUNNING" for name in names), "every job still running", str(statuses))

    def _expect(self, holds: bool, what: str, got: str) -> None:
        if not holds:
            log = self._app.folder / "unexpected.log"
            log.write_text(got + "\n")
            end = "\n".join(got.splitlines()[-12:])
            raise UnexpectedError(f"expected {what}, got (all of it in {log}):\n{end}")


def resources_of(template: Mapping[str, Any]) -> dict[str, object]:
    """Return the resources of a template by logical id, without the metadata that CloudFormation does not look at."""
    return {
        name: {member: value for member, value in resource.items() if member != "Metadata"}
        for name, resource in template["Resources"].items()
    }
