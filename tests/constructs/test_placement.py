"""Partitions, and what linters and security checks say of a whole stack."""

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import cdk_nag
import pytest
from aws_cdk import Stack, Validations
from aws_cdk.aws_iam import AccountRootPrincipal, Role
from aws_cdk.aws_sns import Topic
from constructs_support import G5, new_app, new_queue, new_stack, report_of, template_of

from quota_constructs import ChangeGuard, QuotaManagedQueue, QuotaShare, ShareLifecycle

if TYPE_CHECKING:
    from pathlib import Path

PARTITIONS = {"aws": "eu-west-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1"}


@pytest.mark.parametrize("partition", PARTITIONS)
def test_arns_follow_the_partition(partition):
    region = PARTITIONS[partition]
    arn = f"arn:{partition}:batch:{region}:111122223333:job-queue/training"
    stack = Stack(new_app(), "Stack", env={"account": "111122223333", "region": region})
    queue = QuotaManagedQueue.from_job_queue_arn(stack, "Queue", arn)
    share = QuotaShare(stack, "Vision", queue=queue, capacity_limits={G5: 1})
    imported = QuotaShare.from_quota_share_arn(stack, "Imported", f"{arn}/quota-share/vision")
    role = Role(stack, "Role", assumed_by=AccountRootPrincipal())
    for one in (share, imported):
        one.grants.submit(role, tags={"team": "vision"})
    text = json.dumps(template_of(stack))
    assert imported.job_queue_arn == arn
    assert f"arn:{partition}:batch:{region}:111122223333:service-job/*" in text
    assert partition == "aws" or "arn:aws:" not in text


def test_nothing_of_a_stack_names_a_partition_by_itself():
    stack = new_stack()
    queue = new_queue(stack)
    queue.add_share("Vision", capacity_limits={G5: 4}).grants.submit(
        Role(stack, "Role", assumed_by=AccountRootPrincipal())
    )
    assert "arn:aws" not in json.dumps(template_of(stack)["Resources"])


def whole_stack(app):
    stack = Stack(app, "Stack")
    queue = new_queue(stack, guard=ChangeGuard(notify=Topic(stack, "Topic", enforce_ssl=True)))
    queue.add_share("Managed", capacity_limits={G5: 2})
    queue.add_share("Native", capacity_limits={G5: 2}, lifecycle=ShareLifecycle.NATIVE)
    return stack


def test_cdk_nag_finds_nothing_that_is_not_acknowledged():
    app = new_app()
    whole_stack(app)
    Validations.of(app).add_plugins(cdk_nag.AwsSolutionsChecks(app))
    assert [line for line in report_of(app) if line.startswith("AwsSolutions")] == []


def test_cfn_lint_finds_nothing_but_the_cdks_redundant_dependency(tmp_path: "Path"):
    path = tmp_path / "template.json"
    path.write_text(json.dumps(template_of(whole_stack(new_app()))))
    lint = [sys.executable, "-m", "cfnlint", "--regions", "us-east-1", "--format", "json", "--template", str(path)]
    found = json.loads(subprocess.run(lint, capture_output=True, text=True, check=False, timeout=120).stdout or "[]")
    assert [match["Message"] for match in found if match["Rule"]["Id"] != "W3005"] == []
