"""For a user's own tests: templates to keep as snapshots, states to test against, and whether a change is safe.

    from quota_constructs.testing import assert_change_is_safe, queue_state, running, scrubbed, share

    def test_the_cut_hurts_nobody():
        research = share("Research", {"ml.g5.xlarge": 4})
        state = queue_state({"ml.g5.xlarge": 4}, [research], [running("train", "Research")])
        assert_change_is_safe(before, after, state)

They need no account, and neither the CDK nor boto3.
"""

from quota_constructs.testing.change import assert_change_is_safe
from quota_constructs.testing.states import AT, queue_state, running, share, waiting
from quota_constructs.testing.templates import scrubbed

__all__ = [
    "AT",
    "assert_change_is_safe",
    "queue_state",
    "running",
    "scrubbed",
    "share",
    "waiting",
]
