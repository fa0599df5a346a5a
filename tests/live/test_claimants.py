"""For whom a job is being stopped, where only one can be meant."""

from __future__ import annotations

import pytest

from quota_live.claimants import name_claimants
from quota_scheduler import Job, Share

G5, G6 = "ml.g5.xlarge", "ml.g6.xlarge"
SHARES = {name: Share(name, {G5: 1, G6: 1}, "LEND_AND_BORROW") for name in "ABC"}


def stopping(kind: str) -> Job:
    return Job("victim", "A", {G5: 1}, "RUNNING", stopping_for=kind)


def waiting(name: str, share: str, size: int = 1, unit: str = G5) -> Job:
    return Job(name, share, {unit: size}, "RUNNABLE")


CASES = {
    "the only owner that waits": ("cross-share", [waiting("b", "B")], {"B": "b"}, "b"),
    "two owners wait": ("cross-share", [waiting("b", "B"), waiting("c", "C")], {"B": "b", "C": "c"}, "unknown"),
    "the other one asks for more than it owns": (
        "cross-share",
        [waiting("b", "B"), waiting("c", "C", 2)],
        {"B": "b", "C": "c"},
        "b",
    ),
    "the other one asks for another type": (
        "cross-share",
        [waiting("b", "B"), waiting("c", "C", unit=G6)],
        {"B": "b", "C": "c"},
        "b",
    ),
    "its own share does not count across shares": (
        "cross-share",
        [waiting("a", "A"), waiting("b", "B")],
        {"A": "a", "B": "b"},
        "b",
    ),
    "its own share's front": ("in-share", [waiting("a", "A"), waiting("b", "B")], {"A": "a", "B": "b"}, "a"),
    "nobody waits any more": ("in-share", [], {"A": "gone"}, "unknown"),
    "a new kind, one candidate": ("unknown", [waiting("a", "A")], {"A": "a"}, "a"),
    "a new kind, two candidates": (
        "unknown",
        [waiting("a", "A"), waiting("b", "B")],
        {"A": "a", "B": "b"},
        "unknown",
    ),
}


@pytest.mark.parametrize(("kind", "others", "fronts", "want"), CASES.values(), ids=CASES)
def test_claimants(kind: str, others: list[Job], fronts: dict[str, str], want: str) -> None:
    victim, *rest = name_claimants([stopping(kind), *others], SHARES, fronts)
    assert victim.stopping_for == want
    assert rest == others


def test_an_owner_that_has_its_share_already_claims_nothing() -> None:
    jobs = [stopping("cross-share"), Job("r", "B", {G5: 1}, "RUNNING"), waiting("b", "B")]
    assert name_claimants(jobs, SHARES, {"B": "b"})[0].stopping_for == "unknown"
