"""What docs/local-batch.md and the docstrings say can be done."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest

import quota_constructs.local
from quota_constructs.local.faults import KINDS, rules_from
from quota_constructs.local.payload import FAILURE, RUN_SECONDS
from quota_constructs.local.settings import settings_with, short_settings

PAGE = (Path(__file__).parents[2] / "docs" / "local-batch.md").read_text()
MODULES = [found.name for found in pkgutil.walk_packages(quota_constructs.local.__path__, "quota_constructs.local.")]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    if not name.endswith("__main__"):
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_rules_of_the_page_are_rules() -> None:
    [text] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    rules, seed = rules_from(json.loads(text))
    assert (len(rules), seed) == (4, 7)
    assert all(f"`{kind}`" in PAGE for kind in KINDS)


def test_the_options_and_settings_of_the_page_exist(capsys: pytest.CaptureFixture[str]) -> None:
    from quota_constructs.local.__main__ import main

    with pytest.raises(SystemExit):
        main(["--help"])
    known = capsys.readouterr().out
    assert [option for option in re.findall(r"`(--[a-z-]+)", PAGE) if option not in known] == []
    settings_with(short_settings(), re.findall(r"`([a-z_]+=\d+)`", PAGE))


def test_the_endpoints_and_variables_of_the_page_exist() -> None:
    from quota_constructs.local.control import _CONTROLS

    listed = {(method, f"/_quota/{path}") for method, path in re.findall(r"(GET|POST) +/_quota/(\w+)", PAGE)}
    assert listed == set(_CONTROLS)
    assert {RUN_SECONDS, FAILURE} <= set(re.findall(r"QUOTA_LOCAL_\w+", PAGE))
