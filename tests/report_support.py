"""The changes of the walkthrough, as a report gets them, and a queue as large as they come."""

from __future__ import annotations

from typing import Any

from cli_support import AT, TYPE, job, share, state, walkthrough

from quota_constructs.report.assessed import Assessed
from quota_constructs.report.verdicts import BLOCKED
from quota_scheduler import assess, parse_change, parse_state


def assessed(document: dict[str, Any], change: dict[str, Any], **more: Any) -> Assessed:
    """A state and a change, assessed, the way `plan` passes them on."""
    before = parse_state(document)
    wanted = parse_change(change, before)
    outcome = assess(before, wanted)
    acknowledge = outcome.acknowledge if outcome.verdict in BLOCKED else ""
    return Assessed(outcome, before, wanted, stack="Demo", label="Demo/Training", acknowledge=acknowledge, **more)


def with_owner_waiting() -> dict[str, Any]:
    """The walkthrough, when a job of QS1 waits to run beside two that borrow."""
    document = walkthrough()
    document["jobs"].append(job("report", "QS3", "RUNNABLE", name="report", owner="erin"))
    return document


DEMO = {
    "raise": (walkthrough(), {"environment": {TYPE: 5}, "shares": {"QS1": {"limits": {TYPE: 3}}}}, "safe"),
    "cut-with-warning": (
        {**walkthrough(), "shares": {**walkthrough()["shares"], "QS1": share(2, "LEND")}, "environment": {TYPE: 4}},
        {"shares": {"QS1": {"limits": {TYPE: 1}}}},
        "at_risk",
    ),
    "cut-blocked": (
        {
            **walkthrough(),
            "environment": {TYPE: 3},
            "shares": {"QS1": share(2, in_share_preemption=True), "QS2": share(1)},
            "jobs": [
                job("high", "QS1", priority=3, owner="alice", name="llm-pretrain", expected_end="2026-11-29T15:00:00Z"),
                job("med", "QS1", priority=2, owner="bob", name="resnet <script>alert(1)</script>"),
                job("own", "QS2", owner="dan", name="eval"),
                job("asks", "QS2", "RUNNABLE", owner="dan", name="eval-next"),
            ],
        },
        {"shares": {"QS1": {"limits": {TYPE: 1}}, "QS2": {"limits": {TYPE: 2}}}},
        "disruptive",
    ),
    "busy-share-removed": (walkthrough(), {"shares": {"QS1": None}}, "destructive"),
}
"""The changes of the walkthrough with the verdict each one gets."""


_STS = "arn:aws:sts::111122223333:assumed-role/"


def realistic() -> dict[str, Any]:
    """A queue with names as people give them, long and different at the end or in the middle, and large numbers."""
    europe, speech = "foundation-models-pretraining-europe", "speech-recognition-and-synthesis-research-team"
    pretraining = [
        job(
            f"{number:08x}-1111-2222-3333-444455556666",
            europe,
            uses=4_000 if number else 1_000,
            name=f"llama_pretraining_run_with_{number}_{'and_a_tail_' * 8}",
            owner=f"{_STS}DataScience/{person}@example.com",
            expected_end=None if number else "2026-12-20T00:00:00Z",
        )
        for number, person in enumerate(("ann", "bob", "carol"))
    ]
    waits = job("asr", speech, "RUNNABLE", 5_000, name="asr-run", owner="arn:aws:iam::111122223333:role/speech/erin")
    shares = {europe: share(8_000, "LEND_AND_BORROW", in_share_preemption=True), speech: share(4_000)}
    return state(shares, [*pretraining, waits], environment=12_000)


def realistic_change() -> dict[str, Any]:
    """Move a quarter of the first share to the second."""
    limits = {"foundation-models-pretraining-europe": 6_000, "speech-recognition-and-synthesis-research-team": 6_000}
    return {"shares": {name: {"limits": {TYPE: limit}} for name, limit in limits.items()}}


def crowded(running: int = 2000, waiting: int = 50) -> dict[str, Any]:
    """A queue of 20 shares whose running jobs all come to be above their limits by `crowded_change`."""
    shares = {f"team-{number:02d}": share(running // 20) for number in range(20)}
    jobs = [
        job(
            f"{number:08x}-0000-4000-8000-{number:012x}",
            f"team-{number % 20:02d}",
            name=f"training-run-with-a-telling-name-{number}",
            owner=f"person-{number % 50}@example.com",
            expected_end="2026-11-30T00:00:00Z" if number % 3 else None,
        )
        for number in range(running)
    ]
    jobs += [job(f"w{number}", f"team-{number % 20:02d}", "RUNNABLE") for number in range(waiting)]
    return state(shares, jobs, environment=running)


def crowded_change() -> dict[str, Any]:
    """Halve every share."""
    return {"shares": {f"team-{number:02d}": {"limits": {TYPE: 50}} for number in range(20)}}


__all__ = ["AT", "DEMO", "assessed", "crowded", "crowded_change", "realistic", "realistic_change"]
