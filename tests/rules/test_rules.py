"""Every rule: its example breaks it, its mended example does not, and the registry is whole."""

import json

import pytest

from quota_scheduler.rules import RULES, SEVERITIES, Finding, Rule, check_queue, check_queues, check_update
from quota_scheduler.rules.documents import queue_configuration


def _findings(rule: Rule, example: str) -> tuple[Finding, ...]:
    document = json.loads(example)
    if rule.looks_at == "queue":
        return check_queue(queue_configuration(document))
    queues = [queue_configuration(entry) for entry in document]
    return check_queues(queues) if rule.looks_at == "queues" else check_update(*queues)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_fails_the_bad_example(rule: Rule) -> None:
    found = [finding for finding in _findings(rule, rule.bad) if finding.id == rule.id]
    assert found, f"{rule.id} is not broken by its bad example"
    assert {finding.severity for finding in found} == {rule.severity}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_passes_the_good_example(rule: Rule) -> None:
    assert [str(finding) for finding in _findings(rule, rule.good) if finding.id == rule.id] == []


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_good_example_has_no_error_of_any_rule(rule: Rule) -> None:
    assert [str(finding) for finding in _findings(rule, rule.good) if finding.severity == "error"] == []


def test_ids_run_from_001_without_a_gap() -> None:
    assert list(RULES) == [f"QS{number:03}" for number in range(1, len(RULES) + 1)]
    assert all(rule.id == key for key, rule in RULES.items())
