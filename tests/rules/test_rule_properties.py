"""What holds for every configuration, sensible or not."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rules_support import limits

from quota_scheduler.rules import RULES, SEVERITIES, UNKNOWN, QueueConfiguration, check_queue, check_state
from quota_scheduler.rules.documents import queue_configuration
from quota_scheduler.share import STRATEGIES, Share
from quota_scheduler.state import QueueState

TYPES = ("ml.g5.xlarge", "ml.p5.48xlarge", "g5.xlarge", "ml.m5.large", "NUM_INSTANCES")
ODD = (None, True, False, 0, -1, 5, 10**30, 0.5, float("nan"), "", "4", "-7", "a", "ENABLED", *TYPES, *STRATEGIES)
MEMBERS = [
    "queue",
    "environment",
    "schedulingPolicy",
    "shares",
    "jobs",
    "jobStateTimeLimitActions",
    "capacityLimits",
    "capacityUnit",
    "maxCapacity",
    "quotaShareName",
    "name",
    "strategy",
    "borrowLimit",
    "resourceSharingConfiguration",
    "preemptionConfiguration",
    "inSharePreemption",
    "state",
    "tags",
    "priority",
    "reason",
    "maxTimeSeconds",
    "action",
    "quotaSharePolicy",
    "Ref",
]
# Documents that have the right members in the wrong places, with odd values in them.
documents = st.recursive(
    st.sampled_from(ODD) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
    max_leaves=20,
)
amounts = st.dictionaries(st.sampled_from(TYPES), st.integers(0, 9), max_size=4)
states = st.builds(
    lambda environment, shares: QueueState(0, environment, {share.name: share for share in shares}, ()),
    amounts,
    st.lists(
        st.builds(
            Share,
            st.sampled_from(("a", "b", "c", "d e")),
            amounts,
            st.sampled_from(STRATEGIES),
            st.sampled_from((-1, 0, 30, 200)),
        ),
        max_size=4,
    ),
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(MEMBERS), documents, max_size=6), st.booleans())
def test_any_document_gives_findings_that_can_be_shown(document: dict[str, Any], whole: bool) -> None:
    configuration = queue_configuration(document, whole=whole)
    found = check_queue(configuration)
    assert found == check_queue(configuration)
    assert list(found) == sorted(found)
    for finding in found:
        assert finding.severity == RULES[finding.id].severity
        assert finding.severity in SEVERITIES
        assert finding.where
        assert finding.message


@settings(deadline=None)
@given(states, st.booleans(), st.data())
def test_order_makes_no_difference(state: QueueState, allow: bool, data: st.DataObject) -> None:
    shuffled = QueueState(
        0,
        dict(data.draw(st.permutations(list(state.environment.items())))),
        {
            share.name: Share(
                share.name,
                dict(data.draw(st.permutations(list(share.limits.items())))),
                share.strategy,
                share.borrow_limit_percent,
            )
            for share in data.draw(st.permutations(list(state.shares.values())))
        },
        (),
    )
    assert check_state(shuffled, allow) == check_state(state, allow)


@settings(deadline=None)
@given(states)
def test_a_state_and_its_document_have_the_same_errors(state: QueueState) -> None:
    """Synth and guard read documents, the command line reads states: they must not disagree."""
    document = {
        "environment": {"capacityLimits": limits(**state.environment)},
        "shares": [
            {
                "quotaShareName": share.name,
                "capacityLimits": limits(**share.limits),
                "resourceSharingConfiguration": {
                    "strategy": share.strategy,
                    **(
                        {"borrowLimit": share.borrow_limit_percent}
                        if share.borrows or share.borrow_limit_percent != -1
                        else {}
                    ),
                },
                "preemptionConfiguration": {"inSharePreemption": "DISABLED"},
            }
            for share in state.shares.values()
        ],
    }
    assert check_queue(queue_configuration(document)) == check_state(state)


@settings(deadline=None)
@given(states)
def test_more_room_never_makes_a_new_error_of_capacity(state: QueueState) -> None:
    """Raising the environment mends QS007 and QS009 and breaks nothing but QS010, a warning."""
    raised = QueueState(0, dict.fromkeys((*state.environment, *TYPES), 100), state.shares, ())
    capacity = {"QS007", "QS008", "QS009"}
    assert not [finding for finding in check_state(raised) if finding.id in capacity]


def test_nothing_known_breaks_no_rule() -> None:
    assert check_queue(QueueConfiguration()) == ()
    assert repr(UNKNOWN) == "UNKNOWN"
