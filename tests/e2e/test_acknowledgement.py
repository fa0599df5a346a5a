"""An acknowledgement is for one change and for what it may stop at that time; plan and guard name the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from e2e_support import one_queue, share

if TYPE_CHECKING:
    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ANSWER = ("acknowledge", "verdict", "eligible", "possible", "certain", "newly_eligible", "newly_possible", "starts")


def test_an_acknowledgement_is_stale_once_more_jobs_may_be_stopped(account: Account) -> None:
    """Blocked, with what to acknowledge; blocked again with something new when more work waits; then it passes."""
    account.deploy(one_queue("Stale", capacity=4, A=share(3), B=share(1)))
    queue = account.queue("Stale")
    queue.run("A", "a1", "a2", "a3")
    queue.run("B", "b1", waiting=("b2",))
    cut = account.synth(one_queue("Stale", capacity=4, A=share(1), B=share(3)))

    planned = account.plan(cut, "Stale")
    first = account.deploy(cut, fails=True)
    assert answer(planned) == answer(account.assessments("Stale")[-1])
    assert first.acknowledgement == planned["acknowledge"]
    assert first.acknowledgement.endswith("-1-1")

    queue.run("B", waiting=("b3",))
    planned = account.plan(cut, "Stale")
    second = account.deploy(cut, acknowledge=first.acknowledgement, fails=True)
    assert answer(planned) == answer(account.assessments("Stale")[-1])
    assert second.acknowledgement == planned["acknowledge"]
    assert second.acknowledgement == first.acknowledgement.replace("-1-1", "-2-1")
    assert account.status("Stale") == "UPDATE_ROLLBACK_COMPLETE"
    assert queue.limits() == {"A": 3, "B": 1}
    assert queue.untouched()

    account.deploy(cut, acknowledge=f"{first.acknowledgement},{second.acknowledgement}")
    queue.wait_for(running=("b1", "b2", "b3"))
    stopped = {name for name, _ in queue.stops()}
    assert len(stopped) == 2
    assert stopped < {"a1", "a2", "a3"}


def answer(assessment: dict[str, Any]) -> dict[str, Any]:
    """What plan and guard must agree on whatever the second in which they look."""
    return {name: assessment[name] for name in ANSWER} | {
        "jobs": {job: (entry["share"], entry["risk"], entry["newly"]) for job, entry in assessment["jobs"].items()}
    }
