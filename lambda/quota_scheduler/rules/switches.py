"""Rules about values that are one of a few words, and about tags."""

from __future__ import annotations

from collections.abc import Mapping

from quota_scheduler.rules.configuration import Unknown, given
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import Rule
from quota_scheduler.share import STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration

MOST_TAGS = 50
LONGEST_KEY = 128
LONGEST_VALUE = 256
RESERVED_PREFIX = "aws:"


def _check_in_share(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for share in queue.shares:
        value = share.in_share_preemption
        if not isinstance(value, (bool, Unknown)):
            got = "nothing" if value is None else value
            yield (
                f"{share.path}.in_share_preemption",
                f"in-share preemption of {share.label} must be ENABLED or DISABLED, got {got}",
            )


def _check_state(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for path, owner, state in (
        (queue.path, "the job queue", queue.state),
        (queue.environment.path, "the service environment", queue.environment.state),
        *((share.path, share.label, share.state) for share in queue.shares),
    ):
        if given(state) and state not in STATES:
            yield f"{path}.state", f"the state of {owner} must be ENABLED or DISABLED, got {state}"


def _check_tags(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for path, owner, tags in (
        (queue.path, "the job queue", queue.tags),
        (queue.environment.path, "the service environment", queue.environment.tags),
        (queue.policy.path, "the scheduling policy", queue.policy.tags),
        *((share.path, share.label, share.tags) for share in queue.shares),
        *((job.path, "the job", job.tags) for job in queue.jobs),
    ):
        if not given(tags):
            continue
        if not isinstance(tags, Mapping):
            yield f"{path}.tags", f"the tags of {owner} must be a map of keys to values, got {type(tags).__name__}"
            continue
        for member, message in tag_problems(owner, tags):
            yield f"{path}.tags{member}", message


def tag_problems(owner: str, tags: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    """Find what is wrong with the tags of a resource.

    Args:
        owner: What a message calls the resource.
        tags: Keys and values; a value may be unknown.

    Yields:
        The place within the tags, empty for all of them, and the message.
    """
    if len(tags) > MOST_TAGS:
        yield "", f"{owner} has {len(tags)} tags, allowed are {MOST_TAGS}"
    for key, value in tags.items():
        problem = _tag_problem(key, value)
        if problem:
            yield f".{key}", f"tag {key!r} of {owner} {problem}"


def _tag_problem(key: object, value: object) -> str | None:
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST_KEY:
        return f"must have a key of 1 to {LONGEST_KEY} characters"
    if key.lower().startswith(RESERVED_PREFIX):
        return f"begins with {RESERVED_PREFIX}, which is reserved; choose another key"
    if isinstance(value, Unknown):
        return None
    if not isinstance(value, str):
        return f"must have text as its value, got {value!r}"
    if len(value) > LONGEST_VALUE:
        return f"has a value of {len(value)} characters, allowed are {LONGEST_VALUE}"
    return None


RULES = (
    Rule(
        id="QS022",
        title="in-share preemption is ENABLED or DISABLED",
        severity=ERROR,
        source="Batch API, QuotaSharePreemptionConfiguration.inSharePreemption, required",
        check=_check_in_share,
        fix="say ENABLED or DISABLED; there is no default",
        bad='{"shares": [{"quotaShareName": "nlp", "preemptionConfiguration": {"inSharePreemption": "ON"}}]}',
        good='{"shares": [{"quotaShareName": "nlp", "preemptionConfiguration": {"inSharePreemption": "ENABLED"}}]}',
    ),
    Rule(
        id="QS023",
        title="a state is ENABLED or DISABLED",
        severity=ERROR,
        source="Batch API, CreateQuotaShare.state, CreateServiceEnvironment.state, CreateJobQueue.state",
        check=_check_state,
        fix="say ENABLED or DISABLED, or leave it out for ENABLED",
        bad='{"environment": {"state": "WHATEVER"}}',
        good='{"environment": {"state": "DISABLED"}}',
    ),
    Rule(
        id="QS024",
        title="tags are at most 50 keys of 1 to 128 characters with values of at most 256",
        severity=ERROR,
        source="Batch API, TagResource; AWS Batch User Guide, Tag your AWS Batch resources",
        check=_check_tags,
        fix="give a map of keys to values; keys must not begin with aws:",
        bad='{"shares": [{"quotaShareName": "research", "tags": {"": "research"}}]}',
        good='{"shares": [{"quotaShareName": "research", "tags": {"team": "research"}}]}',
    ),
)
