"""What the guard tells beside its answer: the whole report as one log line, metrics, and a message to a topic."""

from __future__ import annotations

import json
import sys
import time

from quota_handler.guard import MOST_JOBS_NAMED
from quota_handler.responder import log
from quota_live.errors import LiveError
from quota_live.policy import IGNORE
from quota_live.sentences import headline, job_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from quota_handler.guard import Verdict
    from quota_handler.request import Request
    from quota_live.clients import Clients
    from quota_live.judgement import Judgement

NAMESPACE = "QuotaConstructs"
MOST_BYTES = 200_000
"""Of the log line; CloudWatch Logs takes 256 KB an event. Jobs that are safe or blocked are left out beyond it."""

_MOST_SUBJECT_CHARACTERS = 100
_QUIET_RISKS = ("safe", "blocked", "stopping")


def report(request: Request, verdict: Verdict) -> None:
    """Write the assessments and their metrics to the log, one line for each queue.

    Args:
        request: what was asked.
        verdict: what the guard answers.
    """
    for judgement in verdict.judgements:
        document = _document(request, judgement)
        sys.stdout.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
        sys.stdout.write(json.dumps(_metrics(request, judgement), separators=(",", ":")) + "\n")
    sys.stdout.flush()


def publish(clients: Clients, request: Request, verdict: Verdict) -> None:
    """Publish assessments that are not safe to the topic of the policy. A topic that fails stops no deployment.

    Args:
        clients: of the account.
        request: what was asked.
        verdict: what the guard answers.
    """
    topic = verdict.policy.notify_topic_arn
    told = [
        judgement for judgement in verdict.judgements if judgement.plan.verdict != "safe" and judgement.action != IGNORE
    ]
    if topic is None or not told:
        return
    from quota_live.clients import call

    state = "blocked" if any(judgement.is_blocked for judgement in told) else "passed"
    subject = f"quota guard of {request.stack_name}: {told[0].plan.verdict}, {state}".encode(
        "ascii", "replace"
    ).decode()
    try:
        call(
            clients.sns.publish,
            TopicArn=topic,
            Subject=subject[:_MOST_SUBJECT_CHARACTERS],
            Message="\n\n".join(_message(judgement) for judgement in told),
        )
    except LiveError as error:
        log("notification", message=f"the assessment could not be published: {error}")


def _message(judgement: Judgement) -> str:
    plan = judgement.plan
    jobs = job_lines(plan, plan.jobs_at_risk)[:MOST_JOBS_NAMED]
    return "\n".join((headline(plan), *jobs, f"acknowledge with {judgement.acknowledgement}"))


def _document(request: Request, judgement: Judgement) -> dict[str, Any]:
    plan = judgement.plan
    assessment: dict[str, Any] = plan.assessment.to_dict()
    document: dict[str, Any] = {
        "kind": "assessment",
        "stack": request.stack_id,
        "request_id": request.request_id,
        "label": plan.label,
        "queue": plan.queue_arn,
        "verdict": plan.verdict,
        "action": "ACKNOWLEDGED" if judgement.is_acknowledged else judgement.action,
        "reasons": list(judgement.reasons),
        "change": plan.change.to_dict(),
        "intermediate": [{"label": step.label, "verdict": step.verdict} for step in plan.intermediate],
        "drift": [{"where": where, "message": message} for where, message in plan.drift],
        "notes": list(plan.notes),
        "torn": plan.torn,
        "assessment": assessment,
    }
    if _size(document) > MOST_BYTES:
        loud = {key: entry for key, entry in assessment["jobs"].items() if entry["risk"] not in _QUIET_RISKS}
        assessment["jobs"] = loud
        for name in ("starts", "blocked_behind"):
            assessment[name] = assessment[name][:MOST_JOBS_NAMED]
        if _size(document) > MOST_BYTES:
            named = set(plan.jobs_at_risk[:MOST_JOBS_NAMED])
            assessment["jobs"] = {key: entry for key, entry in assessment["jobs"].items() if key in named}
            for name in ("eligible", "possible", "likely", "certain", "newly_eligible", "newly_possible", "terminated"):
                assessment[name] = assessment[name][:MOST_JOBS_NAMED]
        document["shortened"] = True
    return document


def _size(document: dict[str, Any]) -> int:
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())


def _metrics(request: Request, judgement: Judgement) -> dict[str, Any]:
    """Give one line in the embedded metric format. Source: CloudWatch user guide, embedded metric format."""
    plan = judgement.plan
    assessment = plan.assessment
    values = {
        "NewlyEligible": len(assessment.newly_eligible),
        "NewlyPossible": len(assessment.newly_possible),
        "Possible": len(assessment.possible),
        "Terminated": len(assessment.terminated),
        "GpuHours": assessment.bounds.gpu_hours[1],
        "Blocked": int(judgement.is_blocked),
    }
    return {
        "_aws": {
            "Timestamp": int(time.time() * 1000),
            "CloudWatchMetrics": [
                {
                    "Namespace": NAMESPACE,
                    "Dimensions": [["Stack", "Queue"]],
                    "Metrics": [{"Name": name, "Unit": "None" if name == "GpuHours" else "Count"} for name in values],
                }
            ],
        },
        "Stack": request.stack_name,
        "Queue": plan.state.queue or plan.label,
        "Verdict": plan.verdict,
        **values,
    }
