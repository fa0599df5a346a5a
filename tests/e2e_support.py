"""What the end-to-end tests have in common: apps in a few lines, the real cdk command line, jobs that are watched."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_cdk import App, Stack
from local_support import control, without_metadata

from quota_constructs import QuotaManagedQueue
from sample_app.demo.jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from aws_cdk import IReusableStackSynthesizer

    from quota_constructs.local import LocalCloud

G5 = "ml.g5.xlarge"
_ACKNOWLEDGE = re.compile(r"quota-acknowledge=([0-9a-f]{12}-\d+-\d+)")
_COMMAND_SECONDS = 300


@dataclass(frozen=True)
class Command:
    """What a command answered."""

    code: int
    text: str

    @property
    def acknowledgement(self) -> str:
        """The one acknowledgement that the text tells to give."""
        [found] = set(_ACKNOWLEDGE.findall(self.text))
        return found


@dataclass
class Account:
    """A bootstrapped account of a local cloud, and the command lines that a person or a pipeline uses on it."""

    cloud: LocalCloud
    folder: Path
    synthesizer: Callable[[], IReusableStackSynthesizer] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.cloud.environment(), "NO_COLOR": "1", "COLUMNS": "200"}

    def bootstrap(self) -> None:
        environment = self.environment
        self.run("cdk", "bootstrap", f"aws://{environment['CDK_DEFAULT_ACCOUNT']}/{environment['AWS_REGION']}")

    def synth(self, declare: Callable[[App], object]) -> Path:
        """Synthesize an app in this process, which takes a tenth of the time; gives its cloud assembly."""
        folder = self.folder / f"cdk.out-{next(self._numbers)}"
        app = App(
            outdir=str(folder),
            context={"@aws-cdk/core:annotationsInValidationReport": True},
            default_stack_synthesizer=self.synthesizer() if self.synthesizer is not None else None,
        )
        declare(app)
        app.synth()
        return folder

    def deploy(
        self,
        app: Path | Callable[[App], object],
        *stacks: str,
        acknowledge: str = "",
        options: tuple[str, ...] = (),
        fails: bool = False,
    ) -> Command:
        """Deploy some stacks of an assembly, or of an app that is synthesized first; all of them if none is named."""
        assembly = self.synth(app) if callable(app) else app
        parameters = ("--parameters", f"QuotaAcknowledge={acknowledge}") if acknowledge else ()
        always = ("--app", str(assembly), "--require-approval", "never", "--progress", "events", "--exclusively")
        return self.run("cdk", "deploy", *(stacks or ("--all",)), *always, *options, *parameters, fails=fails)

    def destroy(self, app: Path | Callable[[App], object], *stacks: str, fails: bool = False) -> Command:
        assembly = self.synth(app) if callable(app) else app
        return self.run(
            "cdk", "destroy", *(stacks or ("--all",)), "--app", str(assembly), "--force", "--exclusively", fails=fails
        )

    def run(self, *command: str, fails: bool = False, folder: Path | None = None) -> Command:
        """Run a command; it must succeed, or fail, as is said."""
        done = subprocess.run(
            command,
            cwd=folder or self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=_COMMAND_SECONDS,
        )
        assert (done.returncode != 0) == fails, f"$ {' '.join(command)}\n{done.stdout}"
        # cdk ends a failure with the whole log of the function, in which everything was said before.
        return Command(done.returncode, done.stdout.partition("\n   Logs from ")[0])

    def status(self, stack: str) -> str:
        return self.cloud.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]

    def stack_id(self, stack: str) -> str:
        stack_id: str = self.cloud.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["StackId"]
        return stack_id

    def physical_ids(self, stack: str, resource_type: str) -> list[str]:
        """Physical ids of the stack's live resources of one type, in no order."""
        resources = self.cloud.client("cloudformation").describe_stack_resources(StackName=stack)["StackResources"]
        return [resource["PhysicalResourceId"] for resource in resources if resource["ResourceType"] == resource_type]

    def assessments(self, stack: str) -> list[dict[str, Any]]:
        """What the guard of a stack has logged about each queue, oldest first."""
        logs = self.cloud.client("logs")
        [group] = self.physical_ids(stack, "AWS::Logs::LogGroup")
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        lines = [event["message"] for page in pages for event in page["events"]]
        found = [json.loads(line) for line in lines if line.startswith('{"kind":"assessment"')]
        return [line["assessment"] for line in found]

    def plan(self, assembly: Path, stack: str) -> dict[str, Any]:
        """What `batch-quota plan` says about the one queue of a stack."""
        output = self.folder / "plan.json"
        words = ("plan", "--app", str(assembly), "--stack", stack, "--format", "json", "--fail-on", "never")
        self.run("batch-quota", *words, "-o", str(output))
        [plan] = json.loads(output.read_text())["plans"]
        assessment: dict[str, Any] = plan["assessment"]
        return assessment

    def queue(self, stack: str) -> LiveQueue:
        """The one job queue of a stack."""
        [arn] = self.physical_ids(stack, "AWS::Batch::JobQueue")
        return LiveQueue(self.cloud, arn)


