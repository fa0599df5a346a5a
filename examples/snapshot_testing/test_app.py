import json
import os
from pathlib import Path

import pytest
from app import TrainingStack
from aws_cdk import App
from aws_cdk.assertions import Template

from quota_constructs.testing import assert_change_is_safe, queue_state, running, scrubbed, share, waiting

SNAPSHOT = Path(__file__).with_name("training.snapshot.json")
P4 = "ml.p4d.24xlarge"


def template(**settings):
    app = App(builtin_cloud_formation_validation=False)
    return Template.from_stack(TrainingStack(app, "Training", **settings)).to_json()


def test_the_template_is_the_one_we_reviewed():
    text = json.dumps(scrubbed(template()), indent=2, sort_keys=True) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(text)
    assert text == SNAPSHOT.read_text()


STATE = queue_state(
    {P4: 8},
    [share("Research", {P4: 6}, "LEND"), share("Production", {P4: 2}, "LEND_AND_BORROW", borrow_limit_percent=100)],
    [running("llm", "Research", {P4: 4}, hours=30, owner="ann"), running("serving", "Production", {P4: 2})],
)


def test_growing_hurts_nobody():
    assert_change_is_safe(template(), template(research=8), STATE)


def test_a_cut_below_what_runs_is_caught():
    with pytest.raises(AssertionError, match=r"AT RISK.*llm"):
        assert_change_is_safe(template(), template(research=3), STATE)


def test_a_cut_that_waiting_work_would_use_at_once_is_caught():
    queued = queue_state({P4: 8}, STATE.shares.values(), [*STATE.jobs, waiting("backlog", "Production", {P4: 2})])
    with pytest.raises(AssertionError, match="Training/Training"):
        assert_change_is_safe(template(), template(research=2, production=6), queued)
