"""Something else in the stack fails after the shares were changed: everything goes back while the jobs run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aws_cdk import App, CfnResource, Stack
from e2e_support import G5, share, training_queue

from quota_constructs import QuotaManagedQueue, QuotaShare
from quota_handler.ownership import OWNER_TAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def app_with(
    stack_name: str, *, limit: int, capacity: int, share_id: str = "A", is_broken: bool = False
) -> Callable[[App], None]:
    """A queue with share A; when broken also a new share, and at the end a resource that cannot be made."""

    def declare(app: App) -> None:
        stack = Stack(app, stack_name)
        queue = training_queue(stack, capacity=capacity)
        last = queue.add_share(share_id, **share(limit, quota_share_name="A"))
        if is_broken:
            last = queue.add_share("New", **share(1))
            fail_after(stack, last)

    return declare


def fail_after(stack: Stack, last: QuotaShare) -> None:
    """Add what the service refuses, to be made after a share."""
    broken = CfnResource(stack, "Broken", type="AWS::Batch::SchedulingPolicy", properties={"Name": "no spaces please"})
    broken.node.add_dependency(last)


def test_a_later_failure_takes_every_change_back_while_jobs_run(account: Account) -> None:
    """A raise of the environment, a cut of a busy share and a new share: undone in the rollback, and no job notices."""
    account.deploy(app_with("Later", limit=2, capacity=2))
    queue = account.queue("Later")
    queue.run("A", "a1", "a2")

    failed = account.deploy(app_with("Later", limit=1, capacity=3, is_broken=True), fails=True)
    assert "Broken" in failed.text
    assert account.status("Later") == "UPDATE_ROLLBACK_COMPLETE"
    assert (queue.limits(), queue.capacity()) == ({"A": 2}, 2)
    assert queue.untouched()

    account.deploy(app_with("Later", limit=2, capacity=3))
    assert (queue.limits(), queue.capacity()) == ({"A": 2}, 3)
    assert queue.untouched()


def test_a_renamed_construct_gives_its_share_back_when_something_fails(account: Account) -> None:
    """The old logical id owns the share again, and the next try takes it over."""
    account.deploy(app_with("Renamed", limit=2, capacity=3))
    queue = account.queue("Renamed")
    queue.run("A", "a1", "a2")
    owner = queue.shares()["A"]["tags"][OWNER_TAG]

    account.deploy(app_with("Renamed", limit=2, capacity=3, share_id="Other", is_broken=True), fails=True)
    assert queue.shares()["A"]["tags"][OWNER_TAG] == owner
    account.deploy(app_with("Renamed", limit=2, capacity=3, share_id="Other"))
    assert queue.shares()["A"]["tags"][OWNER_TAG] != owner
    assert queue.limits() == {"A": 2}
    assert queue.untouched()


def test_an_adopted_share_is_given_back_when_its_new_stack_fails(account: Account) -> None:
    """The share goes back to the stack it came from, as it was."""
    account.deploy(app_with("Giver", limit=2, capacity=2))
    queue = account.queue("Giver")
    queue.run("A", "a1", "a2")
    before = queue.shares()["A"]

    def taker(app: App) -> None:
        stack = Stack(app, "Taker")
        imported = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", queue.arn)
        fail_after(stack, QuotaShare(stack, "A", queue=imported, capacity_limits={G5: 1}, adopt_existing=True))

    failed = account.deploy(taker, fails=True)
    assert "Broken" in failed.text
    after = queue.shares()["A"]
    assert after["tags"].items() <= before["tags"].items()
    assert after["tags"][OWNER_TAG].startswith(f"{account.stack_id('Giver')}/")
    assert {**after, "tags": {}} == {**before, "tags": {}}
    assert queue.untouched()
