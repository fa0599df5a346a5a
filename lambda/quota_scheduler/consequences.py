"""What a verdict means for people, with the numbers behind it. Guard, plan and every report say the same sentences."""

from __future__ import annotations

from quota_scheduler.rules import check_state, introduced_errors
from quota_scheduler.share_rows import further_over
from quota_scheduler.verdict import VERDICTS
from quota_scheduler.wording import count, flat, listed, number, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from quota_scheduler.assessment import Assessment
    from quota_scheduler.rules import Finding
    from quota_scheduler.state import QueueState

    Sentences = tuple[str, ...]
    Step = tuple[str, str, Assessment]
    """A state that is passed through: label, verdict of its risk alone, and what reaching it does."""

MOST_NAMED = 3
"""Jobs, shares or errors named in one sentence; more are counted."""


def consequences(assessment: Assessment, state: QueueState, declared: Sequence[Finding] = ()) -> Sentences:
    """Say what a change does.

    Args:
        assessment: of the change.
        state: the queue without it.
        declared: errors in what is declared that a state cannot show.

    Returns:
        A sentence a fact, what made the verdict first; then what waiting work would stop, and what would start.
    """
    sentences = [*main_consequences(assessment, state, declared)]
    if declared and assessment.verdict != "invalid":
        sentences += main_consequences(assessment, state)
    beside = (_claimed(assessment), _starts(assessment, state))
    return (*sentences, *(sentence for sentence in beside if sentence))


def main_consequences(assessment: Assessment, state: QueueState, declared: Sequence[Finding] = ()) -> Sentences:
    """Say only what made the verdict; the arguments are those of `consequences`."""
    if declared or assessment.verdict == "invalid":
        return _invalid(assessment, state, declared)
    return _OF_VERDICT[assessment.verdict](assessment, state)


def consequences_on_the_way(assessment: Assessment, state: QueueState, steps: Iterable[Step]) -> Sentences:
    """Say what happens on the way and is worse than the end, or can lose more, a sentence a step.

    Args:
        assessment: of the whole change.
        state: the queue without it.
        steps: the states in between, in order.
    """
    told = []
    for label, verdict, step in steps:
        if VERDICTS.index(verdict) < VERDICTS.index(assessment.verdict):
            told.append(f"on the way ({label}): {'; '.join(_OF_VERDICT[verdict](step, state))}")
        elif _most(step) > _most(assessment):
            told.append(f"on the way ({label}): {_stopped(step)}")
    return tuple(told)


def _most(assessment: Assessment) -> tuple[int, float]:
    return assessment.bounds.jobs[1], assessment.bounds.gpu_hours[1]


def _invalid(assessment: Assessment, state: QueueState, declared: Sequence[Finding]) -> Sentences:
    errors = (*declared, *introduced_errors(check_state(state), assessment.findings))
    told = [f"{' '.join(error.message.split())} [{error.id}]" for error in dict.fromkeys(errors)]
    why = listed(told, MOST_NAMED, "; ", "more error")
    return (f"the queue would not be valid: {why}" if why else "the queue would not be valid",)


def _destructive(assessment: Assessment, state: QueueState) -> Sentences:
    sentences = []
    terminated = assessment.terminated
    if terminated:
        lost = sum(assessment.jobs[job_id].loss_gpu_hours[1] for job_id in terminated)
        sentences.append(
            f"removing {_what_goes(assessment)} ends {count(len(terminated), 'unfinished job')}: "
            f"{_named(terminated, state)} ({number(lost)} GPU-hours lost)"
        )
    newly = [job_id for job_id in assessment.never_fits if assessment.jobs[job_id].newly]
    if newly:
        shares = _shares(assessment, newly)
        sentences.append(
            f"{count(len(newly), 'waiting job')} of {shares} could never run any more: {_named(newly, state)}"
        )
    return tuple(sentences)


def _what_goes(assessment: Assessment) -> str:
    """Say what goes: all shares where no one of several stays, else those that have jobs."""
    gone = [all(row["limit_after"] is None for row in rows.values()) for rows in assessment.shares.values()]
    return "all shares" if len(gone) > 1 and all(gone) else _shares(assessment, assessment.terminated)