class LiveQueue(Jobs):
    """A deployed queue, its shares, and jobs that are watched from their submission on."""

    def __init__(self, cloud: LocalCloud, arn: str) -> None:
        super().__init__(cloud.client("batch"), arn)
        self.arn = arn
        self.name = arn.rpartition("/")[2]
        self._cloud = cloud

    def shares(self) -> dict[str, dict[str, Any]]:
        """The queue's shares as the service describes them, by name."""
        pages = self._batch.get_paginator("list_quota_shares").paginate(jobQueue=self.arn)
        names = [share["quotaShareArn"] for page in pages for share in page["quotaShares"]]
        described = [without_metadata(self._batch.describe_quota_share(quotaShareArn=arn)) for arn in names]
        return {share["quotaShareName"]: share for share in described}

    def limits(self) -> dict[str, int]:
        """Instances of ml.g5.xlarge that each share may use without borrowing."""
        return {
            name: sum(limit["maxCapacity"] for limit in share["capacityLimits"])
            for name, share in self.shares().items()
        }

    def capacity(self) -> int:
        """Instances of ml.g5.xlarge that the queue's environment holds."""
        [queue] = self._batch.describe_job_queues(jobQueues=[self.arn])["jobQueues"]
        [order] = queue["serviceEnvironmentOrder"]
        [environment] = self._batch.describe_service_environments(serviceEnvironments=[order["serviceEnvironment"]])[
            "serviceEnvironments"
        ]
        return _instances(environment)

    def run(self, share: str, *names: str, waiting: tuple[str, ...] = ()) -> None:
        """Submit jobs of one instance to a share and wait until they run, and others until they wait.

        Jobs that run have run for a second when it returns: before, their loss rounds to nothing, and what acknowledges
        nothing would be stale a moment later.
        """
        for name in (*names, *waiting):
            self.submit(share, name, priority=1)
        self.wait_for(running=names, waiting=waiting)
        started = [self._batch.describe_service_job(jobId=self._ids[name])["startedAt"] for name in names]
        time.sleep(max(0.0, 1 + max(started, default=0) / 1000 - time.time()))

    def stops(self) -> list[tuple[str, str]]:
        """What befell the jobs, from the local Batch's own log: name, and how it was stopped or ended."""
        names = {job: name for name, job in self._ids.items()}
        return [
            (names[event["subject"]], event["status"] if event["kind"] == "status" else event["kind"])
            for event in control(self._cloud.endpoint_url, "GET", "events")["events"]
            if event["subject"] in names and _is_stop(event)
        ]

    def untouched(self) -> bool:
        """Whether no job was stopped, ended or asked to end since it was submitted."""
        jobs = {name: self._batch.describe_service_job(jobId=job) for name, job in self._ids.items()}
        asked = [name for name, job in jobs.items() if job.get("isTerminated")]
        return (self.stops(), asked) == ([], [])


def _is_stop(event: dict[str, Any]) -> bool:
    """Whether a job was asked to stop, ended, or went back to the queue after it had been dispatched."""
    if event["kind"] == "preemption_started":
        return True
    dispatched = ("SCHEDULED", "STARTING", "RUNNING")
    has_left = event["kind"] == "status" and event["before"] in dispatched and event["status"] not in dispatched
    return has_left or event.get("status") in ("SUCCEEDED", "FAILED")


def _instances(described: Any) -> int:
    return sum(limit["maxCapacity"] for limit in described["capacityLimits"])


def share(limit: int, **options: Any) -> dict[str, Any]:
    """Arguments of a share of some instances of ml.g5.xlarge."""
    return {"capacity_limits": {G5: limit}, **options}


def training_queue(stack: Stack, construct_id: str = "Training", *, capacity: int, **options: Any) -> QuotaManagedQueue:
    """A queue that holds some instances of ml.g5.xlarge."""
    return QuotaManagedQueue(stack, construct_id, capacity_limits={G5: capacity}, **options)


def one_queue(
    stack_name: str, *, capacity: int, queue_id: str = "Training", **shares: Mapping[str, Any]
) -> Callable[[App], None]:
    """An app with one stack: a queue, and its shares by construct id."""

    def declare(app: App) -> None:
        queue = training_queue(Stack(app, stack_name), queue_id, capacity=capacity)
        for construct_id, arguments in shares.items():
            queue.add_share(construct_id, **arguments)

    return declare
