"""The unmodified SageMaker Python SDK runs AWS's published walkthrough against the local Batch.

The SDK has an environment of its own (`.venv-clients`), which `make test-clients` sets up.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quota_constructs.local import LocalCloud

pytestmark = pytest.mark.clients
SCRIPT = Path(__file__).with_name("sagemaker_walkthrough.py")
PYTHON = SCRIPT.parents[2] / ".venv-clients" / "bin" / "python"


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What the SDK saw at each step."""
    assert PYTHON.exists(), f"{PYTHON} is missing; run `make test-clients`"
    with LocalCloud(batch_only=True, speed=0, delays="realistic") as cloud:
        done = subprocess.run(
            [PYTHON, "-W", "ignore", SCRIPT],
            env=os.environ | cloud.environment() | {"SAGEMAKER_VALIDATE_ROLE": "false"},
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_borrowing_and_both_kinds_of_preemption(seen: dict[str, Any]) -> None:
    high, med, low, owner = "qs1_job_high", "qs1_job_med", "qs1_job_low", "qs2_job_1"
    assert seen["borrowed"] == {high: "RUNNING", med: "RUNNING", low: "RUNNABLE"}
    assert seen["cross-share"] == {high: "RUNNING", med: "RUNNABLE", low: "RUNNABLE", owner: "RUNNING"}
    assert seen["reason"] == "Cross-share preemption triggered to reclaim borrowed capacity"
    assert seen["updated"] == low
    assert seen["priority"] == 4
    assert seen["in-share"] == {high: "RUNNABLE", med: "RUNNABLE", low: "RUNNING", owner: "RUNNING"}
    assert seen["at last"] == {high: "SUCCEEDED", med: "SUCCEEDED", low: "SUCCEEDED", owner: "FAILED"}
    assert seen["result"] == "SUCCEEDED"


def test_look_ups(seen: dict[str, Any]) -> None:
    assert seen["by name"] == ["qs1_job_low", "qs1_job_med", "qs1_job_high"]
    assert seen["one"] == "QS1"
    assert seen["running"] == ["qs1_job_low", "qs2_job_1"]
    assert seen["of a share"] == ["qs1_job_med", "qs1_job_high"]
    assert "Job is still waiting in queue" in seen["no training job"]
    assert seen["training job"].startswith("AWSBatchqs1-job-low-")


def test_terminate_map_and_clean_up(seen: dict[str, Any]) -> None:
    assert seen["terminated"] == ["FAILED", "enough"]
    assert seen["mapped"] == ["m1", "m2"]
    assert seen["left"] == []
