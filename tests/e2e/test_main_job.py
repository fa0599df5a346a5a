"""The main job, told by `make demo`, held to what it promises: the real cdk command line, Lambda code and boto3."""

import json
import urllib.request
from typing import TYPE_CHECKING

import pytest

from quota_constructs.local import LocalCloud
from sample_app.demo.screen import Screen
from sample_app.demo.story import Story

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.deploys, pytest.mark.timeout(540), pytest.mark.xdist_group("local-cloud")]


def test_the_main_job_from_the_first_deployment_to_the_last(tmp_path: "Path") -> None:
    """Create; raise; cut with a warning; cut blocked, rolled back, then acknowledged; a busy share kept; destroy.

    Each step of the story raises when it does not show what it says. Beyond that, the local Batch's own log says that
    jobs were stopped four times: by the owner of what one had borrowed, by a higher priority in its share, and two for
    the change that was acknowledged.
    """
    with LocalCloud() as cloud:
        Story(Screen(), cloud, tmp_path / "app").tell()
        with urllib.request.urlopen(f"{cloud.endpoint_url}/_quota/events") as answer:
            events = json.load(answer)["events"]
    assert [event["kind"] for event in events].count("preemption_started") == 4
