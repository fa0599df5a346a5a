"""Every example synthesizes, and gives the templates that were reviewed."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template
from constructs_support import new_app, report_of
from syrupy.extensions.json import JSONSnapshotExtension

from quota_constructs.testing import scrubbed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
APPS = sorted(path.parent.name for path in EXAMPLES.glob("*/app.py"))


def declared(example):
    """Import an example's app under a name of its own, and declare its stacks."""
    spec = spec_from_file_location(f"example_{example}", EXAMPLES / example / "app.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    app = new_app()
    module.declare(app)
    return app


def test_there_are_four_apps_and_each_is_explained():
    assert APPS == ["minimal", "native_lifecycle", "snapshot_testing", "team_stacks"]
    for app in APPS:
        assert (EXAMPLES / app / "README.md").read_text(encoding="utf-8").startswith("# ")
        assert json.loads((EXAMPLES / app / "cdk.json").read_text(encoding="utf-8"))["app"] == "python app.py"


@pytest.mark.parametrize("example", APPS)
def test_the_templates_of_an_example_are_those_that_were_reviewed(example, snapshot):
    app = declared(example)
    stacks = [child for child in app.node.children if isinstance(child, Stack)]
    templates = {stack.stack_name: scrubbed(Template.from_stack(stack).to_json()) for stack in stacks}
    assert templates == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("example", APPS)
def test_an_example_has_nothing_to_warn_about(example):
    assert report_of(declared(example)) == []


def test_the_tests_of_the_example_about_tests_pass(tmp_path):
    """As a user runs them: in their own folder, with nothing of this repository's settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
    done = subprocess.run(
        command, cwd=EXAMPLES / "snapshot_testing", capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
