"""A queue played through time by the model: who starts when, who is stopped, what is lost.

1  decide, with the model's own pass, until nothing starts or is stopped any more
2  go to the next moment at which a job ends, has been stopped, or is submitted
3  let it happen, and decide again

A stop takes the knob `preemption_delay`. What AWS does not say is assumed as everywhere else; how long jobs run is
given. A preempted job runs again from its last checkpoint, from its start where none is known.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from quota_constructs.simulation.run import Happening, Run, Wait
from quota_scheduler import Change, Job, Knobs, QueueState, apply_change, cycle
from quota_scheduler.job_index import JobIndex
from quota_scheduler.ledger import Ledger
from quota_scheduler.loss import upper_loss
from quota_scheduler.share import DISABLED
from quota_scheduler.timestamp import format_timestamp
from quota_scheduler.transitions import apply_decisions, end_stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_constructs.simulation.run import Workload

    Progress = Callable[[str, int, int], None]

_MOST_PASSES = 1_000
"""Passes at one moment; a queue settles in far fewer."""

_END, _STOPPED, _ARRIVES = range(3)


def simulate(
    state: QueueState,
    workload: Workload,
    knobs: Knobs,
    *,
    change: Change = Change(),  # noqa: B008  # immutable
    until: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Play a queue through time.

    Args:
        state: The queue at the start.
        workload: How long jobs run, and which ones are still to come.
        knobs: Answers to what AWS leaves open.
        change: What is different from the start on; jobs of a share that it removes end there.
        until: When to stop, in milliseconds since 1970 UTC; None plays until nothing happens any more.
        progress: Is told after each moment what is counted, how many jobs have ended, and of how many.

    Raises:
        DocumentError: The change is none of this queue.
    """
    after = apply_change(state, change)
    play = _Play(after, workload, knobs)
    play.begin([job for job in state.jobs if job.share not in after.shares])
    total = len(play.jobs) + len(workload.arrivals)
    while play.events and (until is None or play.events[0][0] <= until):
        play.step()
        if progress is not None:
            progress("jobs ended", total - len(play.jobs) - len(play.arrivals), total)
    return play.result(until)


