"""What a grant refuses: a value that would leave a condition empty would be a right over every job of the account."""

import re

import pytest
from aws_cdk import Aws
from aws_cdk.aws_iam import AccountPrincipal
from constructs_support import SHARE_ARN, new_stack

from quota_constructs import QuotaShare


def share_grants():
    return QuotaShare.from_quota_share_arn(new_stack(), "Share", SHARE_ARN).grants


def operation(**settings):
    return lambda: share_grants().operate(AccountPrincipal("111122223333"), **settings)


def submission(**settings):
    return lambda: share_grants().submit(**{"grantee": AccountPrincipal("111122223333"), **settings})


# What is typed, the rule, and pieces of the text in their order.
CASES = {
    "half a priority in a grant": (operation(tags={"a": "b"}, max_priority=5.5), "QC001", "max_priority", "got 5.5"),
    "a priority below every number": (
        submission(max_priority=float("-inf")), "QC001", "max_priority", "got -inf", "whole"
    ),
    "a priority that is no number": (submission(max_priority=float("nan")), "QC001", "max_priority", "got nan"),
    "a priority that is True in a grant": (submission(max_priority=True), "QC001", "max_priority", "got True"),
    "a negative priority in a grant": (submission(max_priority=-1), "QS036", "got -1", "0 to 9999"),
    "operating by a tag of None": (
        operation(tags={"team": None}), "QS024", "tag 'team'", "got None", "up to 256", "give the value"
    ),
    "submitting with a tag of None": (submission(tags={"team": None}), "QS024", "tag 'team'", "got None"),
    "operating by a tag that is left out": (operation(tags={"team": Aws.NO_VALUE}), "QS024", "AWS::NoValue"),
    "operating by a tag that is a number": (operation(tags={"team": 5}), "QS024", "got 5", "give the value"),
    "operating by a tag that is a list": (operation(tags={"team": []}), "QS024", "got []", "give the value"),
    "a tag without a key in a grant": (submission(tags={"": "a"}), "QS024", "got ''", "1 to 128", "rename it"),
    "a key of None in a grant": (operation(tags={None: "a"}), "QS024", "got None", "1 to 128", "rename it"),
    "a tag of AWS in a grant": (operation(tags={"aws:team": "a"}), "QS024", "'aws:team'", "without aws:", "rename it"),
    "a value that is too long in a grant": (operation(tags={"a": "v" * 257}), "QS024", "257", "256; shorten"),
    "too many tags in a grant": (operation(tags=dict.fromkeys(map(str, range(51)), "v")), "QS024", "got 51", "50"),
    "tags of a grant as a list": (operation(tags=["team"]), "QC001", "tags has", "got ['team'] (list); give a mapping"),
    "tags of a grant as text": (submission(tags="team"), "QC001", "tags has", "got 'team' (str); give a mapping"),
    "an execution role as text": (
        submission(execution_role="arn:aws:iam::111122223333:role/x"), "QC001", "execution_role", "Role.from_role_arn"
    ),
    "a grantee as text": (submission(grantee="team"), "QC001", "grantee", "got 'team' (str); give a role"),
    "who operates as text": (lambda: share_grants().operate("team", tags={"a": "b"}), "QC001", "grantee", "'team'"),
    "who observes as None": (lambda: share_grants().observe(None), "QC001", "grantee", "got None"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_grant_refuses(case):
    act, want_rule, *want_pieces = CASES[case]
    with pytest.raises((ValueError, TypeError)) as raised:
        act()
    (line,) = str(raised.value).splitlines()
    assert re.fullmatch(r"[^A-Z].*[^.] \[Q[SC]\d{3}\]", line), line
    assert raised.value.rule_ids == (want_rule,)
    assert re.search(".*".join(map(re.escape, want_pieces)), line), line


def test_all_that_is_wrong_with_a_grant_is_told_at_once():
    with pytest.raises(ValueError, match="QS024") as raised:
        operation(tags={"team": None, "": "x"}, max_priority=-1)()
    assert raised.value.rule_ids == ("QS024", "QS024", "QS036")
    with pytest.raises(TypeError, match="QC001") as raised:
        submission(tags="a", max_priority="b", execution_role="c", grantee="d")()
    assert raised.value.rule_ids == ("QC001",) * 4
