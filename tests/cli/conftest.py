"""What tests of the command line share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_live_support import deployed
from cli_support import Cli

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cli_live_support import Live


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Commands run in an empty folder, in a terminal of 80 columns, without an account."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
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
