"""The oldest CDK release that is declared gives the same template as the newest, and fails on a breach as it does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json
from constructs_support import G5, new_queue, new_stack, template_of
from quota_constructs import ShareLifecycle
from quota_constructs.testing import scrubbed
stack = new_stack()
queue = new_queue(stack)
queue.add_share("Managed", capacity_limits={G5: 2})
queue.add_share("Native", capacity_limits={G5: 2}, lifecycle=ShareLifecycle.NATIVE)
print(json.dumps(scrubbed(template_of(stack)), sort_keys=True))
queue.node.default_child.add_property_override("State", "DISABLED")
try:
    stack.node.root.synth(force=True)
except RuntimeError as error:
    print("refused" if "ValidationFailed" in str(error) else error)
"""


def synthesized(*first_on_path: Path) -> str:
    path = os.pathsep.join(map(str, (*first_on_path, ROOT, ROOT / "lambda", ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_oldest_release_gives_the_same(tmp_path: Path) -> None:
    declared = re.search(r'"aws-cdk-lib>=([\d.]+),', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert declared is not None
    oldest = declared[1] + ".0" * (2 - declared[1].count("."))
    options = ("--quiet", "--no-deps", "--target", str(tmp_path), f"aws-cdk-lib=={oldest}")
    subprocess.run([sys.executable, "-m", "pip", "install", *options], check=True, timeout=600)
    template, refused = synthesized(tmp_path).splitlines()
    assert refused == "refused"
    assert template == synthesized().splitlines()[0]
