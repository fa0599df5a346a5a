"""A change set is prepared, planned, and executed later by somebody else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from e2e_support import one_queue, share

if TYPE_CHECKING:
    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_prepared_change_set_is_planned_as_the_guard_sees_it(account: Account) -> None:
    account.deploy(one_queue("Prepared", capacity=3, A=share(2), B=share(1)))
    queue = account.queue("Prepared")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))

    cut = account.synth(one_queue("Prepared", capacity=3, A=share(1), B=share(2)))
    account.run(
        *("cdk", "deploy", "Prepared", "--app", str(cut), "--require-approval", "never"),
        *("--method", "prepare-change-set", "--change-set-name", "reviewed"),
    )
    planned = plan_of_change_set(account, "Prepared", "reviewed")
    assert planned["verdict"] == "disruptive"
    assert queue.limits() == {"A": 2, "B": 1}

    account.run("cdk", "deploy", "Prepared", "--app", str(cut), "--method", "execute-change-set",
                "--change-set-name", "reviewed", fails=True)  # fmt: skip
    assert account.assessments("Prepared")[-1]["acknowledge"] == planned["acknowledge"]
    assert account.status("Prepared") == "UPDATE_ROLLBACK_COMPLETE"
    assert queue.untouched()


def plan_of_change_set(account: Account, stack: str, change_set: str) -> dict[str, Any]:
    output = account.folder / "change-set.json"
    words = ("--stack", stack, "--change-set", change_set, "--format", "json", "--fail-on", "never")
    account.run("batch-quota", "plan", *words, "-o", str(output))
    [plan] = json.loads(output.read_text())["plans"]
    assessment: dict[str, Any] = plan["assessment"]
    return assessment
