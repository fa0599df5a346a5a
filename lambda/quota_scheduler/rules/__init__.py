"""The rules of configuration QS001…: what a queue with quota shares may look like.

The rules are data (`RULES`), one family a file. They look at one form of a configuration, whoever asks: a live queue
(`check_state`), a proposal or a template (`quota_scheduler.rules.documents`), a construct before synthesis. Each
function gives all findings at once.
"""

from __future__ import annotations

from quota_scheduler.rules.configuration import (
    UNKNOWN,
    EnvironmentConfiguration,
    JobConfiguration,
    PolicyConfiguration,
    QueueConfiguration,
    ShareConfiguration,
    TimeLimitConfiguration,
    Unknown,
)
from quota_scheduler.rules.finding import ERROR, INFO, SEVERITIES, WARNING, Finding
from quota_scheduler.rules.registry import (
    RULES,
    check_job,
    check_queue,
    check_queues,
    check_update,
    introduced_errors,
)
from quota_scheduler.rules.rule import Rule
from quota_scheduler.rules.states import check_state, configuration_of_state

__all__ = [
    "ERROR",
    "INFO",
    "RULES",
    "SEVERITIES",
    "UNKNOWN",
    "WARNING",
    "EnvironmentConfiguration",
    "Finding",
    "JobConfiguration",
    "PolicyConfiguration",
    "QueueConfiguration",
    "Rule",
    "ShareConfiguration",
    "TimeLimitConfiguration",
    "Unknown",
    "check_job",
    "check_queue",
    "check_queues",
    "check_state",
    "check_update",
    "configuration_of_state",
    "introduced_errors",
]
