"""The steps of `assess`: apply the change, work out the risk before and after, and write down the difference."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from quota_scheduler.advice import advise
from quota_scheduler.assessment import Assessment, Bounds
from quota_scheduler.assumptions import assumptions_of
from quota_scheduler.change import apply_change
from quota_scheduler.job_index import JobIndex
from quota_scheduler.job_risks import job_risks
from quota_scheduler.loss import gpu_hours
from quota_scheduler.risk import risk_of
from quota_scheduler.rules import check_state, introduced_errors
from quota_scheduler.share_rows import further_over, over_after, share_rows
from quota_scheduler.verdict import is_out_of_reach, risk_verdict_of, verdict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.change import Change
    from quota_scheduler.knobs import Knobs
    from quota_scheduler.risk import Risk
    from quota_scheduler.state import QueueState


def assess_change(
    state: QueueState, change: Change, knobs: Knobs, allow_oversubscription: bool, *, with_advice: bool
) -> Assessment:
    """Give the assessment; arguments and errors are those of `assess`."""
    after_state = apply_change(state, change)
    index = JobIndex(state.jobs)
    before = risk_of(state, index, knobs)
    is_same = after_state == state
    after = before if is_same else risk_of(after_state, index, knobs)
    terminated = _terminated(index, state, after_state)
    findings = check_state(after_state, allow_oversubscription)
    errors = () if is_same else introduced_errors(check_state(state, allow_oversubscription), findings)
    rows = share_rows(state, after_state, index, knobs)
    risk_verdict = risk_verdict_of(
        before,
        after,
        is_further_over=bool(further_over(rows)),
        is_out_of_reach=is_out_of_reach(state, after_state, index.usage, knobs),
    )
    assessment = Assessment(
        change=change,
        verdict=verdict_of(before, after, risk_verdict, is_invalid=bool(errors), terminates=bool(terminated)),
        risk_verdict=risk_verdict,
        shares=rows,
        jobs=MappingProxyType(job_risks(index, before, after, frozenset(terminated), state.at)),
        eligible=tuple(sorted(after.eligible)),
        possible=tuple(sorted(after.possible)),
        likely=tuple(sorted(after.likely)),
        certain=tuple(sorted(after.certain)),
        newly_eligible=tuple(sorted(after.eligible - before.eligible)),
        newly_possible=tuple(sorted(after.possible - before.possible)),
        terminated=terminated,
        never_fits=tuple(sorted(after.never_fits)),
        blocked_behind=tuple(sorted(after.blocked_behind)),
        starts=tuple(sorted(after.starts)),
        bounds=_bounds(after),
        over_after=over_after(rows),
        advice=(),
        assumptions=assumptions_of(after_state, index, after) if with_advice else (),
        findings=findings,
    )
    if not with_advice:
        return assessment
    return replace(assessment, advice=advise(state, change, assessment, knobs))


def _terminated(index: JobIndex, before: QueueState, after: QueueState) -> tuple[str, ...]:
    """Give the unfinished jobs of shares that are gone."""
    removed = [name for name in before.shares if name not in after.shares]
    return tuple(
        sorted(
            [
                job.id
                for name in removed
                for jobs in (index.waiting.get(name, ()), index.dispatched.get(name, ()))
                for job in jobs
            ]
        )
    )


def _bounds(risk: Risk) -> Bounds:
    least, most = risk.least, risk.most
    return Bounds((least[0], most[0]), (least[1], most[1]), (gpu_hours(least[2]), gpu_hours(most[2])))
