"""Which stacks a plan is about, and whose account they are in."""

from __future__ import annotations

import pytest
from assembly_support import template

from quota_constructs.assembly import StackTemplate
from quota_constructs.planning.deployed import account_of
from quota_constructs.planning.errors import PlanError
from quota_constructs.planning.stacks import choose

ARNS = {
    "a stack": ("arn:aws:cloudformation:eu-west-1:111122223333:stack/Demo/1", "111122223333"),
    "without an account": ("arn:aws:s3:::bucket", None),
    "a name": ("Demo", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("arn", "want"), ARNS.values(), ids=ARNS)
def test_account_of(arn: str, want: str | None) -> None:
    assert account_of(arn) == want


@pytest.mark.parametrize(
    ("wanted", "want"),
    [("Demp", "cdk.out has no stack Demp; did you mean Demo?"), ("x", "cdk.out has no stack x; it has Demo, Other")],
)
def test_fails_for_a_stack_that_is_not_there(wanted: str, want: str) -> None:
    stacks = [StackTemplate(name, template({}), path=name) for name in ("Demo", "Other")]
    with pytest.raises(PlanError) as failure:
        choose(stacks, [wanted], "cdk.out")
    assert str(failure.value) == want
