"""What the rules say where numbers and names make the message."""

from typing import Any

import pytest
from rules_support import BOTH, queue, share

from quota_scheduler.rules import check_queue
from quota_scheduler.rules.documents import queue_configuration

MESSAGES = [
    (
        "QS017",
        queue(share("A", BOTH, -1, p5=4), share("B", BOTH, p5=8), share("C", "RESERVE", p5=4), environment={"p5": 16}),
        (
            "share A alone may hold 12 of 16 ml.p5.48xlarge with a limit of 4, since it borrows without limit, as "
            "share B may; whoever asks first takes all that is idle, so give it a limit"
        ),
    ),
    (
        "QS017",
        queue(*(share(name, BOTH, -1, p5=1) for name in "ABCDE")),
        (
            "share A alone may hold 5 ml.p5.48xlarge with a limit of 1, since it borrows without limit, as "
            "4 other shares may; whoever asks first takes all that is idle, so give it a limit"
        ),
    ),
    (
        "QS009",
        queue(share("b", p5=4), share("a", p5=4), share("c", p5=9), environment={"p5": 16}),
        (
            "the limits for ml.p5.48xlarge add up to 17 (c 9, a 4, b 4), the service environment has 16; lower them by "
            "1, raise the environment to 17, or allow oversubscription by name"
        ),
    ),
    (
        "QS006",
        queue(share("a", p4=1)),
        (
            "share a has a limit for ml.p4.24xlarge, which is not among the 225 instance types known for SageMaker "
            "Training; did you mean ml.p4d.24xlarge?"
        ),
    ),
    (
        "QS018",
        queue(share("a", BOTH, 30, p5=3, g5=2)),
        (
            "share a cannot borrow, since 30 % of 2 ml.g5.xlarge and of 3 ml.p5.48xlarge is less than one; give at "
            "least 50"
        ),
    ),
    (
        "QS010",
        queue(share("a", p5=15), environment={"p5": 16}),
        (
            "1 of 16 ml.p5.48xlarge belongs to no share, and shares borrow only from the limits of others, so this "
            "stays idle; raise a limit or lower the environment to 15"
        ),
    ),
]


@pytest.mark.parametrize(("rule", "document", "want"), MESSAGES)
def test_says(rule: str, document: dict[str, Any], want: str) -> None:
    assert want in [finding.message for finding in check_queue(queue_configuration(document)) if finding.id == rule]
