"""The proposal document, read; and what it does to a live queue."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from quota_scheduler import DocumentError, QueueState, Share
from quota_scheduler.proposal import (
    CapacityLimit,
    EnvironmentDeclaration,
    Proposal,
    QueueDeclaration,
    QueueProposal,
    SchedulingPolicyDeclaration,
    ShareDeclaration,
    UnknownVersionError,
    change_for,
    drift_of,
    parse_proposal,
)
from quota_scheduler.state import TimeLimitAction

G5, P4 = "ml.g5.xlarge", "ml.p4d.24xlarge"

WHOLE = {
    "version": 1,
    "queues": [
        {
            "path": "ml/Training",
            "queue": {"logicalId": "Q", "name": None, "arn": None, "state": "ENABLED", "removalPolicy": "RETAIN"},
            "environment": {
                "logicalId": "E",
                "name": "gpus",
                "state": "ENABLED",
                "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 3}],
                "removalPolicy": "RETAIN",
            },
            "schedulingPolicy": {"logicalId": "P", "name": None},
            "jobStateTimeLimitActions": [
                {"reason": "R", "state": "RUNNABLE", "maxTimeSeconds": 600, "action": "TERMINATE"}
            ],
            "allowOversubscription": False,
            "shares": [
                {
                    "path": "ml/Training/A",
                    "logicalId": "A",
                    "name": "A",
                    "capacityLimits": [{"capacityUnit": G5, "maxCapacity": 1}, {"capacityUnit": G5, "maxCapacity": 2}],
                    "resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW", "borrowLimit": 200},
                    "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
                    "state": "ENABLED",
                    "lifecycle": "NATIVE",
                    "onRemoval": "TERMINATE",
                }
            ],
        }
    ],
    "unguarded": ["Raw"],
}


def test_a_whole_document_is_read_as_declared() -> None:
    want = Proposal(
        (
            QueueProposal(
                "ml/Training",
                QueueDeclaration("Q", None, None, "ENABLED", "RETAIN"),
                EnvironmentDeclaration("E", "gpus", "ENABLED", (CapacityLimit(G5, 3),)),
                SchedulingPolicyDeclaration("P", None),
                (TimeLimitAction("R", 600, "TERMINATE"),),
                False,
                (
                    ShareDeclaration(
                        "ml/Training/A",
                        "A",
                        "A",
                        (CapacityLimit(G5, 1), CapacityLimit(G5, 2)),
                        "LEND_AND_BORROW",
                        200,
                        True,
                        "ENABLED",
                        "NATIVE",
                        "TERMINATE",
                    ),
                ),
            ),
        ),
        ("Raw",),
    )
    assert parse_proposal(json.dumps(WHOLE)) == parse_proposal(WHOLE) == want


def test_an_imported_queue_has_only_an_arn() -> None:
    arn = "arn:aws:batch:eu-west-1:000000000000:job-queue/training"
    (queue,) = parse_proposal(
        {"version": 1, "queues": [{"path": "p", "queue": {"arn": arn}, "environment": None, "shares": []}]}
    ).queues
    assert queue.is_imported
    assert (queue.queue.logical_id, queue.environment, queue.shares) == (None, None, ())


def changed(path: str, value: object) -> dict[str, Any]:
    """The whole document with one member replaced; `path` is dotted, numbers are places in lists."""
    document = json.loads(json.dumps(WHOLE))
    at: Any = document
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parents:
        at = at[part]
    at[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        ("queues", {}, "$.queues: must be a list, got an object"),
        ("queues.0", 3, "$.queues[0]: must be an object, got 3"),
        ("queues.0.path", "", "$.queues[0].path: must not be empty"),
        ("queues.0.colour", "red", "$.queues[0].colour: unknown member"),
        ("queues.0.queue", {"name": "x"}, "$.queues[0].queue: needs logicalId, or arn for an imported queue"),
        ("queues.0.queue.state", "ON", '$.queues[0].queue.state: must be one of ENABLED, DISABLED, got "ON"'),
        ("queues.0.queue.removalPolicy", "KEEP", "$.queues[0].queue.removalPolicy: must be one of DESTROY, RETAIN"),
        ("queues.0.environment", [], "$.queues[0].environment: must be an object, got a list"),
        ("queues.0.environment.capacityLimits.0", {}, "member capacityUnit is missing"),
        ("queues.0.environment.capacityLimits.0.maxCapacity", 1.5, "maxCapacity: must be a whole number, got 1.5"),
        ("queues.0.shares.0.capacityLimits.0.maxCapacity", "many", 'maxCapacity: must be a whole number, got "many"'),
        ("queues.0.shares.0.capacityLimits.0.maxCapacity", "9" * 5000, "maxCapacity: must be a whole number"),
        ("queues.0.shares.0.resourceSharingConfiguration", {}, "member strategy is missing"),
        ("queues.0.shares.0.resourceSharingConfiguration.strategy", "BORROW", "must be one of RESERVE, LEND"),
        ("queues.0.shares.0.resourceSharingConfiguration.borrowLimit", -2, "borrowLimit: must be -1 to"),
        (
            "queues.0.shares.0.preemptionConfiguration.inSharePreemption",
            True,
            "must be one of ENABLED, DISABLED, got true",
        ),
        ("queues.0.shares.0.lifecycle", "OTHER", "must be one of MANAGED, NATIVE"),
        ("queues.0.shares.0.onRemoval", "DELETE", "must be one of REFUSE_IF_BUSY, TERMINATE, RETAIN"),
        ("queues.0.jobStateTimeLimitActions.0", {"reason": "R"}, "member maxTimeSeconds is missing"),
        ("queues.0.allowOversubscription", "perhaps", "must be true or false"),
        ("unguarded", [1], "$.unguarded[0]: must be a string, got 1"),
    ],
    ids=str,
)
def test_fails_with_the_path(path: str, value: object, want: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_proposal(changed(path, value))
    assert want in str(caught.value)


def test_fails_with_all_problems_at_once() -> None:
    document = changed("queues.0.shares.0.lifecycle", "OTHER")
    document["queues"][0]["queue"]["state"] = "ON"
    document["extra"] = 1
    with pytest.raises(DocumentError) as caught:
        parse_proposal(document)
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '"x"', "[" * 100_000], ids=lambda text: text[:5])
def test_fails_for_what_is_no_document(text: str) -> None:
    with pytest.raises(DocumentError):
        parse_proposal(text)


@pytest.mark.parametrize("version", [2, 0, "2", None, True, 1.0, [1]], ids=str)
def test_another_version_is_an_error_of_its_own(version: object) -> None:
    with pytest.raises(UnknownVersionError) as caught:
        parse_proposal({"version": version, "queues": 17, "new member": 1})
    assert caught.value.version == version
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_deploy_time_numbers_and_flags_are_text() -> None:
    document = changed("queues.0.environment.capacityLimits.0.maxCapacity", "12")
    document["queues"][0]["shares"][0]["resourceSharingConfiguration"]["borrowLimit"] = "-1"
    document["queues"][0]["allowOversubscription"] = "true"
    document["version"] = "1"
    (queue,) = parse_proposal(document).queues
    assert (queue.environment.limits, queue.allow_oversubscription) == ({G5: 12}, True)
    assert queue.shares[0].borrow_limit_percent == -1


def share(name: str, limit: int = 1, **more: Any) -> ShareDeclaration:
    members = {
        "strategy": "LEND",
        "borrow_limit_percent": None,
        "in_share_preemption": False,
        "state": "ENABLED",
        "lifecycle": "MANAGED",
        "on_removal": "REFUSE_IF_BUSY",
        "logical_id": name,
    } | more
    return ShareDeclaration(path=name, name=name, capacity_limits=(CapacityLimit(G5, limit),), **members)


def queue(*shares: ShareDeclaration, environment: int | None = 4) -> QueueProposal:
    limits = None
    if environment is not None:
        limits = EnvironmentDeclaration("E", None, "ENABLED", (CapacityLimit(G5, environment),))
    return QueueProposal("q", QueueDeclaration("Q"), limits, None, (), False, shares)


def live(environment: int = 4, **limits: int) -> QueueState:
    shares = {name: Share(name, {G5: limit}, "LEND") for name, limit in limits.items()}
    return QueueState(0, {G5: environment}, shares, ())


NEW_SHARE = {"limits": {G5: 1}, "strategy": "LEND", "in_share_preemption": False, "state": "ENABLED"}

CHANGES = {
    "nothing differs": (queue(share("A")), queue(share("A")), live(A=1), (), {}),
    "an unchanged share keeps what is live": (queue(share("A")), queue(share("A")), live(A=3), (), {}),
    "nobody knows what was before": (None, queue(share("A")), live(A=3), (), {"shares": {"A": {"limits": {G5: 1}}}}),
    "what is live already is no change": (queue(share("A", 2)), queue(share("A")), live(A=1), (), {}),
    "a share changes": (
        queue(share("A", 2)),
        queue(share("A")),
        live(A=2),
        (),
        {"shares": {"A": {"limits": {G5: 1}}}},
    ),
    "a change of one member puts the others right": (
        queue(share("A", 2)),
        queue(share("A", 2, state="DISABLED")),
        live(A=3),
        (),
        {"shares": {"A": {"limits": {G5: 2}, "state": "DISABLED"}}},
    ),
    "a strategy with a borrow limit": (
        queue(share("A")),
        queue(share("A", strategy="LEND_AND_BORROW", borrow_limit_percent=50)),
        live(A=1),
        (),
        {"shares": {"A": {"strategy": "LEND_AND_BORROW", "borrow_limit_percent": 50}}},
    ),
    "a strategy without one is unlimited": (
        queue(share("A")),
        queue(share("A", strategy="LEND_AND_BORROW")),
        live(A=1),
        (),
        {"shares": {"A": {"strategy": "LEND_AND_BORROW", "borrow_limit_percent": -1}}},
    ),
    "a new share is whole": (queue(), queue(share("A")), live(), (), {"shares": {"A": NEW_SHARE}}),
    "a renamed construct is applied": (
        queue(share("A", 2)),
        queue(share("A", 2, logical_id="A2")),
        live(A=3),
        (),
        {"shares": {"A": {"limits": {G5: 2}}}},
    ),
    "the environment changes": (
        queue(environment=4),
        queue(environment=3),
        live(4),
        (),
        {"environment": {G5: 3}},
    ),
    "the environment is unchanged": (queue(environment=4), queue(environment=4), live(9), (), {}),
    "the environment of an imported queue": (queue(environment=None), queue(environment=None), live(9), (), {}),
    "a share is removed": (queue(share("A")), queue(), live(A=1), ("A",), {"shares": {"A": None}}),
    "a removed share that is not there": (queue(share("A")), queue(), live(), ("A",), {}),
}


@pytest.mark.parametrize(("old", "new", "state", "removed", "want"), CHANGES.values(), ids=CHANGES)
def test_a_change_has_what_differs_and_nothing_else(
    old: QueueProposal | None, new: QueueProposal, state: QueueState, removed: tuple[str, ...], want: dict[str, Any]
) -> None:
    before = state.to_dict()
    assert change_for(old, new, state, removed).to_dict() == want
    assert state.to_dict() == before


def test_drift_is_what_is_unchanged_and_not_as_declared() -> None:
    declared = queue(share("A", 2, in_share_preemption=True), share("B"), share("C"))
    assert drift_of(declared, declared, live(5, A=3, C=1)) == (
        ("environment", f"declared 4 {G5}, live 5 {G5}"),
        ("shares.A.limits", f"declared 2 {G5}, live 3 {G5}"),
        ("shares.A.in_share_preemption", "declared true, live false"),
        ("shares.B", "declared, but not on the queue"),
    )
    assert drift_of(None, declared, live(5, A=3)) == ()
    assert drift_of(queue(), declared, live(4, A=3)) == ()
