"""What the contract tests of the command line share."""

from __future__ import annotations

import pytest
from cli_support import Cli, without_account
from contract_support import full_state, small_queue


@pytest.fixture
def cli(capsys, tmp_path, monkeypatch):
    """Commands run in a folder with two states, without an account."""
    without_account(monkeypatch, tmp_path)
    commands = Cli(capsys, tmp_path)
    commands.write("state.json", small_queue())
    commands.write("full.json", full_state())
    return commands
