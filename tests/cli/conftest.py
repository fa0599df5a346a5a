"""What tests of the command line share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_live_support import deployed
from cli_support import Cli, without_account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cli_live_support import Live


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Commands run in an empty folder, in a terminal of 80 columns, without an account."""
    without_account(monkeypatch, tmp_path)
    return Cli(capsys, tmp_path)


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    """One local cloud for all tests that ask it; they change nothing that others look at."""
    with deployed() as stack:
        yield stack


@pytest.fixture
def live_cli(cli: Cli, live: Live, monkeypatch: pytest.MonkeyPatch) -> Cli:
    for name, value in live.cloud.environment().items():
        monkeypatch.setenv(name, value)
    return cli
