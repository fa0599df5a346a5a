"""One queue, two stacks: the platform's with the environment, a team's with a share; each deploys by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aws_cdk import App, Stack
from e2e_support import G5, one_queue, share, training_queue

from quota_constructs import QuotaManagedQueue, QuotaShare

if TYPE_CHECKING:
    from collections.abc import Callable

    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def team(stack_name: str, queue_arn: str, limit: int) -> Callable[[App], None]:
    """A team's own app: a share on a queue that it knows by its ARN."""

    def declare(app: App) -> None:
        stack = Stack(app, stack_name)
        queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", queue_arn)
        QuotaShare(stack, "Vision", queue=queue, capacity_limits={G5: limit})

    return declare


def test_a_cut_and_a_raise_that_need_two_stacks_in_either_order(account: Account) -> None:
    """The order that breaks a rule on the way is blocked and changes nothing; the other one passes."""
    account.deploy(one_queue("Platform", capacity=4, Research=share(2)))
    queue = account.queue("Platform")
    account.deploy(team("TeamVision", queue.arn, 2))
    queue.run("Research", "r1", "r2")
    queue.run("Vision", "v1", "v2")

    cut = account.synth(one_queue("Platform", capacity=3, Research=share(2)))
    blocked = account.deploy(cut, fails=True)
    assert "invalid" in blocked.text
    assert "QS" in blocked.text
    warned = account.deploy(team("TeamVision", queue.arn, 1))
    account.deploy(cut)
    assert (queue.limits(), queue.capacity()) == ({"Research": 2, "Vision": 1}, 3)

    blocked = account.deploy(team("TeamVision", queue.arn, 2), fails=True)
    assert "invalid" in blocked.text
    assert (queue.limits(), queue.capacity()) == ({"Research": 2, "Vision": 1}, 3)
    account.deploy(one_queue("Platform", capacity=4, Research=share(2)))
    account.deploy(team("TeamVision", queue.arn, 2))
    assert (queue.limits(), queue.capacity()) == ({"Research": 2, "Vision": 2}, 4)
    assert queue.untouched(), warned.text


def test_two_stacks_of_one_app_deployed_together(account: Account) -> None:
    """The share's stack gets the queue from the other stack; a busy share keeps its stack from being destroyed."""

    def declare(app: App) -> None:
        platform, vision = Stack(app, "SharedPlatform"), Stack(app, "SharedVision")
        queue = training_queue(platform, capacity=2)
        queue.add_share("Research", **share(1))
        QuotaShare(vision, "Vision", queue=queue, capacity_limits={G5: 1})

    app = account.synth(declare)
    account.deploy(app)
    queue = account.queue("SharedPlatform")
    assert queue.limits() == {"Research": 1, "Vision": 1}
    queue.run("Vision", "v1")

    refused = account.destroy(app, "SharedVision", fails=True)
    assert "share Vision" in refused.text
    assert queue.limits() == {"Research": 1, "Vision": 1}
    assert queue.untouched()
