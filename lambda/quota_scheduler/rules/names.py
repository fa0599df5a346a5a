"""Rules about names, and about how many shares there are to name."""

from __future__ import annotations

from quota_scheduler.rules.configuration import Unknown
from quota_scheduler.rules.finding import ERROR
from quota_scheduler.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_scheduler.rules.configuration import QueueConfiguration

MOST_SHARES = 20
LONGEST_NAME = 128
_MARKS = str.maketrans("", "", "-_")


def _is_name(value: object) -> bool:
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_NAME:
        return False
    letters = value.translate(_MARKS)
    return letters == "" or (letters.isascii() and letters.isalnum())


def _named(queue: QueueConfiguration) -> Iterator[tuple[str, str, object]]:
    """Give place, owner and name of everything that has a name; what may go without one only if it has one."""
    for path, owner, name in (
        (queue.path, "the job queue", queue.name),
        (queue.environment.path, "the service environment", queue.environment.name),
        (queue.policy.path, "the scheduling policy", queue.policy.name),
    ):
        if name is not None:
            yield f"{path}.name", owner, name
    for share in queue.shares:
        yield f"{share.path}.name", "a quota share", share.name
    for job in queue.jobs:
        yield f"{job.path}.name", "a job", job.name


def _check_names(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    for where, owner, name in _named(queue):
        if isinstance(name, Unknown) or _is_name(name):
            continue
        if isinstance(name, str) and len(name) > LONGEST_NAME:
            got = f"{len(name)} characters"
        else:
            got = "nothing" if name is None else repr(name)
        yield (
            where,
            f"the name of {owner} must be 1 to {LONGEST_NAME} letters, digits, hyphens and underscores, got {got}",
        )


def _check_duplicates(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    count: dict[str, int] = {}
    for share in queue.shares:
        if isinstance(share.name, str):
            count[share.name] = count.get(share.name, 0) + 1
    for name, times in count.items():
        if times > 1:
            yield f"shares.{name}.name", f"{times} shares of the queue are called {name}; give each a name of its own"


def _check_share_count(queue: QueueConfiguration) -> Iterator[tuple[str, str]]:
    if len(queue.shares) > MOST_SHARES:
        yield (
            "shares",
            (
                f"the queue has {len(queue.shares)} quota shares, allowed are {MOST_SHARES}; merge "
                f"{len(queue.shares) - MOST_SHARES} of them or use a second queue"
            ),
        )


def _named_shares(*names: str) -> str:
    return '{"shares": [' + ", ".join(f'{{"quotaShareName": "{name}"}}' for name in names) + "]}"


RULES = (
    Rule(
        id="QS011",
        title="a queue has at most 20 quota shares",
        severity=ERROR,
        source="AWS Batch User Guide, AWS Batch service quotas",
        check=_check_share_count,
        fix="merge shares or use a second queue",
        bad=_named_shares(*(f"team-{number}" for number in range(1, MOST_SHARES + 2))),
        good=_named_shares(*(f"team-{number}" for number in range(1, MOST_SHARES + 1))),
    ),
    Rule(
        id="QS012",
        title="names are 1 to 128 letters, digits, hyphens and underscores",
        severity=ERROR,
        source="Batch API, CreateQuotaShare.quotaShareName and the names of the other resources",
        check=_check_names,
        fix="leave out blanks and other characters",
        bad=_named_shares("my team"),
        good=_named_shares("my-team"),
    ),
    Rule(
        id="QS013",
        title="each quota share of a queue has a name of its own",
        severity=ERROR,
        source="Batch API, CreateQuotaShare; the name is the last part of the share's ARN",
        check=_check_duplicates,
        fix="rename one of them",
        bad=_named_shares("vision", "vision"),
        good=_named_shares("vision", "language"),
    ),
)
