"""The scheduling model's invariants, checked at every step of a local Batch's event log.

Numbers are those of docs/model.md's list of invariants.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Shares:
    """What the invariants need to know of a queue whose configuration does not change."""

    environment: dict[str, int]
    limits: dict[str, dict[str, int]]
    strategy: dict[str, str]
    borrow_percent: dict[str, int] = field(default_factory=dict)
    in_share: frozenset[str] = frozenset()

    def most(self, share: str, unit: str) -> float:
        limit = self.limits[share].get(unit, 0)
        if self.strategy[share] != "LEND_AND_BORROW":
            return limit
        percent = self.borrow_percent.get(share, -1)
        return float("inf") if percent < 0 else limit + limit * percent // 100


@dataclass
class _Job:
    share: str
    uses: dict[str, int]
    created_at: int
    priority: int = 0
    status: str = "SUBMITTED"
    owed_by: str | None = None


class Replay:
    """Plays an event log and says what it breaks.

    Args:
        shares: the queue's configuration.
    """

    def __init__(self, shares: Shares) -> None:
        self.shares = shares
        self.jobs: dict[str, _Job] = {}
        self.broken: list[str] = []

    def play(self, events: list[dict[str, Any]]) -> list[str]:
        """Play the log; gives a sentence for everything that it breaks."""
        handlers = {
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

    def usage(self, share: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for job in self.jobs.values():
            if job.share == share and job.status in DISPATCHED:
                found.update(job.uses)
        return found

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
        if job.status in ("SCHEDULED", "SUCCEEDED", "FAILED"):
            self._settle(job_id)

    def _released(self, job_id: str, event: dict[str, Any]) -> None:
        """Room may be given to others only if the job it was made for is not the first of its share any more."""
        first = min(self._waiting(event["share"]), default=None)
        self._expect(first is None or first[2] != job_id, f"V13: the room made for {job_id} is given away")
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
        usage = {share: self.usage(share) for share in self.shares.limits}
        for unit in job.uses:
            total = sum(used[unit] for used in usage.values())
            self._expect(total <= self.shares.environment[unit], f"V1: {total} of {unit} in use by {job_id}")
            most = self.shares.most(job.share, unit)
            self._expect(usage[job.share][unit] <= most, f"V2: {job.share} uses {usage[job.share][unit]} of {most}")
            borrowed, idle = 0, 0
            for share, limits in self.shares.limits.items():
                over = usage[share][unit] - limits.get(unit, 0)
                borrowed += max(0, over)
                idle += max(0, -over) if self.shares.strategy[share] != "RESERVE" else 0
            self._expect(borrowed <= idle, f"V3: {borrowed} borrowed of {idle} idle {unit} for {job_id}")
        order = (-job.priority, job.created_at, job_id)
        for other in self._waiting(job.share):
            self._expect(other > order, f"V12: {job_id} passes {other[2]}")
        self._expect(job.owed_by is None, f"V13: {job_id} is back before {job.owed_by}, which it made room for")

    def _preempted(self, job_id: str, event: dict[str, Any]) -> None:
        job, preemptor = self.jobs[job_id], self.jobs[event["preemptor"]]
        self._expect(job.status in DISPATCHED, f"{job_id} is stopped while {job.status}")
        self._expect(set(job.uses) & set(preemptor.uses) != set(), f"V7: {job_id} has no type of its preemptor")
        if job.share == preemptor.share:
            self._expect(job.share in self.shares.in_share, f"V7: in-share preemption is off in {job.share}")
            self._expect(job.priority < preemptor.priority, f"V7: {job.priority} for {preemptor.priority}")
        else:
            usage, limits = self.usage(job.share), self.shares.limits[job.share]
            over = [unit for unit in job.uses if usage[unit] > limits.get(unit, 0)]
            self._expect(bool(over), f"V6: {job_id} is stopped, but {job.share} is within its limits")
        job.owed_by = event["preemptor"]

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.broken.append(otherwise)
