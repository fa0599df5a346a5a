"""A pull request against a live queue: the example's workflow plans it, and the deployment after the merge agrees."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from e2e_support import Account

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

EXAMPLES = Path(__file__).parents[2] / "examples"
WORKFLOW = yaml.safe_load((EXAMPLES / "github-actions" / "quota-plan.yml").read_text(encoding="utf-8"))


class Repository:
    """A repository with the minimal example's app, and a runner for the steps of the workflow."""

    def __init__(self, account: Account, folder: Path) -> None:
        self._account = account
        self.folder = folder
        self.summary = folder / "summary.md"
        shutil.copytree(EXAMPLES / "minimal", folder, dirs_exist_ok=True)

    def edit(self, pattern: str, replacement: str) -> None:
        app = self.folder / "app.py"
        edited, count = re.subn(pattern, replacement, app.read_text(encoding="utf-8"))
        assert count == 1
        app.write_text(edited, encoding="utf-8")

    def checks(self) -> tuple[int, str]:
        """Run synthesis, plan and verdict as the file has them; gives the exit code of the verdict, and the plan."""
        [job] = WORKFLOW["jobs"].values()
        scripts = {step["name"]: step["run"] for step in job["steps"] if "run" in step}
        outputs = self.folder / "outputs"
        outputs.write_text("")
        self.summary.write_text("")
        code = 0
        for name in ("Synthesize", "Plan", "Verdict"):
            values = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
            script = scripts[name].replace("${{ steps.plan.outputs.code }}", values.get("code", ""))
            code = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", script],
                cwd=self.folder,
                env={
                    **self._account.environment,
                    **{key: str(value) for key, value in job["env"].items() if key != "AWS_REGION"},
                    "GITHUB_OUTPUT": str(outputs),
                    "GITHUB_STEP_SUMMARY": str(self.summary),
                },
                check=False,
                timeout=300,
            ).returncode
            assert code == 0 or name == "Verdict"
        return code, self.summary.read_text(encoding="utf-8")


def test_the_workflow_and_the_deployment_after_the_merge_agree(account: Account, tmp_path: Path) -> None:
    repository = Repository(account, tmp_path)
    deploy = ("cdk", "deploy", "--require-approval", "never")
    assert repository.checks()[0] == 0
    account.run(*deploy, folder=tmp_path)
    queue = account.queue("Training")
    queue.run("Production", "p1")
    queue.run("Research", "r1")

    repository.edit(r'        queue\.add_share\("Production".*\n', "")
    code, plan = repository.checks()
    assert code == 1
    assert "p1" in plan
    refused = account.run(*deploy, folder=tmp_path, fails=True)
    assert refused.acknowledgement in plan
    assert queue.limits() == {"Research": 1, "Nightly": 1, "Production": 1}
    assert queue.untouched()