def _disruptive(assessment: Assessment, state: QueueState) -> Sentences:
    return (f"with this change, {_stopped(assessment)}",)


def _at_risk(assessment: Assessment, state: QueueState) -> Sentences:
    newly = assessment.newly_eligible
    if newly:
        over = _over(assessment, assessment.over_after)
        verb = "becomes" if len(newly) == 1 else "become"
        first = f"{count(len(newly), 'running job')} {verb} eligible for preemption: {_named(newly, state)}"
        if over:
            first += f" (above {_limits(assessment.over_after)}: {over})"
    else:
        grown = further_over(assessment.shares)
        first = (
            f"no running job becomes eligible for preemption that was not, but {count(len(grown), 'share')} "
            f"{'is' if len(grown) == 1 else 'are'} further above {_limits(grown)}: {_over(assessment, grown)}"
        )
    if assessment.possible:
        claimed = "what waits now stops no further job because of this change"
    else:
        claimed = "nothing that waits now would claim this room"
    return (first, f"{claimed}; work that is submitted later may")


def _limits(shares: Collection[str]) -> str:
    return "its limit" if len(shares) == 1 else "their limits"


def _over(assessment: Assessment, shares: Iterable[str]) -> str:
    return listed([f"{flat(name)} by {_by(assessment, name)}" for name in sorted(shares)], MOST_NAMED)


def _by(assessment: Assessment, share: str) -> str:
    """Say how far a share is over, and how far it was where it was before."""
    before = sum(row["over_before"] or 0 for row in assessment.shares[share].values())
    after = assessment.over_after[share]
    return f"{after}, {before} before" if before and before != after else str(after)


def _notice(assessment: Assessment, state: QueueState) -> Sentences:
    possible = assessment.possible
    if possible:
        who = count(len(possible), "running job")
        named = _named(possible, state)
        anyway = ", with or without this change" if assessment.change.to_dict() else ""
        return (f"{who} may be stopped by work that waits now{anyway}: {named}",)
    return ("no running job is put at risk, but work starts later than it would, or only when usage has fallen",)


def _safe(assessment: Assessment, state: QueueState) -> Sentences:
    already = len(assessment.eligible)
    quiet = "no running or waiting job is put at risk"
    if already:
        who = f"{count(already, 'running job')} {'is' if already == 1 else 'are'}"
        quiet = f"no further job is put at risk; {who} eligible for preemption already"
    return (quiet if assessment.change.to_dict() else f"nothing changes, and {quiet}",)


def _claimed(assessment: Assessment) -> str:
    return _stopped(assessment) if assessment.possible and assessment.verdict != "disruptive" else ""


def _stopped(assessment: Assessment) -> str:
    bounds = assessment.bounds
    jobs = f"{span(*bounds.jobs)} running {'job' if bounds.jobs[1] == 1 else 'jobs'}"
    instances = f"{span(*bounds.instances)} {'instance' if bounds.instances[1] == 1 else 'instances'}"
    hours = number(bounds.gpu_hours[1])
    most = hours if hours.startswith("<") else f"up to {hours}"
    return f"work that waits now would stop {jobs} ({instances}, {most} GPU-hours)"


def _starts(assessment: Assessment, state: QueueState) -> str:
    starts = assessment.starts
    return f"{count(len(starts), 'waiting job')} would start: {_named(starts, state)}" if starts else ""


def _named(job_ids: Sequence[str], state: QueueState) -> str:
    wanted = set(job_ids[:MOST_NAMED])
    names = {job.id: job.name for job in state.jobs if job.id in wanted}
    return listed([flat(names.get(job_id) or job_id) for job_id in job_ids], MOST_NAMED)


def _shares(assessment: Assessment, job_ids: Iterable[str]) -> str:
    names = sorted({assessment.jobs[job_id].share for job_id in job_ids})
    return f"share {flat(names[0])}" if len(names) == 1 else f"shares {listed([*map(flat, names)], MOST_NAMED)}"


_OF_VERDICT: dict[str, Callable[[Assessment, QueueState], Sentences]] = {
    "destructive": _destructive,
    "disruptive": _disruptive,
    "at_risk": _at_risk,
    "notice": _notice,
    "safe": _safe,
}
