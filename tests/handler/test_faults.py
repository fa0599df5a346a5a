"""Whatever call fails and however, a stack ends as it was or as it was to be, and no job ends that nobody named.

For each operation, and each API call that it makes, that call fails: throttled, refused by a fault of the service,
done but never answered, timed out, or with the process killed before or after it. Then CloudFormation does what it
does: retry, roll back, clean up. `make test` tries each call with one kind of fault in turn, the nightly run with
all. How many points were tried stands in the summary of the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from cloudformation_model import EMPTY, CloudFormation, Template
from handler_support import (
    G5,
    OWNER,
    STACK_ID,
    Account,
    KilledError,
    account_with_queue,
    client_error,
    job_status,
    make_share,
    read_timeout,
    submit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KINDS = ("throttle", "server exception", "lost response", "time-out", "killed before", "killed after")

QS1 = {"QS1": {}}

TAKES_JOBS = ("VALID", "ENABLED")


@dataclass(frozen=True)
class Operation:
    """A deployment to try.

    Args:
        new: what is deployed; None deletes the stack.
        old: what is deployed before, without faults; None starts with no stack.
        by_hand: shares that exist before the stack.
        busy: shares with a running job.
        ends: jobs of these shares may end, because the plan names them and they are acknowledged.
        gets_busy: a new share to which somebody submits a job as soon as it is there.
    """

    new: Template | None
    old: Template | None = None
    by_hand: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    gets_busy: str = ""


ACKNOWLEDGE_ALL = {"verdicts": dict.fromkeys(("destructive", "disruptive", "at_risk", "notice"), "IGNORE")}

OPERATIONS = {
    "create": Operation(Template(QS1)),
    "create two": Operation(Template({"QS1": {}, "QS2": {"name": "QS2"}})),
    "create, later failure": Operation(Template(QS1, fails_later=True)),
    "create, later failure, busy by then": Operation(Template(QS1, fails_later=True), gets_busy="QS1"),
    "replace, later failure, busy by then": Operation(
        Template({"QS1": {"name": "QS9"}}, fails_later=True), Template(QS1), gets_busy="QS9"
    ),
    "add": Operation(Template({"QS1": {}, "QS2": {"name": "QS2"}}), Template(QS1), busy=("QS1",)),
    "add, later failure": Operation(
        Template({"QS1": {}, "QS2": {"name": "QS2"}}, fails_later=True), Template(QS1), busy=("QS1",)
    ),
    "update": Operation(Template({"QS1": {"limit": 2, "tags": {"a": "b"}}}), Template(QS1), busy=("QS1",)),
    "update, later failure": Operation(
        Template({"QS1": {"limit": 2, "state": "DISABLED"}}, fails_later=True), Template(QS1), busy=("QS1",)
    ),
    "replace, idle": Operation(Template({"QS1": {"name": "QS9"}}), Template(QS1)),
    "replace, later failure": Operation(
        Template({"QS1": {"name": "QS9"}}, policy=ACKNOWLEDGE_ALL, fails_later=True), Template(QS1), busy=("QS1",)
    ),
    "replace, busy": Operation(
        Template({"QS1": {"name": "QS9"}}, policy=ACKNOWLEDGE_ALL), Template(QS1), busy=("QS1",)
    ),
    "adopt": Operation(Template({"QS1": {"adopt": True, "limit": 2}}), by_hand=("QS1",), busy=("QS1",)),
    "adopt, later failure": Operation(
        Template({"QS1": {"adopt": True, "limit": 2}}, fails_later=True), EMPTY, by_hand=("QS1",), busy=("QS1",)
    ),
    "rename the construct": Operation(Template({"New": {"adopt": True}}), Template(QS1), busy=("QS1",)),
    "rename the construct, later failure": Operation(
        Template({"New": {"adopt": True, "limit": 2}}, fails_later=True), Template(QS1), busy=("QS1",)
    ),
    "rename the construct without a word": Operation(Template({"New": {}}), Template(QS1), busy=("QS1",)),
    "swap two names": Operation(
        Template({"QS1": {"name": "QS2"}, "QS2": {"name": "QS1"}}),
        Template({"QS1": {}, "QS2": {"name": "QS2"}}),
        busy=("QS1", "QS2"),
    ),
    "take another's": Operation(Template(QS1), by_hand=("QS1",), busy=("QS1",)),
    "remove, idle": Operation(EMPTY, Template(QS1)),
    "remove, busy, blocked": Operation(EMPTY, Template(QS1), busy=("QS1",)),
    "remove, busy, acknowledged, refused": Operation(
        Template({}, policy=ACKNOWLEDGE_ALL), Template(QS1), busy=("QS1",)
    ),
    "remove, terminate": Operation(
        Template({}, policy=ACKNOWLEDGE_ALL),
        Template({"QS1": {"on_removal": "TERMINATE"}}),
        busy=("QS1",),
        ends=("QS1",),
    ),
    "remove, retain": Operation(EMPTY, Template({"QS1": {"on_removal": "RETAIN"}}), busy=("QS1",)),
    "delete the stack, idle": Operation(None, Template(QS1)),
    "delete the stack, busy": Operation(None, Template(QS1), busy=("QS1",)),
    "blocked by a rule": Operation(Template({"QS1": {"limit": 9}}), Template(QS1), busy=("QS1",)),
}


class Run:
    """One run of an operation, with a fault or without."""

    def __init__(self, operation: Operation, **options: Any) -> None:
        self.operation = operation
        self.account = account_with_queue({G5: 4})
        self.stack = CloudFormation(self.account)
        for name in operation.by_hand:
            make_share(self.account, name)
        if operation.old is not None:
            self.stack.deploy(operation.old)
        self.jobs = {name: submit(self.account, name, f"job-of-{name}") for name in operation.busy}
        self.before = self.shares()
        self.stack_before = set(self.stack.resources)
        self.stack.said.clear()
        self.account.calls.clear()
        self.stack.before_answer = self._get_busy
        for name, value in options.items():
            setattr(self.stack, name, value)

    def _get_busy(self, made: dict[str, Any]) -> None:
        name = self.operation.gets_busy
        share = self.account.share(name) if name and name not in self.jobs else None
        if share is not None and made["RequestType"] != "Delete" and (share["status"], share["state"]) == TAKES_JOBS:
            self.jobs[name] = submit(self.account, name, f"job-of-{name}")

    def shares(self) -> dict[str, Any]:
        listed = self.account.batch.checked_call("ListQuotaShares", {"jobQueue": "training"})["quotaShares"]
        found = {}
        for share in listed:
            whole = self.account.share(share["quotaShareName"])
            tags = whole.pop("tags", {})
            found[share["quotaShareName"]] = (whole, tags.get(OWNER))
        return found

    def run(self) -> None:
        if self.operation.new is None:
            self.stack.delete()
        else:
            self.stack.deploy(self.operation.new)
        self.account.fault = lambda service, operation, done: None
        self.account.hooks.clear()
        if self.stack.status == "DELETE_FAILED" and not self.operation.busy:
            self.stack.delete()

    def check(self, desired: Mapping[str, Any]) -> None:
        """The end state is the old or the desired one; what differs was said; no job ended unnamed."""
        said = "\n".join(self.stack.said)
        kept = {job: name for name, job in self.jobs.items() if name not in self.operation.ends}
        for job, name in kept.items():
            assert job_status(self.account, job) == "RUNNING", f"job of {name} ended"
        for record in self.account.batch.events:
            stopped = record.kind.startswith("preemption") or record.data.get("status") in ("FAILED", "SUCCEEDED")
            assert not (stopped and record.subject in kept), f"job of {kept[record.subject]}: {record.to_dict()}"
        after = self.shares()
        wanted_names = set(after) | set(self.before) | set(desired)
        for name in sorted(wanted_names):
            now, then, wish = after.get(name), self.before.get(name), desired.get(name)
            if now in (then, wish):
                continue
            assert now is not None, f"{name} is gone"
            assert re.search(rf"share {name}\b[^\n]*(kept|stays|left|time ran out|failed|missing|given back)", said), (
                f"{name} is neither as it was nor as it was to be, and nothing was said: {now}\n"
                f"was {then}\nwish {wish}\n{said}"
            )
        owners = {owner for _, owner in after.values() if owner and owner.startswith(STACK_ID)}
        known = {f"{STACK_ID}/{logical_id}" for logical_id in self.stack.resources}
        for owner in owners - known:
            name = next(name for name, (_, of) in after.items() if of == owner)
            assert re.search(rf"share {name}\b", said), f"{name} of {owner} is orphaned, and nothing was said"


def desired_by(operation: Operation) -> tuple[dict[str, Any], int]:
    """Run an operation without a fault: its end, and how many calls it makes."""
    run = Run(operation)
    run.run()
    run.check(run.shares())
    return run.shares(), len(run.account.calls)


def fault_at(account: Account, number: int, kind: str) -> Callable[[str, str, bool], None]:
    """Let the call of that number fail, once."""
    done_with = {"lost response", "killed after"}

    def fault(service: str, operation: str, done: bool) -> None:
        if len(account.calls) != number or done is not (kind in done_with) or account.fault is not fault:
            return
        account.fault = lambda service, operation, done: None
        if kind.startswith("killed"):
            raise KilledError
        if kind == "throttle":
            raise client_error(operation, "TooManyRequestsException", "slow down")
        if kind == "server exception":
            raise client_error(operation, "ServerException", "boom")
        raise read_timeout()

    return fault


def sweep(operation: Operation, kinds: Callable[[int], tuple[str, ...]]) -> int:
    """Try the faults at each call; give the number of points tried."""
    desired, calls = desired_by(operation)
    points = 0
    for number in range(1, calls + 1):
        for kind in kinds(number):
            run = Run(operation)
            run.account.fault = fault_at(run.account, number, kind)
            try:
                run.run()
                run.check(desired)
            except AssertionError as error:
                service, name = run.account.calls[number - 1]
                raise AssertionError(f"{kind} at call {number}, {service} {name}: {error}") from error
            points += 1
    return points


@pytest.mark.parametrize("name", OPERATIONS)
def test_any_call_may_fail_one_kind_each(name: str, record_property: Callable[[str, object], None]) -> None:
    turn = list(OPERATIONS).index(name)
    points = sweep(OPERATIONS[name], lambda number: (KINDS[(number + turn) % len(KINDS)],))
    record_property("fault points", points)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_event_may_come_twice(name: str) -> None:
    desired, _ = desired_by(OPERATIONS[name])
    run = Run(OPERATIONS[name], deliveries=2)
    run.run()
    run.check(desired)
    assert run.shares() == desired


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_answer_may_be_lost(name: str, record_property: Callable[[str, object], None]) -> None:
    operation = OPERATIONS[name]
    desired, _ = desired_by(operation)
    points = 0
    while True:
        run = Run(operation)
        seen: list[str] = []

        def lose(made: dict[str, Any], run: Run = run, seen: list[str] = seen, number: int = points) -> None:
            run._get_busy(made)
            seen.append(made["RequestType"])
            if len(seen) == number + 1:
                raise KilledError

        run.stack.before_answer = lose
        run.run()
        run.check(desired)
        if len(seen) <= points:
            break
        points += 1
    record_property("lost answers", points)


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.new is not None])
def test_a_cancelled_change_may_still_run_when_the_rollback_comes(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    """The rollback starts at each call of the handler, which goes on after it."""
    operation = OPERATIONS[name]
    _, calls = desired_by(operation)
    points = 0
    for number in range(1, calls + 1):
        run = Run(operation, cancel_at=number)
        run.run()
        if not run.stack.status.endswith("ROLLBACK_COMPLETE"):
            continue
        points += 1
        run.check({})
    record_property("rollbacks in the middle", points)


@pytest.mark.nightly
@pytest.mark.parametrize("name", OPERATIONS)
def test_any_call_may_fail_in_every_way(name: str, record_property: Callable[[str, object], None]) -> None:
    points = sweep(OPERATIONS[name], lambda number: KINDS)
    record_property("fault points", points)
