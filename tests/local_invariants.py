"""The scheduling model's invariants, checked at every step of a local Batch's event log.

Numbers are those of docs/model.md's list of invariants.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

DISPATCHED = ("SCHEDULED", "STARTING", "RUNNING")
ALLOWED = {
    ("SUBMITTED", "RUNNABLE"),
    ("RUNNABLE", "SCHEDULED"),
    ("SCHEDULED", "STARTING"),
    ("STARTING", "RUNNING"),
    ("RUNNING", "SUCCEEDED"),
    *((before, "RUNNABLE") for before in DISPATCHED),
    *((before, "FAILED") for before in ("SUBMITTED", "RUNNABLE", *DISPATCHED)),
}


@dataclass
class _Share:
    limits: dict[str, int]
    strategy: str
    borrow_percent: int
    in_share: bool

    def most(self, unit: str) -> float:
        """How much of a type it may use at most, with what it borrows."""
        limit = self.limits.get(unit, 0)
        if self.strategy != "LEND_AND_BORROW":
            return limit
        return float("inf") if self.borrow_percent < 0 else limit + limit * self.borrow_percent // 100


@dataclass
class _Job:
    share: str
    uses: dict[str, int]
    created_at: int
    priority: int = 0
    status: str = "SUBMITTED"
    owed_by: str | None = None
    owed_since: int = 0


class Replay:
    """Plays the event log of one queue and says what it breaks."""

    def __init__(self) -> None:
        self.environment: dict[str, int] = {}
        self.shares: dict[str, _Share] = {}
        self.jobs: dict[str, _Job] = {}
        self.broken: list[str] = []
        self.changed = 0
        self.served = 0

    def play(self, events: list[dict[str, Any]]) -> list[str]:
        """Play the log; gives a sentence for everything that it breaks."""
        handlers = {
            "configured": self._configured,
            "submitted": self._submitted,
            "status": self._moved,
            "preemption_started": self._preempted,
            "priority": self._priority,
            "released": self._released,
        }
        numbers = [event["number"] for event in events]
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            self.broken.append("the log has gaps")
        for event in events:
            handler = handlers.get(event["kind"])
            if handler:
                handler(event["subject"], event)
        return self.broken

    def covers_all_limits(self) -> bool:
        """Whether the environment has, of each type, what the limits of the shares add up to."""
        total: Counter[str] = Counter()
        for share in self.shares.values():
            total.update(share.limits)
        return all(count <= self.environment.get(unit, 0) for unit, count in total.items())

    def usage(self, share: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for job in self.jobs.values():
            if job.share == share and job.status in DISPATCHED:
                found.update(job.uses)
        return found

    def _configured(self, arn: str, event: dict[str, Any]) -> None:
        self.changed = event["number"]
        limits = {limit["capacityUnit"]: limit["maxCapacity"] for limit in event["capacityLimits"]}
        if "/quota-share/" not in arn:
            self.environment = limits
            return
        sharing = event["resourceSharingConfiguration"]
        self.shares[arn.rpartition("/")[2]] = _Share(
            limits,
            sharing["strategy"],
            sharing.get("borrowLimit", -1),
            event["preemptionConfiguration"]["inSharePreemption"] == "ENABLED",
        )

    def _submitted(self, job_id: str, event: dict[str, Any]) -> None:
        self._expect(job_id not in self.jobs, f"{job_id} is submitted twice")
        self.jobs[job_id] = _Job(event["share"], event["uses"], event["at"])

    def _priority(self, job_id: str, event: dict[str, Any]) -> None:
        self.jobs[job_id].priority = event["priority"]

    def _moved(self, job_id: str, event: dict[str, Any]) -> None:
        job = self.jobs[job_id]
        self._expect(job.status == event["before"], f"{job_id} is {job.status}, not {event['before']}")
        self._expect((event["before"], event["status"]) in ALLOWED, f"{event['before']} to {event['status']}")
        job.priority = event["priority"] or 0
        job.status = event["status"]
        if job.status == "SCHEDULED":
            self._dispatched(job_id, job)
            if any(other.owed_by == job_id for other in self.jobs.values()):
                self.served = event["number"]
        if job.status in ("SCHEDULED", "SUCCEEDED", "FAILED"):
            self._settle(job_id)

    def _released(self, job_id: str, event: dict[str, Any]) -> None:
        """Room may be given to others only if its job is not the first of its share any more, or things have changed.

        Changed: limits, or another job that room was made for at the same time was served and took idle room.
        """
        first = min(self._waiting(event["share"]), default=None)
        since = min((job.owed_since for job in self.jobs.values() if job.owed_by == job_id), default=0)
        is_first = first is not None and first[2] == job_id
        self._expect(
            not is_first or max(self.changed, self.served) > since, f"V13: the room made for {job_id} is given away"
        )
        self._settle(job_id)

    def _settle(self, preemptor: str) -> None:
        for job in self.jobs.values():
            if job.owed_by == preemptor:
                job.owed_by = None

    def _waiting(self, share: str) -> list[tuple[int, int, str]]:
        """The waiting jobs of a share as their sort keys."""
        return [
            (-job.priority, job.created_at, job_id)
            for job_id, job in self.jobs.items()
            if job.share == share and job.status == "RUNNABLE"
        ]

    def _dispatched(self, job_id: str, job: _Job) -> None:
        usage = {share: self.usage(share) for share in self.shares}
        share = self.shares[job.share]
        for unit in job.uses:
            total = sum(used[unit] for used in usage.values())
            most = self.environment.get(unit, 0)
            self._expect(total <= most, f"V1: {total} of {most} {unit} in use with {job_id}")
            used = usage[job.share][unit]
            if used <= share.limits.get(unit, 0):
                continue  # of this type it has only what is its own
            self._expect(used <= share.most(unit), f"V2: {job.share} uses {used} of {share.most(unit)} {unit}")
            borrowed, idle = 0, 0
            for name, other in self.shares.items():
                over = usage[name][unit] - other.limits.get(unit, 0)
                borrowed += max(0, over)
                idle += max(0, -over) if other.strategy != "RESERVE" else 0
            self._expect(borrowed <= idle, f"V3: {borrowed} borrowed of {idle} idle {unit} for {job_id}")
        order = (-job.priority, job.created_at, job_id)
        for waiting in self._waiting(job.share):
            self._expect(waiting > order, f"V12: {job_id} passes {waiting[2]}")
        self._expect(job.owed_by is None, f"V13: {job_id} is back before {job.owed_by}, which it made room for")

    def _preempted(self, job_id: str, event: dict[str, Any]) -> None:
        job, preemptor = self.jobs[job_id], self.jobs[event["preemptor"]]
        self._expect(job.status in DISPATCHED, f"{job_id} is stopped while {job.status}")
        self._expect(set(job.uses) & set(preemptor.uses) != set(), f"V7: {job_id} has no type of its preemptor")
        if job.share == preemptor.share:
            self._expect(self.shares[job.share].in_share, f"V7: in-share preemption is off in {job.share}")
            self._expect(job.priority < preemptor.priority, f"V7: {job.priority} for {preemptor.priority}")
        else:
            usage, limits = self.usage(job.share), self.shares[job.share].limits
            over = [unit for unit in job.uses if usage[unit] > limits.get(unit, 0)]
            self._expect(bool(over), f"V6: {job_id} is stopped, but {job.share} is within its limits")
        job.owed_by, job.owed_since = event["preemptor"], event["number"]

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.broken.append(otherwise)
