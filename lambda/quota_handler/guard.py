"""The guard of a stack: reads, assesses, answers; changes nothing.

    Delete                                passes at once
    rollback, clean-up, deletion          passes whatever the account is like: a failure there leaves the stack stuck
    Create, Update                        assesses everything the stack declares, and answers by the policy
    the account cannot be read            answers by `onUnknown`

If not even the status can be read, the way back from what this process has just blocked for that reason is still known
by its old properties, and passes.

A status that cannot be read does no harm to a change that passes; one that would be blocked stays blocked, with both
reasons: jobs that were stopped cannot be brought back, a stuck rollback can be continued.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from quota_handler.answer import FAILED, SUCCESS, Answer
from quota_handler.request import DELETE, GUARD_ID
from quota_handler.stack_phase import Phase, phase_of
from quota_live.deployment import Options, evaluate
from quota_live.errors import LiveError, UnsupportedSdkError
from quota_live.judgement import is_unknown_acknowledged, judge
from quota_live.policy import BLOCK, WARN, Policy, parse_policy
from quota_live.sentences import blocked_line, headline, job_lines
from quota_live.stack import read_stack_status
from quota_scheduler import VERDICTS, DocumentError
from quota_scheduler.proposal import Proposal, parse_proposal
from quota_scheduler.verdict import worst
from quota_scheduler.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quota_handler.request import Request
    from quota_live.clients import Clients
    from quota_live.judgement import Judgement

SKIPPED = "skipped"
"""Verdict where nothing was assessed."""

UNKNOWN = "unknown"
"""Verdict where the account could not be read."""

MOST_JOBS_NAMED = 20
MOST_ADVICE = 3

MOST_PROTECTED = 5000
"""Jobs at risk whose tags are read where the policy protects jobs by tag."""

_PASSING_PHASES = {
    Phase.ROLLBACK: "the stack is rolling back",
    Phase.BACK: "the stack has rolled back",
    Phase.CLEANUP: "the stack is cleaning up",
    Phase.DELETE: "the stack is being deleted",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard answers, with what it is based on.

    Args:
        answer: to CloudFormation.
        judgements: of the queues, the worst first; empty where nothing was assessed.
        policy: of the guard; the default one where it was not read.
    """

    answer: Answer
    judgements: tuple[Judgement, ...] = ()
    policy: Policy = field(default_factory=Policy)


