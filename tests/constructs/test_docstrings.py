"""The examples in the docstrings run."""

import doctest
import inspect
from importlib import import_module
from textwrap import dedent

import pytest
from aws_cdk import Stack, Validations
from aws_cdk.aws_iam import AccountRootPrincipal, Role
from constructs_support import G5, QUEUE_ARN, new_app, new_queue

import quota_constructs
from quota_constructs import QuotaChecks, QuotaManagedQueue, QuotaShare, ResourceSharing
from quota_constructs.quota_share_grants import QuotaShareGrants

DOCTESTS = ("change_guard", "resource_sharing", "_template_values")


@pytest.mark.parametrize("module", DOCTESTS)
def test_doctests(module):
    results = doctest.testmod(import_module(f"quota_constructs.{module}"))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("documented", [QuotaManagedQueue, QuotaShare, QuotaChecks, QuotaShareGrants])
def test_the_example_of_a_class_runs(documented, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = new_app()
    stack, team_stack = Stack(app, "Stack"), Stack(app, "Team")
    share = new_queue(Stack(app, "Other")).add_share("Vision", capacity_limits={G5: 4})
    names = {
        "app": app,
        "stack": stack,
        "team_stack": team_stack,
        "arn": QUEUE_ARN,
        "share": share,
        "role": Role(team_stack, "Role", assumed_by=AccountRootPrincipal()),
        "Validations": Validations,
        "QuotaChecks": QuotaChecks,
        "QuotaManagedQueue": QuotaManagedQueue,
        "QuotaShare": QuotaShare,
        "ResourceSharing": ResourceSharing,
    }
    _, found, example = inspect.getdoc(documented).partition("Example:\n")
    assert found
    code = "\n".join(line for line in example.split("\nSource:")[0].splitlines())
    exec(compile(dedent(code), documented.__name__, "exec"), names)
    app.synth()


def test_every_public_class_and_its_methods_are_described():
    undocumented = []
    for name in quota_constructs.__all__:
        value = getattr(quota_constructs, name)
        members = [(name, value)]
        members += [(f"{name}.{key}", member) for key, member in vars(value).items() if not key.startswith("_")]
        undocumented += [
            path
            for path, member in members
            if (inspect.isfunction(member) or inspect.isclass(member) or isinstance(member, property | classmethod))
            and not inspect.getdoc(member)
        ]
    assert undocumented == []
