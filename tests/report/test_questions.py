"""Every assumption of the model has a question that people understand."""

from __future__ import annotations

from quota_constructs.report.questions import QUESTIONS, assumption_text
from quota_scheduler.knobs import VALUES


def test_every_knob_has_a_question() -> None:
    assert QUESTIONS.keys() == {*VALUES, "unknown_priority", "exactness", "budget"}


def test_what_was_not_tried_to_the_end_matters_to_no_number_of_jobs() -> None:
    assert assumption_text("budget", "reclaim_scope, minimality", 0) == (
        "in so large a queue other answers were not tried to the end: reclaim_scope, minimality"
    )


def test_the_text_names_answer_knob_and_reach() -> None:
    assert assumption_text("allow_mixed", "true", 1) == (
        "whether one job may stop jobs of its own share and of others together: yes (allow_mixed; matters to 1 job)"
    )