@dataclass(slots=True)
class Guard:
    """Serves the requests of one guard.

    Args:
        request: what CloudFormation asks for.
        clients: of the account.
        options: how the deployment is evaluated.
        blocked: what this process has blocked without having read the account; it is added to.
        phase: in which the stack is, once that is known.
        policy: of the guard, once it is read.
    """

    request: Request
    clients: Clients
    options: Options
    blocked: set[str] = field(default_factory=set)
    phase: Phase = Phase.UNKNOWN
    policy: Policy | None = None
    _status_error: str = ""

    def serve(self) -> Verdict:
        """Answer the request. It never raises for what is wrong with the account."""
        if self.request.request_type == DELETE:
            return Verdict(Answer(SUCCESS, self.request.physical_id or GUARD_ID))
        self._read_phase()
        if self.phase in _PASSING_PHASES:
            return Verdict(_passed(SKIPPED, f"{_PASSING_PHASES[self.phase]}: nothing is assessed"))
        try:
            self.policy = parse_policy(self.request.text("Policy") or "{}")
            new = parse_proposal(self.request.text("Proposal"))
        except DocumentError as error:
            return Verdict(_unreadable(error))
        try:
            plans = evaluate(self.clients, self.request.stack_id, new, self._old_proposal(new), self._options())
        except (LiveError, UnsupportedSdkError) as error:
            return self.unknown(str(error))
        judged = [judge(plan, self.policy, self.request.text("Acknowledge")) for plan in plans]
        judged.sort(key=_worst_first)
        return Verdict(self._answer(judged), tuple(judged), self.policy)

    def unknown(self, reason: str) -> Verdict:
        """Answer where the account could not be read, by the policy.

        Args:
            reason: why.
        """
        if self.phase in _PASSING_PHASES:
            return Verdict(_passed(SKIPPED, f"{_PASSING_PHASES[self.phase]}: nothing is assessed"))
        if self.phase is Phase.UNKNOWN and _name_of(self.request, self.request.old_properties) in self.blocked:
            return Verdict(_passed(SKIPPED, "the stack goes back from what was blocked: nothing is assessed"))
        policy = self.policy or Policy()
        summary = f"the guard could not read the account: {reason}"
        if policy.on_unknown != BLOCK or is_unknown_acknowledged(self.request.text("Acknowledge")):
            return Verdict(_passed(UNKNOWN, summary, UNKNOWN), policy=policy)
        first = (
            f"{summary}. Nothing was changed. To deploy without a check: cdk deploy -c quota-acknowledge=unknown "
            "(or --parameters QuotaAcknowledge=unknown)"
        )
        self.blocked.add(_name_of(self.request, self.request.properties))
        return Verdict(Answer(FAILED, GUARD_ID, (first, *self._status_lines())), policy=policy)

    def _options(self) -> Options:
        """Read the tags of every job at risk where tags protect."""
        protects = self.policy is not None and self.policy.protected_tags
        return replace(self.options, most_details=MOST_PROTECTED) if protects else self.options

    def _read_phase(self) -> None:
        try:
            self.phase = phase_of(read_stack_status(self.clients, self.request.stack_id))
        except LiveError as error:
            self._status_error = str(error)

    def _status_lines(self) -> tuple[str, ...]:
        if not self._status_error:
            return ()
        return (
            f"the stack's status could not be read either, so that a rollback is not recognised: {self._status_error}",
        )

    def _old_proposal(self, new: Proposal) -> Proposal | None:
        """Read what was declared before, as far as that helps.

        One that cannot be read, or is the same as the new one, is left aside: then everything that is declared is
        compared with what is live. docs/decisions/0041-old-properties-are-a-hint.md.
        """
        text = self.request.old_text("Proposal")
        if not text:
            return None
        try:
            old = parse_proposal(text)
        except DocumentError:
            return None
        return None if old == new else old

    def _answer(self, judged: Sequence[Judgement]) -> Answer:
        verdict = worst(judgement.plan.verdict for judgement in judged)
        blocked = [judgement for judgement in judged if judgement.is_blocked]
        if blocked:
            lines = [line for judgement in blocked for line in _lines(judgement)]
            return Answer(FAILED, GUARD_ID, (blocked_line(judged), *lines, *self._status_lines()))
        told = [headline(judgement.plan) for judgement in judged if judgement.action in (WARN, BLOCK)]
        acknowledgement = ",".join(judgement.acknowledgement for judgement in judged if judgement.plan.is_live)
        if not told:
            told = ["no job is at risk" if verdict == "safe" else "passed, as the policy ignores this verdict"]
        told += [note for judgement in judged for note in judgement.plan.notes]
        return _passed(verdict, "; ".join(told), acknowledgement, judged)


def _name_of(request: Request, properties: Mapping[str, object]) -> str:
    """Give a name to what a stack asks its guard for."""
    return json.dumps([request.stack_id, request.logical_id, dict(properties)], sort_keys=True)


def _worst_first(judgement: Judgement) -> tuple[bool, int]:
    return (not judgement.is_blocked, VERDICTS.index(judgement.plan.verdict))


def _lines(judgement: Judgement) -> tuple[str, ...]:
    """Give what follows the first line: the jobs, and what else a reader should know."""
    plan = judgement.plan
    at_risk = plan.jobs_at_risk
    lines = list(job_lines(plan, at_risk)[:MOST_JOBS_NAMED])
    if len(at_risk) > MOST_JOBS_NAMED:
        lines.append(f"and {count(len(at_risk) - MOST_JOBS_NAMED, 'more job')}")
    lines += judgement.reasons
    lines += [f"advice: {advice.sentence}" for advice in plan.assessment.advice[:MOST_ADVICE]]
    lines += [f"drift: {where}: {what}" for where, what in plan.drift]
    lines += plan.notes
    return tuple(lines)


def _passed(verdict: str, summary: str, acknowledgement: str = "", judged: Sequence[Judgement] = ()) -> Answer:
    """Succeed, with all attributes that a template may read."""
    assessments = [judgement.plan.assessment for judgement in judged]
    data = {
        "Verdict": verdict,
        "Summary": summary,
        "Acknowledge": acknowledgement,
        "NewlyEligible": str(sum(len(assessment.newly_eligible) for assessment in assessments)),
        "Possible": str(sum(len(assessment.possible) for assessment in assessments)),
        "Terminated": str(sum(len(assessment.terminated) for assessment in assessments)),
        "GpuHours": _hours(sum(assessment.bounds.gpu_hours[1] for assessment in assessments)),
    }
    return Answer(SUCCESS, GUARD_ID, data=data)


def _hours(hours: float) -> str:
    return f"{hours:.4f}".rstrip("0").rstrip(".")


def _unreadable(error: DocumentError) -> Answer:
    first, *rest = str(error).splitlines()
    line = (
        f"the guard cannot read what the stack declares: {first}; deploy with the same version of quota-constructs for "
        "the whole stack"
    )
    return Answer(FAILED, GUARD_ID, (line, *rest))
