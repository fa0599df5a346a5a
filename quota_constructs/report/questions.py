"""What AWS leaves open, as questions that people understand; the knobs of the model answer them."""

from __future__ import annotations

from quota_scheduler.wording import count

QUESTIONS = {
    "victim_pool": "which jobs of a share above its limit can be taken back",
    "reclaim_scope": "what an owner can take back: room for a whole job, or any room below its limit",
    "preemptor_must_fit_limit": "whether a job larger than its share's limit can stop nothing",
    "allow_mixed": "whether one job may stop jobs of its own share and of others together",
    "order_of_remedies": "whether jobs of other shares or of the own share are stopped first",
    "in_share_while_borrowing": "whether a share may stop its own jobs and stay above its limit",
    "minimality": "whether no more jobs are stopped than needed",
    "surplus_borrowable": "whether capacity that no share owns may be borrowed",
    "reserve_floor": "who leaves the idle capacity of RESERVE shares alone",
    "borrow_rounding": "how a borrow limit of less than a whole instance is rounded",
    "borrow_unlisted_type": "whether a type without a limit of the share's own may be borrowed",
    "reduction_mode": "whether a lowered limit stops jobs at once, or when somebody needs the room",
    "reduction_trigger_own": "whether a share's own waiting job takes room back without in-share preemption",
    "env_reduction": "whether usage above a lowered environment drains or is cut",
    "hold_idle_for_blocked_owner": "whether idle capacity is kept for an owner whose job cannot run yet",
    "head_blocking": "whether the first waiting job of a share blocks those behind it",
    "fifo_key": "what borrowers queue by",
    "fifo_blocking": "whether a borrower that does not fit blocks later ones",
    "requeue_time": "what a preempted job queues by",
    "unknown_priority": "what a priority is that nobody asked for",
    "exactness": "whether all sets could be worked out exactly",
    "budget": "in so large a queue other answers were not tried to the end",
}


def assumption_text(knob: str, value: object, affected: int) -> str:
    """Say what was assumed and how many jobs it matters to.

    Args:
        knob: The name of the knob.
        value: What was assumed.
        affected: Jobs for which another answer would change the outcome.
    """
    answer = {"true": "yes", "false": "no"}.get(str(value).lower(), str(value).replace("_", " "))
    question = QUESTIONS.get(knob, knob.replace("_", " "))
    if knob == "budget":  # names the knobs, and what they matter to is not known
        return f"{question}: {value}"
    return f"{question}: {answer} ({knob}; matters to {count(affected, 'job')})"
