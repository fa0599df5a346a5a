"""All rules, and the functions that apply them. Each gives every finding at once, sorted by rule and place."""

from __future__ import annotations

from quota_scheduler.rules import (
    borrowing,
    capacity_limits,
    environment_capacity,
    jobs,
    names,
    queue_kind,
    sharing,
    switches,
    time_limits,
    updates,
)
from quota_scheduler.rules.configuration import QueueConfiguration
from quota_scheduler.rules.finding import ERROR, SEVERITIES, Finding
from quota_scheduler.rules.rule import QUEUE, SEVERAL_QUEUES, UPDATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from quota_scheduler.rules.configuration import JobConfiguration
    from quota_scheduler.rules.rule import Rule

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in sorted(
        (
            *capacity_limits.RULES,
            *environment_capacity.RULES,
            *borrowing.RULES,
            *sharing.RULES,
            *names.RULES,
            *switches.RULES,
            *time_limits.RULES,
            *queue_kind.RULES,
            *jobs.RULES,
            *updates.RULES,
        ),
        key=lambda rule: rule.id,
    )
}
"""Every rule by its id, in the order of the ids."""

_OF_QUEUES = tuple(rule for rule in RULES.values() if rule.looks_at == QUEUE)
_OF_SEVERAL = tuple(rule for rule in RULES.values() if rule.looks_at == SEVERAL_QUEUES)
_OF_UPDATES = tuple(rule for rule in RULES.values() if rule.looks_at == UPDATE)
_NOTHING_KNOWN = QueueConfiguration(all_shares=False)


def _findings(rule: Rule, breaches: Iterator[tuple[str, str]]) -> Iterator[Finding]:
    return (Finding(rule.id, rule.severity, where, message) for where, message in breaches)


def check_queue(queue: QueueConfiguration, severities: Container[str] = SEVERITIES) -> tuple[Finding, ...]:
    """Apply the rules to one queue.

    Args:
        queue: the queue.
        severities: which rules to apply; all unless given.

    >>> from quota_scheduler.rules import ShareConfiguration
    >>> shares = (ShareConfiguration(name="a", limits=(("ml.g5.xlarge", 0),)),)
    >>> [str(finding) for finding in check_queue(QueueConfiguration(shares=shares))]  # doctest: +ELLIPSIS
    ['shares.a.limits.ml.g5.xlarge: the limit of share a for ml.g5.xlarge must be a whole number ... [QS002]']
    """
    rules = (rule for rule in _OF_QUEUES if rule.severity in severities)
    return tuple(sorted({finding for rule in rules for finding in _findings(rule, rule.check(queue))}))


def check_queues(queues: Sequence[QueueConfiguration]) -> tuple[Finding, ...]:
    """Apply the rules that look at several queues at once; `check_queue` does not know of those."""
    return tuple(sorted(finding for rule in _OF_SEVERAL for finding in _findings(rule, rule.check(queues))))


def check_update(before: QueueConfiguration, after: QueueConfiguration) -> tuple[Finding, ...]:
    """Apply the rules about what cannot be changed to a queue before and after an update."""
    return tuple(sorted(finding for rule in _OF_UPDATES for finding in _findings(rule, rule.check(before, after))))


def check_job(job: JobConfiguration, queue: QueueConfiguration = _NOTHING_KNOWN) -> tuple[Finding, ...]:
    """Apply the rules to a job that somebody submits.

    Args:
        job: what is asked for.
        queue: the queue it is for; without it, its shares are not known.

    Returns:
        The findings about the job, none about the queue.
    """
    # Only names and shares of the queue matter to a job; without the rest the queue has no findings of its own.
    shares = tuple(type(share)(name=share.name, path=share.path) for share in queue.shares)
    asked = QueueConfiguration(shares=shares, jobs=(job,), all_shares=queue.all_shares)
    return tuple(finding for finding in check_queue(asked) if finding.where.startswith(f"{job.path}."))


def introduced_errors(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """Give the errors that are there after a change and were not before: same rule at the same place.

    What was wrong before stays a finding and is nobody's fault now, also if its numbers are others.
    """
    known = {(finding.id, finding.where) for finding in before if finding.severity == ERROR}
    return tuple(finding for finding in after if finding.severity == ERROR and (finding.id, finding.where) not in known)
