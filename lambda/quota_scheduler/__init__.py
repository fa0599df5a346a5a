"""The scheduler of a job queue with quota management, as pure functions over immutable values.

Standard library only; no clock, no randomness, no environment, no input or output. Where AWS documents a rule, the
docstring names the source; where it does not, the rule is a knob with a default (`knobs.py`), and results name
each knob that mattered. docs/model.md is the same in prose.
"""

from quota_scheduler.acknowledgement import acknowledgement, acknowledges
from quota_scheduler.assess import assess
from quota_scheduler.change import Change, apply_change, parse_change
from quota_scheduler.closure import eligible_until_settled
from quota_scheduler.cycle import cycle
from quota_scheduler.decision import Decision
from quota_scheduler.errors import DocumentError, Problem
from quota_scheduler.explain import explain, explain_submission
from quota_scheduler.job import Job
from quota_scheduler.knobs import Knobs, parse_knobs
from quota_scheduler.share import Share
from quota_scheduler.state import QueueState, TimeLimitAction
from quota_scheduler.state_document import parse_state
from quota_scheduler.transitions import apply_decisions, end_stopped
from quota_scheduler.verdict import VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.assessment import Assessment, Assumption, Bounds, JobRisk

__all__ = [
    "VERDICTS",
    "Assessment",
    "Assumption",
    "Bounds",
    "Change",
    "Decision",
    "DocumentError",
    "Job",
    "JobRisk",
    "Knobs",
    "Problem",
    "QueueState",
    "Share",
    "TimeLimitAction",
    "acknowledgement",
    "acknowledges",
    "apply_change",
    "apply_decisions",
    "assess",
    "cycle",
    "eligible_until_settled",
    "end_stopped",
    "explain",
    "explain_submission",
    "parse_change",
    "parse_knobs",
    "parse_state",
]


def __getattr__(name: str) -> object:
    """Load the values that only `assess` gives back when somebody asks for them."""
    if name in ("Assessment", "Assumption", "Bounds", "JobRisk"):
        from quota_scheduler import assessment

        return getattr(assessment, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
