"""Which live queue is meant, and what goes: proposals and a stack's resources in, targets out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quota_live.stack import StackResource
from quota_live.targets import QueueTarget, Removal, find_targets
from quota_scheduler.proposal import Proposal, parse_proposal

ARN = "arn:aws:batch:eu-west-1:000000000000:job-queue/"


def proposal(*queues: dict[str, Any], unguarded: tuple[str, ...] = ()) -> Proposal:
    return parse_proposal(json.dumps({"version": 1, "queues": queues, "unguarded": list(unguarded)}))


def queue(logical_id: str = "Q", shares: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    declared: dict[str, Any] = {"logicalId": logical_id, "name": more.get("name")}
    if "policy" in more:
        declared["removalPolicy"] = more["policy"]
    if "arn" in more:
        declared = {"arn": more["arn"]}
    entries = []
    for share_id, given in (shares or {}).items():
        name, on_removal = given if isinstance(given, tuple) else (given, "REFUSE_IF_BUSY")
        entries.append(
            {
                "path": share_id,
                "logicalId": share_id,
                "name": name,
                "capacityLimits": [],
                "resourceSharingConfiguration": {"strategy": "LEND"},
                "onRemoval": on_removal,
            }
        )
    return {"path": f"path of {more.get('arn', logical_id)}", "queue": declared, "shares": entries}


def live(queues: dict[str, str] | None = None, shares: dict[str, str] | None = None, native: bool = False):
    share_type = "AWS::Batch::QuotaShare" if native else "Custom::QuotaShare"
    return (
        *(StackResource(key, "AWS::Batch::JobQueue", ARN + name) for key, name in (queues or {}).items()),
        *(
            StackResource(key, share_type, f"{ARN}{home.split('/')[0]}/quota-share/{home.split('/')[1]}")
            for key, home in (shares or {}).items()
        ),
    )


def told(targets: tuple[QueueTarget, ...]) -> list[tuple[Any, ...]]:
    return [
        (
            target.label,
            (target.queue_arn or "").removeprefix(ARN) or None,
            target.new is not None,
            target.old is not None,
            [removal.share for removal in target.removals],
            target.is_deleted,
        )
        for target in targets
    ]


ONE = queue(shares={"A": "A", "B": "B"})
STACK = live({"Q": "train"}, {"A": "train/A", "B": "train/B"})

CASES = {
    "first deployment": ((ONE,), None, (), [("path of Q", None, True, False, [], False)]),
    "nothing changes": ((ONE,), (ONE,), STACK, [("path of Q", "train", True, True, [], False)]),
    "guard is new, stack is live": ((ONE,), None, STACK, [("path of Q", "train", True, False, [], False)]),
    "a share goes": ((queue(shares={"A": "A"}),), (ONE,), STACK, [("path of Q", "train", True, True, ["B"], False)]),
    "a share goes and nobody knows what was before": (
        (queue(shares={"A": "A"}),),
        None,
        STACK,
        [("path of Q", "train", True, False, ["B"], False)],
    ),
    "a share is renamed": (
        (queue(shares={"A": "A9", "B": "B"}),),
        (ONE,),
        STACK,
        [("path of Q", "train", True, True, ["A"], False)],
    ),
    "a construct is renamed": (
        (queue(shares={"New": "A", "B": "B"}),),
        (ONE,),
        STACK,
        [("path of Q", "train", True, True, [], False)],
    ),
    "a share is retained": (
        (queue(shares={"A": "A"}),),
        (queue(shares={"A": "A", "B": ("B", "RETAIN")}),),
        STACK,
        [("path of Q", "train", True, True, [], False)],
    ),
    "two shares swap their names": (
        (queue(shares={"A": "B", "B": "A"}),),
        (ONE,),
        STACK,
        [("path of Q", "train", True, True, [], False)],
    ),
    "the queue is renamed by its name": (
        (queue(shares={"A": "A", "B": "B"}, name="new"),),
        (ONE,),
        STACK,
        [("path of Q", None, True, False, [], False), ("path of Q", "train", False, True, ["A", "B"], True)],
    ),
    "the queue's construct is renamed and the old one is kept": (
        (queue("Q2", {"A2": "A", "B2": "B"}, policy="RETAIN"),),
        (queue(shares={"A": "A", "B": "B"}, policy="RETAIN"),),
        STACK,
        [("path of Q2", None, True, False, [], False), ("path of Q", "train", False, True, ["A", "B"], False)],
    ),
    "the queue goes": (
        (),
        (ONE,),
        STACK,
        [("path of Q", "train", False, True, ["A", "B"], True)],
    ),
    "the queue goes and nobody knows what was before": (
        (),
        None,
        STACK,
        [("Q", "train", False, False, ["A", "B"], True)],
    ),
    "a share moves to another queue": (
        (queue(shares={"B": "B"}), queue("R", {"A": "A"})),
        (ONE, queue("R")),
        (*STACK, *live({"R": "other"})),
        [("path of Q", "train", True, True, ["A"], False), ("path of R", "other", True, True, [], False)],
    ),
    "a share on an imported queue": (
        (queue(arn=ARN + "far", shares={"A": "A"}),),
        (queue(arn=ARN + "far", shares={"A": "A", "B": "B"}),),
        live(shares={"A": "far/A", "B": "far/B"}),
        [(f"path of {ARN}far", "far", True, True, ["B"], False)],
    ),
    "a queue that is imported twice is one": (
        (queue(arn=ARN + "far", shares={"A": "A"}), queue(arn=ARN + "far", shares={"B": "B"})),
        None,
        live(shares={"A": "far/A", "B": "far/B", "C": "far/C"}),
        [(f"path of {ARN}far", "far", True, False, ["C"], False)],
    ),
    "the last share on an imported queue goes": (
        (),
        (queue(arn=ARN + "far", shares={"A": "A"}),),
        live(shares={"A": "far/A"}),
        [(f"path of {ARN}far", "far", False, True, ["A"], False)],
    ),
    "a share whose create failed is no live share": (
        (queue(shares={"A": "A"}),),
        (ONE,),
        (*live({"Q": "train"}, {"A": "train/A"}), StackResource("B", "Custom::QuotaShare", "create-failed/r")),
        [("path of Q", "train", True, True, [], False)],
    ),
}


@pytest.mark.parametrize(("new", "old", "resources", "want"), CASES.values(), ids=CASES)
def test_targets(new: Any, old: Any, resources: Any, want: Any) -> None:
    before = None if old is None else proposal(*old)
    assert told(find_targets(proposal(*new), before, resources)) == want


def test_what_is_declared_outside_the_guard_stays() -> None:
    new = proposal(ONE, unguarded=("Raw", "RawQueue"))
    resources = (*STACK, *live({"RawQueue": "raw"}, {"Raw": "raw/C"}, native=True))
    assert told(find_targets(new, proposal(ONE), resources)) == [("path of Q", "train", True, True, [], False)]


@pytest.mark.parametrize("native", [False, True])
def test_a_removal_knows_how_the_share_would_go(native: bool) -> None:
    old = proposal(queue(shares={"A": ("A", "TERMINATE")}))
    (target,) = find_targets(proposal(queue()), old, live({"Q": "train"}, {"A": "train/A"}, native=native))
    assert target.removals == (Removal("A", "NATIVE" if native else "MANAGED", "TERMINATE"),)


def test_notes_say_what_a_reader_would_not_guess() -> None:
    renamed = find_targets(proposal(queue(shares={"New": "A", "B": "B"})), proposal(ONE), STACK)
    assert renamed[0].notes == ("share A is declared as New now, A before: it is taken over as it is, and no job ends",)
    native = live({"Q": "train"}, {"A": "train/A"}, native=True)
    (target,) = find_targets(proposal(queue(shares={"New": "A"})), None, native)
    assert "it must be adopted (adopt_existing)" in target.notes[0]
    to_native = queue(shares={"New": "A"})
    to_native["shares"][0]["lifecycle"] = "NATIVE"
    (target,) = find_targets(proposal(to_native), None, live({"Q": "train"}, {"A": "train/A"}))
    assert "import it instead" in target.notes[0]
    kept = proposal(queue(shares={"A": ("A", "RETAIN"), "B": ("B", "RETAIN")}, policy="RETAIN"))
    (target,) = find_targets(proposal(), kept, STACK)
    assert not target.is_deleted
    assert [note.partition(":")[0] for note in target.notes] == [
        "job queue train (Q) is no longer declared",
        "share A (A) is no longer declared",
        "share B (B) is no longer declared",
    ]
