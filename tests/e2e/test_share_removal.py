"""Shares leave a stack, or change their name, and no job ends that nobody agreed to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from e2e_support import one_queue, share

from quota_constructs import ShareLifecycle, ShareRemoval, State
from quota_handler.ownership import OWNER_TAG

if TYPE_CHECKING:
    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_share_that_is_renamed_is_a_removal(account: Account) -> None:
    """With jobs in it the rename is blocked before anything changes; idle, it makes the new one and takes the old."""
    account.deploy(one_queue("Rename", capacity=3, A=share(2), B=share(1)))
    queue = account.queue("Rename")
    queue.run("A", "a1")
    queue.run("B", "b1")
    renamed = account.synth(one_queue("Rename", capacity=3, A=share(2, quota_share_name="Research"), B=share(1)))

    blocked = account.deploy(renamed, fails=True)
    assert "destructive" in blocked.text
    assert "a1 (" in blocked.text
    assert "b1 (" not in blocked.text
    assert queue.limits() == {"A": 2, "B": 1}
    assert queue.untouched()

    queue.end("a1")
    queue.wait_until(lambda jobs: jobs["a1"] == "FAILED", "a1 ended")
    account.deploy(renamed)
    assert queue.limits() == {"Research": 2, "B": 1}
    assert queue.statuses()["b1"] == "RUNNING"


def test_a_share_whose_construct_is_renamed_keeps_its_jobs(account: Account) -> None:
    """The same share under another logical id is taken over, and the removal of the old one finds it is not its own."""
    account.deploy(one_queue("Handover", capacity=3, A=share(2), B=share(1)))
    queue = account.queue("Handover")
    queue.run("A", "a1", "a2")
    owner = queue.shares()["A"]["tags"][OWNER_TAG]

    account.deploy(one_queue("Handover", capacity=3, Research=share(2, quota_share_name="A"), B=share(1)))
    assert account.assessments("Handover")[-1]["verdict"] == "safe"
    assert queue.limits() == {"A": 2, "B": 1}
    assert queue.shares()["A"]["tags"][OWNER_TAG] != owner
    assert len(account.physical_ids("Handover", "Custom::QuotaShare")) == 2
    assert queue.untouched()


def test_a_busy_share_is_removed_in_two_deployments_without_ending_a_job(account: Account) -> None:
    """Disabled first, so that nothing new comes; removed when what ran is done. An idle one goes at once."""
    account.deploy(one_queue("Drained", capacity=3, A=share(1), B=share(1), Idle=share(1)))
    queue = account.queue("Drained")
    queue.run("A", "a1")
    queue.run("B", "b1")

    account.deploy(one_queue("Drained", capacity=3, A=share(1), B=share(1, state=State.DISABLED)))
    assert queue.limits() == {"A": 1, "B": 1}
    assert queue.shares()["B"]["state"] == "DISABLED"
    assert queue.untouched()
    queue.end("b1")
    queue.wait_until(lambda jobs: jobs["b1"] == "FAILED", "b1 ended")
    account.deploy(one_queue("Drained", capacity=3, A=share(1)))
    assert queue.limits() == {"A": 1}
    assert [name for name, _ in queue.stops()] == ["b1"]


def test_a_share_that_may_end_its_jobs_ends_those_that_were_named(account: Account) -> None:
    """`on_removal=TERMINATE`, deployed before: blocked with the jobs named, and acknowledged it ends just these."""
    terminate = share(1, on_removal=ShareRemoval.TERMINATE)
    account.deploy(one_queue("Ended", capacity=2, A=share(1), B=terminate))
    queue = account.queue("Ended")
    queue.run("A", "a1")
    queue.run("B", "b1", waiting=("b2",))
    without_b = account.synth(one_queue("Ended", capacity=2, A=share(1)))

    planned = account.plan(without_b, "Ended")
    blocked = account.deploy(without_b, fails=True)
    assert (planned["verdict"], planned["acknowledge"]) == ("destructive", blocked.acknowledgement)
    assert len(planned["terminated"]) == 2
    assert all(f"{name} (" in blocked.text for name in ("b1", "b2"))
    assert queue.untouched()

    account.deploy(without_b, acknowledge=blocked.acknowledgement)
    assert queue.limits() == {"A": 1}
    assert {name for name, _ in queue.stops()} == {"b1", "b2"}
    assert queue.statuses()["a1"] == "RUNNING"


def test_native_shares_have_the_same_guard(account: Account) -> None:
    """CloudFormation's own type: cut and removal are blocked while jobs run; removed when idle."""
    native = ShareLifecycle.NATIVE
    account.deploy(one_queue("Native", capacity=3, A=share(2, lifecycle=native), B=share(1, lifecycle=native)))
    queue = account.queue("Native")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))
    assert len(account.physical_ids("Native", "AWS::Batch::QuotaShare")) == 2

    blocked = account.deploy(
        one_queue("Native", capacity=3, A=share(1, lifecycle=native), B=share(2, lifecycle=native)), fails=True
    )
    assert "disruptive" in blocked.text
    without_b = account.synth(one_queue("Native", capacity=3, A=share(2, lifecycle=native)))
    blocked = account.deploy(without_b, fails=True)
    assert "destructive" in blocked.text
    assert queue.limits() == {"A": 2, "B": 1}
    assert queue.untouched()

    queue.end("b1", "b2")
    queue.wait_until(lambda jobs: (jobs["b1"], jobs["b2"]) == ("FAILED", "FAILED"), "the jobs of B ended")
    account.deploy(without_b)
    assert queue.limits() == {"A": 2}
    assert {queue.statuses()[name] for name in ("a1", "a2")} == {"RUNNING"}


def test_a_stack_with_running_jobs_refuses_to_be_destroyed(account: Account) -> None:
    """No guard is asked when a stack goes; each managed share looks for itself."""
    app = account.synth(one_queue("Busy", capacity=2, A=share(1), B=share(1)))
    account.deploy(app)
    queue = account.queue("Busy")
    queue.run("A", "a1")

    refused = account.destroy(app, fails=True)
    assert "share A" in refused.text
    assert "a1" in refused.text
    assert account.status("Busy") == "DELETE_FAILED"
    assert queue.limits() == {"A": 1}
    assert queue.untouched()
