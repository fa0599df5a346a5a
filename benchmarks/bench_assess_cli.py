"""`batch-quota assess` of a full queue in a fresh process, against starting Python and reading the same file.

    python benchmarks/bench_assess_cli.py

20 shares of 5 types, 2,000 dispatched and 10,000 waiting jobs, as a scheduler leaves them: nothing can start. Prints
medians of processor time over several rounds, in which the commands take turns, and fails if the text output costs more
than `MOST_RATIO` of the baseline.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from model_queue import settled

MOST_RATIO = 3.0
ROUNDS = 9
DISPATCHED, WAITING = 2_000, 10_000

BASELINE = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
COMMANDS = {
    "python and json.load": ["-c", BASELINE, "STATE"],
    "assess, text": ["-m", "quota_constructs.cli", "assess", "STATE", "--fail-on", "never"],
    "assess, json": ["-m", "quota_constructs.cli", "assess", "STATE", "--format", "json", "--fail-on", "never"],
}


def processor_seconds(arguments: list[str]) -> float:
    """Run an interpreter and give the processor time it took, which other work on the machine changes little."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.json"
        state.write_text(json.dumps(settled(DISPATCHED, WAITING).to_dict()))
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(ROUNDS):
            for name, arguments in COMMANDS.items():
                times[name].append(processor_seconds([str(state) if part == "STATE" else part for part in arguments]))
    baseline = statistics.median(times["python and json.load"])
    worst = 0.0
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:22} {median * 1000:7.0f} ms   {median / baseline:5.2f}")
        if name == "assess, text":
            worst = median / baseline
    print(f"assess, text: {worst:.2f} of the baseline, at most {MOST_RATIO}")
    return 0 if worst <= MOST_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())
