"""What a process of the command line does with its streams: closed ones, full ones, narrow encodings, interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from contract_support import full_state

COMMAND = [sys.executable, "-m", "quota_constructs.cli"]
CLOSED = "batch-quota: standard output was closed before everything was written\n"


@pytest.fixture
def state(tmp_path):
    document = full_state()
    document["jobs"][0] |= {"owner": "Åsa", "name": "\U0001f600"}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return str(path)


def run(*arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60} | options
    return subprocess.run([*COMMAND, *arguments], check=False, **options)


@pytest.mark.parametrize("arguments", [("assess", "--format", "json"), ("rules",), ("--help",)], ids=" ".join)
def test_a_reader_that_went_away(state, arguments):
    """2, never 1: that would read as a verdict."""
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*arguments, *([state] if arguments[0] == "assess" else []), stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (2, CLOSED)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")  # noqa: PTH110
def test_a_device_that_is_full(state):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = run("assess", state, "--format", "json", stdout=full)
    assert (done.returncode, done.stderr) == (2, "batch-quota: cannot write standard output: no space left on device\n")


def shell(line):
    return subprocess.run(["sh", "-c", line], check=False, capture_output=True, text=True, timeout=60)


def test_closed_streams(state, tmp_path):
    command = " ".join(COMMAND)
    no_output = shell(f"{command} assess {state} --format json >&-")
    assert (no_output.returncode, no_output.stderr) == (
        2,
        "batch-quota: standard output is closed; write to a file with -o FILE\n",
    )
    into_file = shell(f"{command} assess {state} --format json -o {tmp_path}/out.json >&-")
    assert (into_file.returncode, into_file.stderr) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["version"] == 1
    no_input = shell(f"{command} assess - <&-")
    assert (no_input.returncode, no_input.stderr) == (2, "batch-quota: cannot read standard input: it is closed\n")
    no_error = shell(f"{command} assess {tmp_path}/nowhere.json 2>&-")
    assert (no_error.returncode, no_error.stdout) == (2, "")


@pytest.mark.parametrize("layout", ["text", "json", "markdown", "html"])
def test_an_encoding_without_all_signs(state, layout):
    done = run("assess", state, "--format", layout, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    if layout == "json":
        utf_8 = run(
            "assess", state, "--format", "json", encoding="utf-8", env={**os.environ, "PYTHONIOENCODING": "utf-8"}
        )
        assert json.loads(done.stdout) == json.loads(utf_8.stdout)
        assert "Åsa" in utf_8.stdout


def test_a_file_name_that_is_no_text():
    done = run("assess", os.fsdecode(b"no\xff.json"))
    assert done.returncode == 2
    assert done.stderr == "batch-quota: cannot read no\\udcff.json: no such file or directory\n"


def test_an_interruption_is_no_failure_and_no_verdict():
    process = subprocess.Popen(
        [*COMMAND, "assess", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    try:
        process.stdin.write(b"{" * (1 << 17))  # more than a pipe holds: it has begun to read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
