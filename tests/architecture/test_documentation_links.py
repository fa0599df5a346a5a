"""The pages link to what is there, and name no decision without a link to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("page", DOCS + DECISIONS, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_decisions_are_linked(page: Path) -> None:
    text = re.sub(r"\[[^\]]*\]\([^)]*\)", "", page.read_text())
    assert re.findall(r"decisions/\d{4}\S*", text) == []
