"""What commands load, in an interpreter of their own: neither the CDK nor the AWS SDK without need."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from assembly_support import guard, proposal, template, write_assembly
from cli_support import walkthrough

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("aws_cdk", "constructs", "jsii", "boto3", "botocore", "quota_constructs.local.server", "ministack")

PROBE = """
import json, sys
from quota_constructs.cli.__main__ import run
sys.stdout, out = open("/dev/null", "w"), sys.stdout
code = run(json.loads(sys.argv[1]))
print(json.dumps([code, sorted(sys.modules)]), file=out)
"""

OFFLINE = {
    "help": ["--help"],
    "version": ["--version"],
    "help of plan": ["plan", "--help"],
    "rules": ["rules"],
    "assess": ["assess", "state.json", "--change", "change.json", "--fail-on", "never"],
    "assess as JSON": ["assess", "state.json", "--format", "json"],
    "assess as Markdown": ["assess", "state.json", "--format", "markdown"],
    "assess as HTML": ["assess", "state.json", "--format", "html"],
    "explain": ["explain", "state.json", "--job", "low"],
    "status": ["status", "state.json"],
    "plan from a snapshot": ["plan", "--state", "state.json", "--fail-on", "never"],
}


def loaded_by(folder: Path, arguments: list[str]) -> set[str]:
    command = [sys.executable, "-c", PROBE, json.dumps(arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    code, modules = json.loads(done.stdout)
    assert (code, done.stderr) == (0, "")
    return set(modules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("offline")
    (path / "state.json").write_text(json.dumps(walkthrough()))
    (path / "change.json").write_text(json.dumps({"shares": {"QS2": None}}))
    write_assembly(path / "cdk.out", {"Demo": template(guard(proposal({"QS1": 1, "QS2": 1})))})
    return path


@pytest.mark.parametrize("arguments", OFFLINE.values(), ids=OFFLINE)
def test_offline_commands_load_nothing_heavy(folder: Path, arguments: list[str]) -> None:
    modules = loaded_by(folder, arguments)
    assert {name for name in HEAVY if name in modules} == set()


@pytest.mark.parametrize("arguments", [["--version"], ["assess", "state.json", "--format", "json"]])
def test_json_needs_no_layout_library(folder: Path, arguments: list[str]) -> None:
    modules = loaded_by(folder, arguments)
    assert {name for name in ("rich", "jinja2") if name in modules} == set()
