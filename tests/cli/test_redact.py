"""Redacted snapshots: nobody is named, and the scheduler sees the same queue."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import job, share, state, walkthrough

from quota_constructs.cli.redact import redact
from quota_scheduler import Change, QueueState, assess, parse_state

if TYPE_CHECKING:
    from cli_support import Cli


def queue(seed: int) -> QueueState:
    """A random queue with names of all kinds, some jobs already being stopped."""
    dice = random.Random(seed)
    shares = {f"team-{name}": share(dice.randint(1, 3), dice.choice(("LEND", "RESERVE"))) for name in "qzab"}
    jobs: list[dict[str, Any]] = [
        job(
            f"{dice.getrandbits(32):08x}",
            dice.choice(list(shares)),
            dice.choice(("RUNNING", "RUNNABLE")),
            priority=dice.randint(0, 2),
            owner=dice.choice(("ann", "bob", None)),
            name=dice.choice(("train", "eval", None)),
        )
        for _ in range(12)
    ]
    dispatched = [each for each in jobs if each["status"] == "RUNNING"]
    waiting = [each for each in jobs if each["status"] == "RUNNABLE"]
    if dispatched and waiting:
        dispatched[0]["stopping_for"] = waiting[0]["id"]
    return parse_state(state(shares, jobs, environment=9))


def test_a_file_can_be_redacted_without_an_account(cli: Cli) -> None:
    outcome = cli("snapshot", cli.write("state.json", walkthrough()), "--redact")
    assert (outcome.code, outcome.json()) == (0, redact(parse_state(walkthrough())).to_dict())


def test_pseudonyms_are_stable_and_numbered() -> None:
    document = redact(parse_state(walkthrough())).to_dict()
    assert (document["queue"], document["account"], document["region"]) == ("queue", "000000000000", "eu-west-1")
    assert list(document["shares"]) == ["share-1", "share-2", "share-3"]
    assert [(each["id"], each["share"], each["owner"]) for each in document["jobs"]] == [
        ("job-1", "share-1", "owner-1"),
        ("job-3", "share-1", "owner-2"),
        ("job-2", "share-1", "owner-3"),
    ]


def test_no_name_is_left() -> None:
    original = queue(1)
    text = json.dumps(redact(original).to_dict())
    names = {original.queue, original.account, *original.shares, *(each.id for each in original.jobs), "ann", "bob"}
    assert [name for name in names if name and name in text] == []


def test_a_state_without_names_stays_without() -> None:
    document = state({"a": share(1)}, [job("x", "a")])
    for member in ("queue", "account", "region"):
        del document[member]
    assert set(redact(parse_state(document)).to_dict()) == {
        "version",
        "at",
        "environment",
        "shares",
        "jobs",
        "time_limit_actions",
    }


@pytest.mark.parametrize("seed", range(20))
def test_the_scheduler_sees_the_same_queue(seed: int) -> None:
    original = queue(seed)
    pseudonyms = redact(original)
    renamed = {ours.id: theirs.id for ours, theirs in zip(original.jobs, pseudonyms.jobs, strict=True)}
    ours, theirs = assess(original, Change()), assess(pseudonyms, Change())
    for name in ("eligible", "possible", "likely", "certain", "never_fits", "starts"):
        assert sorted(renamed[identifier] for identifier in getattr(ours, name)) == sorted(getattr(theirs, name))
    assert (ours.verdict, ours.bounds) == (theirs.verdict, theirs.bounds)
