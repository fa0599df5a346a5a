"""With the roles' policies enforced: what the handler's role allows is enough for all it does, and nothing is tacit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from aws_cdk import CliCredentialsStackSynthesizer
from e2e_support import Account, one_queue, share

from quota_constructs.local import LocalCloud

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def strict_account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account that enforces policies. Its deployments use the command line's credentials: the bootstrap roles of
    the CDK may not read an asset in the local cloud.
    """
    with LocalCloud(enforce_iam=True) as cloud:
        account = Account(cloud, tmp_path_factory.mktemp("strict"), CliCredentialsStackSynthesizer)
        account.bootstrap()
        yield account


def test_the_handlers_own_role_allows_all_it_does(strict_account: Account) -> None:
    """Create, tag, read, assess, update, replace nothing, remove and destroy."""
    account = strict_account
    tagged = share(2, tags={"team": "research"})
    account.deploy(one_queue("Strict", capacity=4, A=tagged, B=share(1), C=share(1)))
    queue = account.queue("Strict")
    queue.run("A", "a1", "a2")
    queue.run("B", "b1", waiting=("b2",))
    assert queue.shares()["A"]["tags"]["team"] == "research"

    cut = account.synth(one_queue("Strict", capacity=4, A=share(1), B=share(3)))
    blocked = account.deploy(cut, fails=True)
    assert "disruptive" in blocked.text
    assert "owner a-team" in blocked.text
    assert queue.untouched()

    account.deploy(cut, acknowledge=blocked.acknowledgement)
    assert queue.limits() == {"A": 1, "B": 3}
    assert "team" not in queue.shares()["A"]["tags"]
    queue.wait_for(running=("b1", "b2"))

    queue.end()
    queue.wait_until(lambda jobs: set(jobs.values()) == {"FAILED"}, "no job left")
    account.destroy(cut)
    assert queue.shares() == {}


def test_a_permission_that_is_missing_is_named_and_blocks(strict_account: Account) -> None:
    """A guard that may not see the jobs does not guess."""
    account = strict_account
    account.deploy(one_queue("Blind", capacity=2, A=share(2)))
    queue = account.queue("Blind")
    queue.run("A", "a1", "a2")
    deny = {"Effect": "Deny", "Action": "batch:ListServiceJobs", "Resource": "*"}
    [role] = account.physical_ids("Blind", "AWS::IAM::Role")
    account.cloud.client("iam").put_role_policy(
        RoleName=role, PolicyName="Blindfold", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": deny})
    )

    cut = account.synth(one_queue("Blind", capacity=2, A=share(1)))
    blocked = account.deploy(cut, fails=True)
    assert "could not read the account" in blocked.text
    assert "batch:ListServiceJobs" in blocked.text
    assert queue.limits() == {"A": 2}
    account.deploy(cut, acknowledge="unknown")
    assert queue.limits() == {"A": 1}
    assert queue.untouched()