@dataclass(slots=True)
class _Play:
    """The queue while it is played; its unfinished jobs are kept apart, since most moments change few of them."""

    queue: QueueState
    workload: Workload
    knobs: Knobs
    at: int = 0
    jobs: dict[str, Job] = field(default_factory=dict)
    events: list[tuple[int, int, int, str]] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    waits: dict[str, Wait] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    arrivals: dict[str, Job] = field(default_factory=dict)
    start: int = 0
    number: int = 0
    began: set[str] = field(default_factory=set)
    given: frozenset[str] = frozenset()

    def begin(self, ended: list[Job]) -> None:
        """End what the change ends, let run on what is there, and announce what is to come."""
        self.start = self.at = self.queue.at
        for job in ended:
            if job.is_unfinished:
                self._note("terminated", job, upper_loss(job, self.at))
        self.jobs = {job.id: job for job in self.queue.jobs if job.is_unfinished}
        self.arrivals = {job.id: job for job in self.workload.arrivals}
        self.given = frozenset((*self.jobs, *self.arrivals))
        self.began = {job.id for job in self.jobs.values() if job.is_dispatched}
        for job in [job for job in self.jobs.values() if job.is_dispatched]:
            if job.stopping_for is None:
                self._run(job, job.started_at if job.started_at is not None else self.start)
            else:
                self._schedule(self.start + self.knobs.preemption_delay * 1000, _STOPPED, job.id)
        for job in self.workload.arrivals:
            self._schedule(max(job.created_at or self.start, self.start), _ARRIVES, job.id)
        self._decide()

    def step(self) -> None:
        """Go to the next moment, let everything of it happen, and decide if anything is different."""
        at = self.events[0][0]
        self._pass_time(at)
        is_different = False
        while self.events and self.events[0][0] == at:
            _, _, kind, name = heapq.heappop(self.events)
            is_different |= (self._end, self._stopped, self._arrive)[kind](name)
        if is_different:
            self._decide()

    def result(self, until: int | None) -> Run:
        """Give what came of it."""
        end = self.happenings[-1].at if self.happenings else self.start
        if self.events and until is not None:
            self._pass_time(until)
            end = until
        waiting = [job for job in self.jobs.values() if job.is_waiting]
        not_started = {job.id: Wait(job.share, self._since(job), None) for job in waiting if job.id not in self.began}
        state = self._state()
        ledger = Ledger(state, JobIndex(state.jobs), self.knobs)
        return Run(
            start=self.start,
            end=end,
            happenings=tuple(self.happenings),
            waits=MappingProxyType({**self.waits, **not_started}),
            still_waiting=MappingProxyType({job.id: job.share for job in waiting}),
            never_fits=frozenset([job.id for job in waiting if ledger.demand(job).never is not None]),
            still_running=tuple([job.id for job in self.jobs.values() if self._is_running(job)]),
            busy=MappingProxyType(self.busy),
            environment=self.queue.environment,
            shares=tuple(self.queue.shares),
        )

    def _is_running(self, job: Job) -> bool:
        """Whether it is a job that holds room, and not what the model puts in the place of a stopped one."""
        return job.is_dispatched and job.id in self.given

    def _since(self, job: Job) -> int:
        return self.start if job.created_at is None else job.created_at

    def _pass_time(self, at: int) -> None:
        for job in self.jobs.values():
            if self._is_running(job):
                for unit, amount in job.uses.items():
                    self.busy[unit] = self.busy.get(unit, 0) + amount * (at - self.at)
        self.at = at

    def _schedule(self, at: int, kind: int, name: str) -> None:
        self.number += 1
        heapq.heappush(self.events, (at, self.number, kind, name))

    def _state(self) -> QueueState:
        return replace(self.queue, at=self.at, jobs=tuple(self.jobs.values()))

    def _go_on_from(self, state: QueueState) -> None:
        """Take over the jobs of a later state, and let those run that it has dispatched."""
        self.jobs = {job.id: job for job in state.jobs}
        for job in state.jobs:
            if job.status == "SCHEDULED" and job.stopping_for is None:
                if job.id not in self.began:
                    self.began.add(job.id)
                    self.waits[job.id] = Wait(job.share, self._since(job), self.at)
                self._note("started", job)
                self._run(replace(job, expected_end=None), self.at)

    def _note(self, what: str, job: Job, lost: int = 0) -> None:
        self.happenings.append(Happening(self.at, what, job.id, job.share, lost))

    def _run(self, job: Job, started: int) -> None:
        """Let a job run from a moment on, and announce its end."""
        known = job.expected_end if job.id not in self.workload.run_milliseconds else None
        end = known if known is not None else started + self.left.get(job.id, self.workload.of(job))
        end = max(end, self.at)
        self._schedule(end, _END, job.id)
        self.jobs[job.id] = replace(job, status="RUNNING", started_at=started, expected_end=end)

    def _decide(self) -> None:
        for _ in range(_MOST_PASSES):
            before = self._state()
            after = apply_decisions(before, cycle(before, self.knobs, heads_only=True), self.knobs)
            if after == before:
                return
            stopping = {job.id for job in before.jobs if job.stopping_for is not None}
            for job in after.jobs:
                if job.stopping_for is not None and job.id not in stopping:
                    self._schedule(self.at + self.knobs.preemption_delay * 1000, _STOPPED, job.id)
            self._go_on_from(after)
        raise RuntimeError(f"the queue has not settled after {_MOST_PASSES} passes at {format_timestamp(self.at)}")

    def _end(self, name: str) -> bool:
        job = self.jobs.get(name)
        if job is None or not job.is_dispatched or job.expected_end != self.at:
            return False  # it was stopped meanwhile, and ends at another time
        if job.stopping_for is None:
            del self.jobs[name]
            self._note("finished", job)
        else:
            later = end_stopped(self._state(), name, self.knobs)
            self._note("finished", job)
            self._go_on_from(replace(later, jobs=tuple([other for other in later.jobs if other.id != name])))
        return True

    def _stopped(self, name: str) -> bool:
        job = self.jobs.get(name)
        if job is None or job.stopping_for is None or not job.is_dispatched:
            return False  # it ended by itself before
        if job.started_at is not None and job.checkpointed_at is not None:
            saved = max(0, min(job.checkpointed_at, self.at) - job.started_at)
            self.left[name] = max(self.left.get(name, self.workload.of(job)) - saved, 0)
        later = end_stopped(self._state(), name, self.knobs)
        self._note("preempted", job, upper_loss(job, self.at))
        left = tuple([other for other in later.jobs if other.status != "FAILED"])
        if len(left) < len(later.jobs):
            self._note("failed", job)
        self._go_on_from(replace(later, jobs=left))
        return True

    def _arrive(self, name: str) -> bool:
        job = replace(self.arrivals.pop(name), status="RUNNABLE")
        share = self.queue.shares.get(job.share)
        if share is None or share.state == DISABLED:
            self._note("refused", job)
            return False
        self.jobs[name] = job
        self._note("submitted", job)
        return True
