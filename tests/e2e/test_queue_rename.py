"""The construct of a queue is renamed: CloudFormation makes another queue, and the jobs of the old one live on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from e2e_support import LiveQueue, one_queue, share

from quota_constructs import ShareRemoval

if TYPE_CHECKING:
    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_renamed_queue_leaves_the_old_one_with_its_jobs_behind(account: Account) -> None:
    """Blocked while shares that are to go have jobs; with shares that stay it passes, and says what stays."""
    account.deploy(one_queue("Moved", capacity=2, A=share(1), B=share(1)))
    old = account.queue("Moved")
    old.run("A", "a1", waiting=("a2",))
    renamed = account.synth(one_queue("Moved", capacity=2, queue_id="Research", A=share(1), B=share(1)))

    blocked = account.deploy(renamed, fails=True)
    assert "destructive" in blocked.text
    assert f"job queue {old.name}" in blocked.text
    assert "stays, outside the stack" in blocked.text
    assert "or with on_removal RETAIN first to leave it there with its jobs" in " ".join(blocked.text.split())
    assert old.untouched()

    retained = share(1, on_removal=ShareRemoval.RETAIN)
    account.deploy(one_queue("Moved", capacity=2, A=retained, B=retained))
    account.deploy(renamed)
    new = account.queue("Moved")
    assert new.arn != old.arn
    assert (new.limits(), new.capacity()) == ({"A": 1, "B": 1}, 2)
    assert (old.limits(), old.capacity()) == ({"A": 1, "B": 1}, 2)
    assert old.statuses() == {"a1": "RUNNING", "a2": "RUNNABLE"}
    assert old.untouched()


def test_a_renamed_queue_that_is_acknowledged_ends_no_job_all_the_same(account: Account) -> None:
    """Whoever acknowledges the worst that the guard can see still has shares that refuse to go while they are busy."""
    account.deploy(one_queue("Forced", capacity=2, A=share(1), B=share(1)))
    old = account.queue("Forced")
    old.run("A", "a1")
    renamed = account.synth(one_queue("Forced", capacity=2, queue_id="Research", A=share(1), B=share(1)))

    blocked = account.deploy(renamed, fails=True)
    account.deploy(renamed, acknowledge=blocked.acknowledgement)
    [new_arn] = set(account.physical_ids("Forced", "AWS::Batch::JobQueue")) - {old.arn}
    assert LiveQueue(account.cloud, new_arn).limits() == {"A": 1, "B": 1}
    assert old.limits() == {"A": 1}
    assert old.untouched()
