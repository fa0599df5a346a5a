"""What a change does to the work in a queue, as a value that can be written."""

from __future__ import annotations

from dataclasses import dataclass

from quota_scheduler.acknowledgement import acknowledgement
from quota_scheduler.state import VERSION
from quota_scheduler.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from quota_scheduler.advice.advice import Advice
    from quota_scheduler.change import Change
    from quota_scheduler.rules.finding import Finding

RISKS = (
    "terminated",
    "never_fits",
    "certain",
    "likely",
    "possible",
    "eligible",
    "stopping",
    "blocked",
    "safe",
)
"""The risks of a job; the first that holds is its risk."""


@dataclass(frozen=True, slots=True)
class JobRisk:
    """What may happen to one unfinished job.

    Args:
        share: its share.
        risk: one of `RISKS`.
        newly: whether the change makes it so.
        after_preemption: `requeued` or `failed`; None for a waiting job.
        loss_gpu_hours: least and most work that is lost if it is stopped now.
        owner: whom to tell.
        sentence: the same in words.
    """

    share: str
    risk: str
    newly: bool
    after_preemption: str | None
    loss_gpu_hours: tuple[float, float]
    owner: str | None
    sentence: str

    def to_dict(self) -> dict[str, object]:
        """Give the members in the form of an assessment document."""
        return {
            "share": self.share,
            "risk": self.risk,
            "newly": self.newly,
            "after_preemption": self.after_preemption,
            "loss_gpu_hours": list(self.loss_gpu_hours),
            "owner": self.owner,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Bounds:
    """Least and most that the waiting jobs stop, whatever the heuristic is.

    Args:
        jobs: stopped jobs.
        instances: their instances, of all types.
        gpu_hours: their lost work.
    """

    jobs: tuple[int, int]
    instances: tuple[int, int]
    gpu_hours: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Give the members in the form of an assessment document."""
        return {"jobs": list(self.jobs), "instances": list(self.instances), "gpu_hours": list(self.gpu_hours)}


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption that mattered.

    Args:
        knob: its name in `Knobs`; `unknown_priority` and `exactness` stand for what no knob can change,
            `budget` for the knobs (in `value`) that were not tried to the end.
        value: what was assumed.
        affects: ids of the jobs for which another value gives another answer.
    """

    knob: str
    value: str
    affects: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Give the members in the form of an assessment document."""
        return {"knob": self.knob, "value": self.value, "affects": list(self.affects)}


@dataclass(frozen=True, slots=True)
class Assessment(Value):
    """What a change does to the work in a queue; the members are those of the assessment document, and one more.

    Everything but `*_before` describes the state after the change. Ids are sorted.

    Args:
        change: the change that was assessed.
        verdict: one of `VERDICTS`.
        risk_verdict: the one that would hold if no rule were broken and no job ended or could never run; it is not in
            the document.
        shares: by share and type, limits before and after, usage, and how far it is over.
        jobs: every unfinished job by id.
        eligible: dispatched jobs that could be stopped.
        possible: those that some minimal set for what waits now has.
        likely: those that the default heuristic stops.
        certain: those that are stopped in any case.
        newly_eligible: eligible after and not before the change.
        newly_possible: possible after and not before the change.
        terminated: unfinished jobs of shares that the change removes.
        never_fits: waiting jobs that can never run.
        blocked_behind: waiting jobs behind one of those.
        starts: waiting jobs that get their capacity.
        bounds: least and most that is stopped for what waits now.
        over_after: by share, instances above its limits; only shares that are.
        advice: how to lose less.
        assumptions: each assumption that mattered.
        findings: what the rules of configuration say about the state after the change.
    """

    change: Change
    verdict: str
    risk_verdict: str
    shares: Mapping[str, Mapping[str, Mapping[str, int | None]]]
    jobs: Mapping[str, JobRisk]
    eligible: tuple[str, ...]
    possible: tuple[str, ...]
    likely: tuple[str, ...]
    certain: tuple[str, ...]
    newly_eligible: tuple[str, ...]
    newly_possible: tuple[str, ...]
    terminated: tuple[str, ...]
    never_fits: tuple[str, ...]
    blocked_behind: tuple[str, ...]
    starts: tuple[str, ...]
    bounds: Bounds
    over_after: Mapping[str, int]
    advice: tuple[Advice, ...]
    assumptions: tuple[Assumption, ...]
    findings: tuple[Finding, ...]

    @property
    def acknowledge(self) -> str:
        """What a deployment has to carry for this change to go through where it is blocked."""
        return acknowledgement(self.change, self.terminated, self.bounds)

    def to_dict(self) -> dict[str, object]:
        """Give the assessment document."""
        document: dict[str, object] = {
            "version": VERSION,
            "acknowledge": self.acknowledge,
            "verdict": self.verdict,
            "shares": {name: {unit: dict(row) for unit, row in rows.items()} for name, rows in self.shares.items()},
            "jobs": {job_id: job.to_dict() for job_id, job in self.jobs.items()},
        }
        for name in _ID_LISTS:
            document[name] = list(getattr(self, name))
        document["bounds"] = self.bounds.to_dict()
        document["over_after"] = dict(self.over_after)
        document["advice"] = [advice.to_dict() for advice in self.advice]
        document["assumptions"] = [assumption.to_dict() for assumption in self.assumptions]
        document["findings"] = [finding.to_dict() for finding in self.findings]
        return document


_ID_LISTS = (
    "eligible",
    "possible",
    "likely",
    "certain",
    "newly_eligible",
    "newly_possible",
    "terminated",
    "never_fits",
    "blocked_behind",
    "starts",
)
