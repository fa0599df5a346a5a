"""The walkthrough's four changes in every format, as whole outputs.

`pytest tests/report --snapshot-update` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from report_support import DEMO, assessed
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from quota_constructs.cli.assessed import print_plans
from quota_constructs.cli.console import plain_text
from quota_constructs.report.html import render_html
from quota_constructs.report.markdown import render_markdown
from quota_constructs.report.text import short

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def extension(suffix: str) -> type[SingleFileSnapshotExtension]:
    class Golden(SingleFileSnapshotExtension):
        _write_mode = WriteMode.TEXT
        file_extension = suffix

    return Golden


def scrubbed(page: str) -> str:
    """A page without its style sheets and script, which only repeat files of the package."""
    page = re.sub(r"(<style>).*?(</style>)", r"\1…\2", page, flags=re.DOTALL)
    page = re.sub(r"sha256-[A-Za-z0-9+/=]+", "sha256-…", page)
    return re.sub(r"(<script>).*?(</script>)", r"\1…\2", page, flags=re.DOTALL)


@pytest.fixture
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", DEMO)
def test_the_verdicts_of_the_walkthrough(name: str) -> None:
    document, change, want_verdict = DEMO[name]
    assert assessed(document, change).assessment.to_dict()["verdict"] == want_verdict


@pytest.mark.usefixtures("_narrow")
@pytest.mark.parametrize("name", DEMO)
def test_text(name: str, snapshot: SnapshotAssertion) -> None:
    plan = assessed(*DEMO[name][:2])
    assert plain_text(lambda console: print_plans(console, [plan])) == snapshot(extension_class=extension("txt"))


@pytest.mark.parametrize("name", DEMO)
def test_short_text(name: str, snapshot: SnapshotAssertion) -> None:
    assert short(assessed(*DEMO[name][:2])) == snapshot(extension_class=extension("txt"))


@pytest.mark.parametrize("name", DEMO)
def test_json(name: str, snapshot: SnapshotAssertion) -> None:
    document = assessed(*DEMO[name][:2]).assessment.to_dict()
    assert json.dumps(document, indent=2) == snapshot(extension_class=extension("json"))


@pytest.mark.parametrize("name", DEMO)
def test_markdown(name: str, snapshot: SnapshotAssertion) -> None:
    assert render_markdown([assessed(*DEMO[name][:2])]) == snapshot(extension_class=extension("md"))


@pytest.mark.parametrize("name", DEMO)
def test_html(name: str, snapshot: SnapshotAssertion) -> None:
    page = scrubbed(render_html([assessed(*DEMO[name][:2])]))
    assert page == snapshot(extension_class=extension("html"))
