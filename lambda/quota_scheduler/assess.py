"""What a change would do to the work in a queue: before and after, side by side."""

from __future__ import annotations

from quota_scheduler.change import Change
from quota_scheduler.knobs import Knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.assessment import Assessment
    from quota_scheduler.state import QueueState


def assess(
    state: QueueState,
    change: Change = Change(),  # noqa: B008  # immutable
    knobs: Knobs = Knobs(),  # noqa: B008  # immutable
    allow_oversubscription: bool = False,
    *,
    with_advice: bool = True,
) -> Assessment:
    """Work out what a change would do to the work in a queue.

    Args:
        state: the queue as it is now; it stays as it is.
        change: what is to be different; without it the assessment tells what is at risk now.
        knobs: what is assumed about the scheduler.
        allow_oversubscription: whether limits may add up to more than the environment has.
        with_advice: whether advice and assumptions are worked out, too; they take most of the time.

    Returns:
        The assessment.

    Raises:
        DocumentError: the change removes an unknown share, or a new share is not complete.
    """
    # Imported here: who only explains, simulates or reads states pays for neither assessments nor rules nor advice.
    from quota_scheduler.assessing import assess_change

    return assess_change(state, change, knobs, allow_oversubscription, with_advice=with_advice)
