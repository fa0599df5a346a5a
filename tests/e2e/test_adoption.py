"""Taking over what exists, and moving a share between the two lifecycles, while its jobs run."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_batch import CfnJobQueue, CfnQuotaShare, CfnSchedulingPolicy, CfnServiceEnvironment
from e2e_support import G5, LiveQueue, one_queue, share, training_queue
from local_support import RESERVE, Queue, control

from quota_constructs import QuotaGuard, QuotaManagedQueue, ShareLifecycle, ShareRemoval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from e2e_support import Account

    from quota_constructs.local import LocalCloud

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


class Console:
    """Somebody's hands: the account without CloudFormation."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.client = cloud.client("batch")
        self._endpoint_url = cloud.endpoint_url

    def advance(self, seconds: float) -> None:
        control(self._endpoint_url, "POST", "advance", {"seconds": seconds})


def import_resources(account: Account, app: Path, stack: str, identifiers: dict[str, dict[str, str]]) -> None:
    """Import resources, given by type, as a person would who answers the questions of `cdk import`.

    `--force` answers that pending updates are no hindrance: the guard's proposal changes with what is imported.
    """
    template = json.loads((app / f"{stack}.template.json").read_text())
    logical_ids = {made["Type"]: logical_id for logical_id, made in template["Resources"].items()}
    mapping = account.folder / "mapping.json"
    mapping.write_text(json.dumps({logical_ids[kind]: identifier for kind, identifier in identifiers.items()}))
    account.run("cdk", "import", stack, "--app", str(app), "--force", "--resource-mapping", str(mapping))


def test_a_queue_and_a_share_made_by_hand_are_taken_over_with_their_jobs(account: Account) -> None:
    """Refused without `adopt_existing`; with it the share is as declared, and its jobs know nothing of it."""
    made = Queue(Console(account.cloud), {G5: 2}, {"Vision": ({G5: 2}, RESERVE)}, name="made-by-hand")
    queue = LiveQueue(account.cloud, made.arn)
    queue.run("Vision", "v1", "v2")

    def team(*, adopt: bool) -> Callable[[App], None]:
        def declare(app: App) -> None:
            stack = Stack(app, "TakeOver")
            imported = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", queue.arn)
            imported.add_share("Vision", **share(1, adopt_existing=adopt, in_share_preemption=True))

        return declare

    refused = account.deploy(team(adopt=False), fails=True)
    assert "adopt_existing" in refused.text
    assert queue.limits() == {"Vision": 2}
    assert queue.shares()["Vision"].get("tags", {}) == {}

    account.cloud.client("cloudformation").delete_stack(StackName="TakeOver")
    account.deploy(team(adopt=True))
    vision = queue.shares()["Vision"]
    assert queue.limits() == {"Vision": 1}
    assert vision["preemptionConfiguration"] == {"inSharePreemption": "ENABLED"}
    assert queue.untouched()


def test_a_queue_made_by_hand_is_imported_with_its_environment(account: Account) -> None:
    """The guard first, then the import, then the shares: the guard knows every job from the first change on."""
    made = Queue(Console(account.cloud), {G5: 2}, {"Vision": ({G5: 2}, RESERVE)}, name="imported")
    queue = LiveQueue(account.cloud, made.arn)
    queue.run("Vision", "v1", "v2")
    names = {"job_queue_name": "imported", "scheduling_policy_name": "imported-policy"}

    def declare(app: App, *, with_queue: bool = True, limit: int | None = None) -> None:
        stack = Stack(app, "Imported")
        QuotaGuard.of(stack)
        if with_queue:
            declared = training_queue(stack, capacity=2, service_environment_name="imported-environment", **names)
            if limit is not None:
                declared.add_share("Vision", **share(limit, adopt_existing=True))

    account.deploy(partial(declare, with_queue=False))
    environment = made.arn.replace("job-queue/imported", "service-environment/imported-environment")
    identifiers = {
        "AWS::Batch::JobQueue": {"JobQueueArn": made.arn},
        "AWS::Batch::ServiceEnvironment": {"ServiceEnvironmentArn": environment},
        "AWS::Batch::SchedulingPolicy": {"Arn": made.policy_arn},
    }
    import_resources(account, account.synth(declare), "Imported", identifiers)
    account.deploy(partial(declare, limit=2))
    assert (queue.limits(), queue.capacity()) == ({"Vision": 2}, 2)
    assert queue.untouched()

    queue.run("Vision", waiting=("v3",))
    account.deploy(partial(declare, limit=1))
    assert account.assessments("Imported")[-1]["verdict"] == "at_risk"
    assert queue.untouched()


