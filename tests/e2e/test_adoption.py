"""Taking over what exists, and moving a share between the two lifecycles, while its jobs run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from aws_cdk import App, Stack
from e2e_support import G5, LiveQueue, one_queue, share
from local_support import RESERVE, Queue, control

from quota_constructs import QuotaManagedQueue, ShareLifecycle, ShareRemoval

if TYPE_CHECKING:
    from collections.abc import Callable

    from e2e_support import Account

    from quota_constructs.local import LocalCloud

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


class Console:
    """Somebody's hands: the account without CloudFormation."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.client = cloud.client("batch")
        self._endpoint_url = cloud.endpoint_url

    def advance(self, seconds: float) -> None:
        control(self._endpoint_url, "POST", "advance", {"seconds": seconds})


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
    template = json.loads((app / "ToNative.template.json").read_text())
    [logical_id] = [name for name, made in template["Resources"].items() if made["Type"] == "AWS::Batch::QuotaShare"]
    mapping = account.folder / "mapping.json"
    mapping.write_text(json.dumps({logical_id: {"QuotaShareArn": f"{queue.arn}/quota-share/A"}}))
    account.run("cdk", "import", "ToNative", "--app", str(app), "--force", "--resource-mapping", str(mapping))
    assert account.physical_ids("ToNative", "AWS::Batch::QuotaShare") == [f"{queue.arn}/quota-share/A"]
    account.deploy(app)
    assert queue.untouched()

    queue.run("A", waiting=("a3",))
    smaller = share(1, quota_share_name="A", lifecycle=ShareLifecycle.NATIVE, on_removal=ShareRemoval.RETAIN)
    account.deploy(one_queue("ToNative", capacity=2, NativeA=smaller))
    assert queue.limits() == {"A": 1}
    assert queue.untouched()
