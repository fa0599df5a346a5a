"""Stacks that are built or deployed in other ways: nested, several queues in one, without a rollback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aws_cdk import App, NestedStack, Stack
from e2e_support import LiveQueue, one_queue, share, training_queue

if TYPE_CHECKING:
    from collections.abc import Callable

    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_queue_in_a_nested_stack_is_deployed_and_planned(account: Account) -> None:
    """The local cloud makes nested stacks but cannot update them; the plan of an update sees the live queue."""

    def nested(a: int, b: int) -> Callable[[App], None]:
        def declare(app: App) -> None:
            inner = NestedStack(Stack(app, "Outer"), "Inner")
            queue = training_queue(inner, capacity=3)
            queue.add_share("A", **share(a))
            queue.add_share("B", **share(b))

        return declare

    account.deploy(nested(2, 1))
    [inner] = account.physical_ids("Outer", "AWS::CloudFormation::Stack")
    queue = account.queue(inner)
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))
    assert account.assessments(inner)[0]["verdict"] == "safe"
    assert account.plan(account.synth(nested(1, 2)), "*")["verdict"] == "disruptive"


def test_two_queues_of_a_stack_have_one_guard_that_names_the_one_at_risk(account: Account) -> None:
    """What is blocked for one queue is blocked for both: nothing of the deployment is made."""

    def pair(first: int, second: int) -> Callable[[App], None]:
        def declare(app: App) -> None:
            stack = Stack(app, "Pair")
            for name, limit in (("First", first), ("Second", second)):
                queue = training_queue(stack, name, capacity=3)
                queue.add_share(f"{name}A", **share(limit))
                queue.add_share(f"{name}B", **share(3 - limit))

        return declare

    account.deploy(pair(2, 2))
    arns = account.physical_ids("Pair", "AWS::Batch::JobQueue")
    queues = {name: next(arn for arn in arns if name in arn) for name in ("First", "Second")}
    first, second = (LiveQueue(account.cloud, queues[name]) for name in ("First", "Second"))
    first.run("FirstA", "a1", "a2", waiting=("a3",))
    first.run("FirstB", "b1", waiting=("b2",))

    blocked = account.deploy(pair(1, 1), fails=True)
    assert first.name in blocked.text
    assert (first.limits(), second.limits()) == ({"FirstA": 2, "FirstB": 1}, {"SecondA": 2, "SecondB": 1})
    assert first.untouched()
    account.deploy(pair(2, 1))
    assert (first.limits(), second.limits()) == ({"FirstA": 2, "FirstB": 1}, {"SecondA": 1, "SecondB": 2})
    assert first.untouched()


def test_without_a_rollback_a_blocked_deployment_stops_where_it_is(account: Account) -> None:
    """The stack stays failed with nothing changed; the same deployment, acknowledged, goes on from there."""
    account.deploy(one_queue("Forward", capacity=3, A=share(2), B=share(1)))
    queue = account.queue("Forward")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))

    cut = account.synth(one_queue("Forward", capacity=3, A=share(1), B=share(2)))
    blocked = account.deploy(cut, options=("--no-rollback",), fails=True)
    assert account.status("Forward") == "UPDATE_FAILED"
    assert queue.limits() == {"A": 2, "B": 1}
    assert queue.untouched()
    account.deploy(cut, options=("--no-rollback",), acknowledge=blocked.acknowledgement)
    assert queue.limits() == {"A": 1, "B": 2}
    queue.wait_for(running=("b1", "b2"))
