"""What a grant is given, checked before it becomes a policy: a condition that is empty there is a right over every job.

A tag whose value is None, say from an environment variable that is not set, would be dropped from the condition when
the template is written, without a word.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aws_cdk import Aws

from quota_constructs._tokens import is_token
from quota_constructs._types import TAGS
from quota_constructs.construct_rules import TYPE
from quota_constructs.errors import ConstructProblem, QuotaConstructError, QuotaTypeError
from quota_scheduler.rules.jobs import HIGHEST_PRIORITY
from quota_scheduler.rules.switches import LONGEST_KEY, LONGEST_VALUE, MOST_TAGS, RESERVED_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRIORITY_RULE = "QS036"
_TAG_RULE = "QS024"


def check(*, grantee: object, tags: object = None, max_priority: object = None, execution_role: object = None) -> None:
    """Refuse what would make another policy than the one that was meant.

    Args:
        grantee: Who gets the permission.
        tags: Tags of jobs; None for none. Keys and values may be tokens.
        max_priority: The cap of the priority; None for none. May be a token.
        execution_role: The role that jobs run with; None for none.

    Raises:
        QuotaTypeError: With a line for each value that has the wrong type.
        QuotaConstructError: With a line for each tag that is none, and for a priority out of range.
    """
    wrong = [
        TYPE.problem(f"{name} has the wrong type, got {value!r} ({type(value).__name__}); give {wanted}")
        for name, value, wanted, passes in (
            ("grantee", grantee, "a role or a user", hasattr(grantee, "grant_principal")),
            ("tags", tags, TAGS, tags is None or isinstance(tags, Mapping)),
            ("max_priority", max_priority, "a whole number", max_priority is None or _is_whole(max_priority)),
            (
                "execution_role",
                execution_role,
                "a role, such as one from Role.from_role_arn",
                execution_role is None or hasattr(execution_role, "role_arn"),
            ),
        )
        if not passes
    ]
    if wrong:
        raise QuotaTypeError(wrong)
    problems = [ConstructProblem(_TAG_RULE, "", text) for text in _of_tags(tags)]
    problems += [ConstructProblem(_PRIORITY_RULE, "", text) for text in _of_priority(max_priority)]
    if problems:
        raise QuotaConstructError(problems)


def _is_whole(value: object) -> bool:
    if isinstance(value, float):
        return is_token(value) and value != float("-inf")
    return (isinstance(value, int) and not isinstance(value, bool)) or is_token(value)


def _of_tags(tags: object) -> "Iterator[str]":
    if not isinstance(tags, Mapping):
        return
    if len(tags) > MOST_TAGS:
        yield f"too many tags, got {len(tags)}, allowed are {MOST_TAGS}; drop some"
    for key, value in tags.items():
        yield from _of_key(key)
        yield from _of_value(key, value)


def _of_key(key: object) -> "Iterator[str]":
    if is_token(key):
        return
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST_KEY:
        yield f"key of a tag is none, got {key!r}, allowed is text of 1 to {LONGEST_KEY} characters; rename it"
    elif key.lower().startswith(RESERVED_PREFIX):
        yield f"key of a tag is reserved, got {key!r}, allowed are keys without {RESERVED_PREFIX}; rename it"


def _of_value(key: object, value: object) -> "Iterator[str]":
    if is_token(value):
        if value == Aws.NO_VALUE:
            yield f"tag {key!r} has no value, got AWS::NoValue, allowed is text; give the value that the jobs carry"
    elif not isinstance(value, str):
        yield (
            f"tag {key!r} has no text as its value, got {value!r}, allowed is text of up to {LONGEST_VALUE} "
            "characters; give the value that the jobs carry"
        )
    elif len(value) > LONGEST_VALUE:
        yield (
            f"value of tag {key!r} is too long, got {len(value)} characters, allowed are {LONGEST_VALUE}; shorten it"
        )


def _of_priority(max_priority: object) -> "Iterator[str]":
    if not isinstance(max_priority, int) or is_token(max_priority) or 0 <= max_priority <= HIGHEST_PRIORITY:
        return
    yield (
        f"max_priority is out of range, got {max_priority}, allowed is 0 to {HIGHEST_PRIORITY}; "
        f"give a number in that range, or none for any priority"
    )
