"""`batch-quota assess` of a full queue in a fresh process, against starting Python and reading the same file.

    python benchmarks/bench_assess_cli.py

20 shares of 5 types, 2,000 dispatched and 10,000 waiting jobs, as a scheduler leaves them: nothing can start. Prints
the least processor time of several rounds, in which the commands take turns, and fails if the text output costs more
than `MOST_RATIO` of the baseline. What the libraries of the command line cost before anything is done stands beside
it. Bytecode is written beforehand, as it is when a package is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from model_queue import settled

MOST_RATIO = 3.0
ROUNDS = 9
DISPATCHED, WAITING = 2_000, 10_000

BASELINE = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
READING = "import sys, quota_scheduler as q; state = q.parse_state(open(sys.argv[1], 'rb').read())"
COMMANDS = {
    "python and json.load": ["-c", BASELINE, "STATE"],
    "the same, click and rich": ["-c", f"import click, rich.console, rich.table; {BASELINE}", "STATE"],
    "reading the state": ["-c", READING, "STATE"],
    "assessing it": ["-c", f"{READING}; q.assess(state)", "STATE"],
    "assess, text": ["-m", "quota_constructs.cli", "assess", "STATE", "--fail-on", "never"],
    "assess, json": ["-m", "quota_constructs.cli", "assess", "STATE", "--format", "json", "--fail-on", "never"],
}


def processor_seconds(arguments: list[str]) -> float:
    """Run an interpreter and give the processor time it took, which other work on the machine changes little."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.json"
        state.write_text(json.dumps(settled(DISPATCHED, WAITING).to_dict()))
        least: dict[str, float] = {}
        for round_ in range(ROUNDS + 1):
            for name, arguments in COMMANDS.items():
                took = processor_seconds([str(state) if part == "STATE" else part for part in arguments])
                if round_:  # the first one writes the bytecode
                    least[name] = min(took, least.get(name, took))
    baseline = least["python and json.load"]
    for name, took in least.items():
        print(f"{name:25} {took * 1000:7.0f} ms   {took / baseline:5.2f}")
    worst = least["assess, text"] / baseline
    print(f"assess, text: {worst:.2f} of the baseline, at most {MOST_RATIO}")
    return 0 if worst <= MOST_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