def test_a_stack_of_native_resources_gets_a_guard(account: Account) -> None:
    """The same logical ids under our constructs: the guard's first call is a Create, with jobs that run."""

    def by_hand(app: App) -> None:
        stack = Stack(app, "Guarded")
        policy = CfnSchedulingPolicy(
            stack, "ExistingPolicy", quota_share_policy={"idleResourceAssignmentStrategy": "FIFO"}
        )
        limit = CfnServiceEnvironment.CapacityLimitProperty(capacity_unit=G5, max_capacity=3)
        environment = CfnServiceEnvironment(
            stack, "ExistingEnvironment", service_environment_type="SAGEMAKER_TRAINING", capacity_limits=[limit]
        )
        existing = CfnJobQueue(
            stack,
            "ExistingQueue",
            job_queue_type="SAGEMAKER_TRAINING",
            priority=1,
            scheduling_policy_arn=policy.ref,
            service_environment_order=[
                CfnJobQueue.ServiceEnvironmentOrderProperty(order=1, service_environment=environment.ref)
            ],
        )
        for name, count in (("A", 2), ("B", 1)):
            CfnQuotaShare(
                stack,
                f"Existing{name}",
                quota_share_name=name,
                job_queue=existing.attr_job_queue_arn,
                capacity_limits=[CfnQuotaShare.QuotaShareCapacityLimitProperty(capacity_unit=G5, max_capacity=count)],
                resource_sharing_configuration=CfnQuotaShare.QuotaShareResourceSharingConfigurationProperty(
                    strategy="RESERVE"
                ),
                preemption_configuration=CfnQuotaShare.QuotaSharePreemptionConfigurationProperty(
                    in_share_preemption="DISABLED"
                ),
            )

    def guarded(a: int, b: int) -> Callable[[App], None]:
        def declare(app: App) -> None:
            queue = training_queue(Stack(app, "Guarded"), capacity=3)
            made = [
                queue.add_share(name, **share(limit, lifecycle=ShareLifecycle.NATIVE))
                for name, limit in (("A", a), ("B", b))
            ]
            queue.node.default_child.override_logical_id("ExistingQueue")
            queue.node.find_child("ServiceEnvironment").override_logical_id("ExistingEnvironment")
            queue.node.find_child("SchedulingPolicy").override_logical_id("ExistingPolicy")
            for each in made:
                each.node.default_child.override_logical_id(f"Existing{each.quota_share_name}")

        return declare

    account.deploy(by_hand)
    queue = account.queue("Guarded")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))

    blocked = account.deploy(guarded(1, 2), fails=True)
    assert "disruptive" in blocked.text
    assert queue.limits() == {"A": 2, "B": 1}
    account.deploy(guarded(2, 1))
    assert account.queue("Guarded").arn == queue.arn
    assert queue.limits() == {"A": 2, "B": 1}
    assert queue.untouched()


def test_a_native_share_becomes_managed_while_its_jobs_run(account: Account) -> None:
    """One deployment: the managed share under a new id takes over, the native one is retained and forgotten."""
    native = share(2, lifecycle=ShareLifecycle.NATIVE, on_removal=ShareRemoval.RETAIN)
    account.deploy(one_queue("ToManaged", capacity=2, A=native))
    queue = account.queue("ToManaged")
    queue.run("A", "a1", "a2")

    account.deploy(one_queue("ToManaged", capacity=2, ManagedA=share(2, quota_share_name="A", adopt_existing=True)))
    assert account.physical_ids("ToManaged", "AWS::Batch::QuotaShare") == []
    assert account.physical_ids("ToManaged", "Custom::QuotaShare") == [f"{queue.arn}/quota-share/A"]
    account.deploy(one_queue("ToManaged", capacity=3, ManagedA=share(3, quota_share_name="A", adopt_existing=True)))
    assert queue.limits() == {"A": 3}
    assert queue.untouched()


def test_a_managed_share_becomes_native_while_its_jobs_run(account: Account) -> None:
    """Retain it, take it out of the stack, import it as native, deploy: the guard is in front of it again."""
    account.deploy(one_queue("ToNative", capacity=2, A=share(2, on_removal=ShareRemoval.RETAIN)))
    queue = account.queue("ToNative")
    queue.run("A", "a1", "a2")
    account.deploy(one_queue("ToNative", capacity=2))
    assert queue.limits() == {"A": 2}

    native = share(2, quota_share_name="A", lifecycle=ShareLifecycle.NATIVE, on_removal=ShareRemoval.RETAIN)
    app = account.synth(one_queue("ToNative", capacity=2, NativeA=native))
    import_resources(
        account, app, "ToNative", {"AWS::Batch::QuotaShare": {"QuotaShareArn": f"{queue.arn}/quota-share/A"}}
    )
    assert account.physical_ids("ToNative", "AWS::Batch::QuotaShare") == [f"{queue.arn}/quota-share/A"]
    account.deploy(app)
    assert queue.untouched()

    queue.run("A", waiting=("a3",))
    smaller = share(1, quota_share_name="A", lifecycle=ShareLifecycle.NATIVE, on_removal=ShareRemoval.RETAIN)
    account.deploy(one_queue("ToNative", capacity=2, NativeA=smaller))
    assert queue.limits() == {"A": 1}
    assert queue.untouched()
