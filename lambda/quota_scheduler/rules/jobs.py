"""Rules about what a job asks for."""

from __future__ import annotations

from quota_scheduler.rules.configuration import given, is_whole_number
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration

HIGHEST_PRIORITY = 9999
MOST_ATTEMPTS = 10


def _check_priority(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for job in queue.jobs:
        priority = job.priority
        if given(priority) and not (is_whole_number(priority) and 0 <= priority <= HIGHEST_PRIORITY):
            yield (
                f"{job.path}.priority",
                (
                    f"the scheduling priority of a job must be a whole number from 0 to {HIGHEST_PRIORITY}, "
                    f"got {priority!r}"
                ),
            )


def _check_preemption_retries(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for job in queue.jobs:
        retries = job.preemption_retries
        if given(retries) and not (is_whole_number(retries) and retries >= 0):
            yield (
                f"{job.path}.preemption_retries_before_termination",
                (
                    "the preemption retries of a job must be a whole number from 0, 0 to fail at the first preemption, "
                    f"got {retries!r}; leave them out for no limit"
                ),
            )


def _check_attempts(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for job in queue.jobs:
        attempts = job.attempts
        if given(attempts) and not (is_whole_number(attempts) and 1 <= attempts <= MOST_ATTEMPTS):
            yield (
                f"{job.path}.attempts",
                f"the attempts of a job must be a whole number from 1 to {MOST_ATTEMPTS}, got {attempts!r}",
            )


def _check_share(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    names = {share.name for share in queue.shares if isinstance(share.name, str)}
    for job in queue.jobs:
        if job.share is None or job.share == "":
            yield f"{job.path}.share", "a job for a queue with quota management names its quota share, got nothing"
        elif isinstance(job.share, str) and queue.all_shares and queue.shares and job.share not in names:
            yield (
                f"{job.path}.share",
                f"the queue has no quota share {job.share}; its shares are {', '.join(sorted(names))}",
            )


RULES = (
    Rule(
        id="QS036",
        title="the scheduling priority of a job is 0 to 9999",
        severity=ERROR,
        source="Batch API, SubmitServiceJob.schedulingPriority",
        check=_check_priority,
        fix="choose a whole number from 0 to 9999; higher goes first in its share",
        bad='{"jobs": [{"jobName": "train", "schedulingPriority": 10000}]}',
        good='{"jobs": [{"jobName": "train", "schedulingPriority": 9999}]}',
    ),
    Rule(
        id="QS037",
        title="the preemption retries of a job are 0 or more",
        severity=ERROR,
        source="AWS Batch User Guide, Preemption; Batch API, "
        "ServiceJobPreemptionConfiguration.preemptionRetriesBeforeTermination",
        check=_check_preemption_retries,
        fix="leave them out for no limit",
        bad='{"jobs": [{"jobName": "train", "preemptionConfiguration": {"preemptionRetriesBeforeTermination": -1}}]}',
        good='{"jobs": [{"jobName": "train", "preemptionConfiguration": {"preemptionRetriesBeforeTermination": 0}}]}',
    ),
    Rule(
        id="QS038",
        title="the attempts of a job are 1 to 10",
        severity=ERROR,
        source="Batch API, ServiceJobRetryStrategy.attempts",
        check=_check_attempts,
        fix="choose 1 for no retry, at most 10; preemptions do not count",
        bad='{"jobs": [{"jobName": "train", "retryStrategy": {"attempts": 0}}]}',
        good='{"jobs": [{"jobName": "train", "retryStrategy": {"attempts": 1}}]}',
    ),
    Rule(
        id="QS042",
        title="a job names a quota share of its queue",
        severity=ERROR,
        source="Batch API, SubmitServiceJob.quotaShareName",
        check=_check_share,
        fix="give quotaShareName, as it is written in the queue",
        bad='{"shares": [{"quotaShareName": "nlp"}], "jobs": [{"jobName": "train", "quotaShareName": "NLP"}]}',
        good='{"shares": [{"quotaShareName": "nlp"}], "jobs": [{"jobName": "train", "quotaShareName": "nlp"}]}',
    ),
)
