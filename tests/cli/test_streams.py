"""Where results go: standard output, files, terminals; what is left after an interruption."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_support import TYPE, job, share, state, walkthrough

from quota_constructs.cli import output
from quota_constructs.cli.failure import Failure
from quota_constructs.cli.status import show
from quota_scheduler import Knobs, QueueState, parse_state

if TYPE_CHECKING:
    from cli_support import Cli

ESCAPE = "\x1b["


def test_a_file_gets_what_standard_output_would(cli: Cli) -> None:
    cli.write("state.json", walkthrough())
    for layout in ("text", "json", "markdown", "html"):
        printed = cli("assess", "state.json", "--format", layout)
        written = cli("assess", "state.json", "--format", layout, "-o", "result")
        assert (written.code, written.out, written.err) == (0, "", "")
        assert (cli.folder / "result").read_text(encoding="utf-8") == printed.out


def test_the_state_may_come_from_standard_input(cli: Cli) -> None:
    cli.write("state.json", walkthrough())
    command = [sys.executable, "-m", "quota_constructs.cli", "assess", "-", "--format", "json"]
    with (cli.folder / "state.json").open("rb") as given:
        done = subprocess.run(command, stdin=given, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == cli("assess", "state.json", "--format", "json").out


def test_no_colour_outside_a_terminal(cli: Cli) -> None:
    assert ESCAPE not in cli("assess", cli.write("state.json", walkthrough())).out


def in_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """Run a command with a terminal as its standard output and error."""
    leader, follower = pty.openpty()
    settings = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    command = [sys.executable, "-m", "quota_constructs.cli", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=follower, stderr=follower, env=settings)
    os.close(follower)
    chunks = []
    while True:
        try:
            chunk = os.read(leader, 65_536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(leader)
    assert process.wait(timeout=60) == 0
    return b"".join(chunks).decode()


def test_colour_on_a_terminal_unless_no_color_is_set(cli: Cli) -> None:
    cli.write("state.json", walkthrough())
    assert ESCAPE in in_terminal(cli.folder, "assess", "state.json")
    assert "\x1b[1;30;4" not in in_terminal(cli.folder, "assess", "state.json", NO_COLOR="1")


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_text_fits_into_the_width(cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    long = "a-very-long-name-of-a-training-job-that-somebody-generated-from-all-its-parameters"
    jobs = [job(f"{long}-{number}", "QS1", name=long, owner="somebody.with.a.name@example.com") for number in range(3)]
    cli.write("state.json", state({"QS1": share(3), "QS2": share(1, "LEND_AND_BORROW")}, jobs, environment=4))
    cli.write("change.json", {"shares": {"QS1": {"limits": {TYPE: 1}}}})
    for arguments in (("assess", "state.json", "--change", "change.json"), ("status", "state.json"), ("rules",)):
        lines = cli(*arguments).out.splitlines()
        assert [line for line in lines if len(line) > columns and "quota-acknowledge=" not in line] == []


def test_a_file_keeps_its_mode_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "plan.md"
    target.write_text("before")
    target.chmod(0o640)
    output.write("after", str(target))
    assert (target.read_text(), target.stat().st_mode & 0o777, [*tmp_path.iterdir()]) == ("after\n", 0o640, [target])


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        output.write("x", str(tmp_path / "new"))
    finally:
        os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_an_interruption_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "plan.md"
    target.write_text("before")

    def interrupt(self: Path, other: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        output.write("after", str(target))
    assert (target.read_text(), [*tmp_path.iterdir()]) == ("before", [target])


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="cannot write"):
        output.write("x", str(tmp_path))


def test_a_device_is_written_to_as_it_is() -> None:
    output.write("x", os.devnull)
    assert not Path(os.devnull).is_file()


def test_an_interrupted_watch_ends_quietly(cli: Cli) -> None:
    cli.write("state.json", walkthrough())
    command = [sys.executable, "-m", "quota_constructs.cli", "status", "state.json", "--watch", "--interval", "60"]
    process = subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline()  # it has shown something, and waits
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.strip()) == (130, b"")


def test_watch_looks_again(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["first", "second"]
    pauses: list[float] = []

    def look() -> QueueState:
        if not names:
            raise KeyboardInterrupt
        return parse_state(state({"QS1": share(3)}, [], queue=names.pop(0)))

    with pytest.raises(KeyboardInterrupt):
        show(look, Knobs(), 5, pauses.append)
    assert pauses == [5, 5]
    assert "second" in capsys.readouterr().out
