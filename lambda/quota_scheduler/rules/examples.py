"""Apply the rules to a rule's own examples, for the documentation, the command line and the tests."""

from __future__ import annotations

import json

from quota_scheduler.rules.documents import queue_configuration
from quota_scheduler.rules.registry import check_queue, check_queues, check_update
from quota_scheduler.rules.rule import QUEUE, SEVERAL_QUEUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from quota_scheduler.rules.finding import Finding
    from quota_scheduler.rules.rule import Rule


def findings_of(rule: Rule, example: str) -> tuple[Finding, ...]:
    """Give what the rules find in an example of a rule, in the way that the rule looks at it.

    Args:
        rule: whose example it is.
        example: `rule.bad` or `rule.good`.
    """
    document = json.loads(example)
    if rule.looks_at == QUEUE:
        return check_queue(queue_configuration(document))
    queues = [queue_configuration(entry) for entry in document]
    return check_queues(queues) if rule.looks_at == SEVERAL_QUEUES else check_update(*queues)


def message_of(rule: Rule) -> str:
    """Give what the rule says about its bad example.

    >>> from quota_scheduler.rules import RULES
    >>> message_of(RULES["QS022"])
    'in-share preemption of share nlp must be ENABLED or DISABLED, got ON'
    """
    return next(finding.message for finding in findings_of(rule, rule.bad) if finding.id == rule.id)
