"""What a deployment would do to the live queues: the one answer of the guard, the plan and the synth-time check.

1. the stack's resources, and with them the live queue of each declaration (`targets.py`);
2. each queue's lists (`collect.py`);
3. the change, and the priorities that matter before, in between and after;
4. the assessment (`plan.py`);
5. details of the jobs it puts at risk: owner, tags, retries.

Left out: what to make of it (`policy.py`), and how to say it (`sentences.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from quota_live.need import jobs_with_priority_that_matters
from quota_live.plan import QueuePlan, change_of, plan_queue, steps_of
from quota_live.read_options import ReadOptions
from quota_live.stack import read_stack
from quota_live.targets import QueueTarget, find_targets
from quota_scheduler import Knobs, apply_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_live.clients import Clients
    from quota_live.reader import Reader
    from quota_scheduler.proposal import Proposal

MOST_DETAILS = 200
"""Jobs at risk whose owner, tags and retries are read, unless more is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ReadOptions):
    """How a deployment is evaluated; `ReadOptions` has how the account is read for it.

    Args:
        knobs: of the model.
        most_details: jobs at risk whose owner, tags and retries are read, the worst first.
    """

    knobs: Knobs = field(default_factory=Knobs)
    most_details: int = MOST_DETAILS


def evaluate(
    clients: Clients,
    stack: str | None,
    proposal_new: Proposal,
    proposal_old: Proposal | None = None,
    options: Options | None = None,
) -> tuple[QueuePlan, ...]:
    """Work out what a deployment would do.

    Args:
        clients: of the account.
        stack: name or id of the stack; None if it does not exist yet.
        proposal_new: what the deployment declares.
        proposal_old: what was declared before; None if nobody knows, which takes all declarations for changed.
        options: how to do it; None takes the defaults.

    Returns:
        One plan for each declared queue, and for each live queue that loses something, in that order.

    Raises:
        LiveError: the account could not be read.
        UnsupportedSdkError: the SDK does not know quota management.
        NoQuotaManagementError: a queue has no quota management.
    """
    from quota_live.reader import Reader  # plans of states that are at hand load no client

    options = options or Options()
    resources = read_stack(clients, stack) if stack is not None else ()
    reader = Reader.of(clients, options)
    return tuple(_evaluate(reader, target, options) for target in find_targets(proposal_new, proposal_old, resources))


def _evaluate(reader: Reader, target: QueueTarget, options: Options) -> QueuePlan:
    if target.queue_arn is None:
        return plan_queue(target, None, options.knobs, options.now())
    from quota_live.collect import describe, read_lists

    collected = read_lists(reader, target.queue_arn)
    live = collected.state
    change = change_of(target, live)
    states = [live, *(apply_change(live, step) for _, step in steps_of(change, live)), apply_change(live, change)]
    collected = describe(reader, collected, jobs_with_priority_that_matters(states))
    first = plan_queue(target, collected.state, options.knobs, with_advice=False)
    collected = describe(reader, collected, first.jobs_at_risk[: options.most_details])
    plan = plan_queue(target, collected.state, options.knobs)
    return replace(plan, notes=(*collected.notes, *plan.notes), torn=collected.torn, tags=collected.tags)
