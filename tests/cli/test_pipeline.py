"""The steps of the example for GitHub Actions, run as they are in the file, against the local cloud."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from assembly_support import template
from cli_live_support import resources

if TYPE_CHECKING:
    from cli_live_support import Live

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / "examples" / "github-actions" / "quota-plan.yml").read_text(encoding="utf-8"))

APP = """
import aws_cdk as cdk
from aws_cdk.cloudformation_include import CfnInclude

app = cdk.App()
CfnInclude(cdk.Stack(app, "Demo"), "Resources", template_file="resources.json")
app.synth()
"""

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_CALLS"
case "$*" in *--paginate*) cat "$GH_COMMENTS" ;; esac
"""


def step(name: str) -> dict[str, Any]:
    (job,) = WORKFLOW["jobs"].values()
    (found,) = [item for item in job["steps"] if item.get("name") == name]
    return found


class Runner:
    """Runs steps of the workflow in one folder, as a runner of GitHub would."""

    def __init__(self, folder: Path, live: Live, fail_on: str) -> None:
        self.folder = folder
        tools = folder / "bin"
        tools.mkdir()
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)
        for name in ("summary", "output", "calls", "comments"):
            (folder / name).touch()
        path = os.pathsep.join(
            (str(tools), str(ROOT / ".tools" / "bin"), str(ROOT / ".venv" / "bin"), os.environ["PATH"])
        )
        self.environment = {
            **os.environ,
            **live.cloud.environment(),
            "PATH": path,
            "FAIL_ON": fail_on,
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REPOSITORY": "owner/app",
            "PULL_REQUEST": "7",
            "GH_CALLS": str(folder / "calls"),
            "GH_COMMENTS": str(folder / "comments"),
        }

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run one step with the shell that GitHub takes."""
        output = dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())
        script = step(name)["run"].replace("${{ steps.plan.outputs.code }}", output.get("code", ""))
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )


@pytest.fixture
def runner(tmp_path: Path, live: Live) -> Runner:
    """An app in which QS3 with its running job is gone."""
    (tmp_path / "resources.json").write_text(json.dumps(template(resources(QS3=None))))
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "cdk.json").write_text(json.dumps({"app": f"{ROOT / '.venv' / 'bin' / 'python'} app.py"}))
    return Runner(tmp_path, live, "disruptive")


@pytest.mark.deploys
def test_the_workflow_comments_and_fails_on_the_level(runner: Runner) -> None:
    for name in ("Synthesize", "Plan", "Comment"):
        done = runner.run(name)
        assert done.returncode == 0, done.stdout + done.stderr
    assert runner.run("Verdict").returncode == 1
    plan = (runner.folder / "plan.md").read_text()
    assert plan.startswith("<!-- batch-quota plan -->\n## ⛔ Quota plan: destructive\n")
    assert "removing share QS3 ends 1 unfinished job: own" in plan
    assert (runner.folder / "summary").read_text() == plan
    assert (runner.folder / "calls").read_text().splitlines()[-1] == "pr comment 7 --body-file plan.md"


@pytest.mark.deploys
def test_the_workflow_updates_its_comment(runner: Runner) -> None:
    (runner.folder / "plan.md").write_text("plan")
    (runner.folder / "comments").write_text("41\n42\n")
    assert runner.run("Comment").returncode == 0
    assert (runner.folder / "calls").read_text().splitlines()[-1] == (
        "api --method PATCH repos/owner/app/issues/comments/42 -F body=@plan.md"
    )


def test_the_workflow_stops_where_nothing_could_be_planned(runner: Runner) -> None:
    done = runner.run("Plan")
    assert (done.returncode, (runner.folder / "output").read_text()) == (2, "")
    assert done.stderr.startswith("batch-quota: no cloud assembly in cdk.out")


def test_the_workflow_names_levels_that_exist() -> None:
    from quota_constructs.cli.options import LEVELS

    (job,) = WORKFLOW["jobs"].values()
    assert job["env"]["FAIL_ON"] in LEVELS
