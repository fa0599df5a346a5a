"""The fixtures that users of the library get, in a pytest run of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import quota_constructs

ROOT = Path(quota_constructs.__file__).parents[1]

USER_TESTS = """
def test_the_local_batch(local_batch):
    client = local_batch.client()
    client.create_service_environment(
        serviceEnvironmentName="gpus", serviceEnvironmentType="SAGEMAKER_TRAINING",
        capacityLimits=[{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1}])
    local_batch.advance(60)
    assert client.describe_service_environments()["serviceEnvironments"][0]["status"] == "VALID"


def test_is_fresh_for_every_test(local_batch):
    assert local_batch.client().describe_service_environments()["serviceEnvironments"] == []


def test_the_local_cloud(local_cloud):
    assert local_cloud.client("batch").describe_job_queues()["jobQueues"] == []
    assert local_cloud.client("sts").get_caller_identity()["Account"] == "000000000000"
"""

MISSING = '''
import sys
import pytest

class Absent:
    """As if boto3 were not installed."""
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("boto3", "hypercorn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())

def test_batch(local_batch): ...
def test_cloud(local_cloud): ...
'''


def run_pytest(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_of_a_user.py").write_text(text)
    path = os.pathsep.join([str(ROOT), str(ROOT / "lambda")])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "-W", "error", "--rootdir", "."],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_users_get_both_fixtures_without_doing_anything(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, USER_TESTS)
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


def test_what_is_missing_is_said_kindly(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, MISSING)
    assert done.returncode == 1
    for fixture in ("local_batch", "local_cloud"):
        assert f"fixture {fixture} needs boto3; install quota-constructs[local]" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout


def test_the_plugin_imports_nothing_before_it_is_needed() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import quota_constructs.local.pytest_plugin; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(
        ["quota_constructs", "quota_constructs.local", "quota_constructs.local.pytest_plugin"]
    )
