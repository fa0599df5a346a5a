"""The registry: every rule is broken by its bad example and kept by its good one, and the page tells of all."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from quota_scheduler.rules import RULES, SEVERITIES, Rule
from quota_scheduler.rules.examples import findings_of, message_of

ROOT = Path(__file__).resolve().parent.parent.parent
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


@every_rule
def test_fails_the_bad_example(rule: Rule) -> None:
    found = [finding for finding in findings_of(rule, rule.bad) if finding.id == rule.id]
    assert found, f"{rule.id} is not broken by its bad example"
    assert {finding.severity for finding in found} == {rule.severity}


@every_rule
def test_passes_the_good_example(rule: Rule) -> None:
    assert [str(finding) for finding in findings_of(rule, rule.good) if finding.id == rule.id] == []


@every_rule
def test_good_example_breaks_no_other_rule_badly(rule: Rule) -> None:
    assert [str(finding) for finding in findings_of(rule, rule.good) if finding.severity == "error"] == []


def test_ids_run_from_001_without_a_gap() -> None:
    assert list(RULES) == [f"QS{number:03}" for number in range(1, len(RULES) + 1)]
    assert all(rule.id == key for key, rule in RULES.items())


@every_rule
def test_says_what_a_reader_needs(rule: Rule) -> None:
    assert rule.severity in SEVERITIES
    assert rule.source
    assert rule.fix
    for text in (rule.title, rule.fix, message_of(rule)):
        assert not text.endswith("."), text
        assert "\n" not in text


@every_rule
def test_assumed_sources_name_their_decision_record(rule: Rule) -> None:
    if "assumed" in rule.source:
        name = rule.source.partition("docs/decisions/")[2].split(";")[0].split(",")[0].strip()
        assert (ROOT / "docs/decisions" / name).is_file()


def test_importing_the_rules_stays_cheap() -> None:
    """What helps with slips is imported when somebody made one."""
    heavy = {"difflib", "typing", "datetime", "logging", "botocore"}
    code = "import sys, quota_scheduler.rules, quota_scheduler.advice; print(*sys.modules)"
    loaded = subprocess.run(  # without site packages, which load what they like
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(ROOT / "lambda")}, capture_output=True, check=True
    )
    assert heavy & set(loaded.stdout.decode().split()) == set()


def test_page_is_in_step_with_the_registry() -> None:
    spec = importlib.util.spec_from_file_location("rules_page", ROOT / "tools/rules_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs/rules.md").read_text(encoding="utf-8") == module.page(), "run make docs"
