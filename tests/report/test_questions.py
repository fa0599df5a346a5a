"""Every assumption of the model has a question that people understand."""

from __future__ import annotations

from quota_constructs.report.questions import QUESTIONS, assumption_text
from quota_scheduler.knobs import VALUES


def test_every_knob_has_a_question() -> None:
    assert set(VALUES) <= set(QUESTIONS)


def test_the_text_names_answer_knob_and_reach() -> None:
    assert assumption_text("allow_mixed", "true", 1) == (
        "whether one job may stop jobs of its own share and of others together: yes (allow_mixed; matters to 1 job)"
    )
