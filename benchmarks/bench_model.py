"""The scheduler model: what its import costs, how fast a full queue is assessed, and how much memory a job takes.

Ratios of medians of processor time, measured alternately in one run. Each has the bound that
the project holds itself to; the exit code says whether all hold.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc

from model_queue import SHARES, TYPES, settled

from quota_scheduler import Change, QueueState, assess, parse_state

IMPORT = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
MODEL = "import quota_scheduler"
SDK = "import boto3; boto3.client('batch', region_name='eu-west-1')"


def main() -> int:
    results = [import_cost(), *assess_cost(), scaling(), memory()]
    for name, value, bound, unit in results:
        print(f"{'ok  ' if value <= bound else 'OVER'} {name}: {value:.3g}{unit} (bound {bound:g}{unit})")
    return 0 if all(value <= bound for _, value, bound, _ in results) else 1


def import_cost() -> tuple[str, float, float, str]:
    """Compare two imports, each in a fresh interpreter."""
    times: dict[str, list[float]] = {MODEL: [], SDK: []}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for round_number in range(12):
        for statement, measured in times.items():
            command = [sys.executable, "-c", IMPORT.format(statement)]
            done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
            if round_number:  # the first one may have to compile
                measured.append(float(done.stdout))
    model, sdk = (statistics.median(measured) for measured in times.values())
    print(f"     import: model {model * 1000:.0f} ms, boto3 with a Batch client {sdk * 1000:.0f} ms")
    return ("import of the model / boto3 with a Batch client", model / sdk, 0.15, "")


def assess_cost() -> list[tuple[str, float, float, str]]:
    """Compare the assessment of a full queue with reading the same file as JSON."""
    state = settled(2_000, 10_000)
    text = json.dumps(state.to_dict())
    changes = {"nothing": Change(), "a cut of 2 in each type of a share": cut(state)}
    found = []
    for name, change in changes.items():
        loads, assesses = [], []
        for _ in range(5):
            loads.append(timed(lambda: json.loads(text)))
            assesses.append(timed(lambda change=change: assess(state, change)))
        verdict = assess(state, change).verdict
        ratio = statistics.median(assesses) / statistics.median(loads)
        print(f"     {name}: {verdict}, json.loads of {len(text) >> 10} KiB {statistics.median(loads) * 1000:.0f} ms")
        found.append((f"assess / json.loads, {SHARES} shares x {len(TYPES)} types, 12,000 jobs, {name}", ratio, 10, ""))
    return found


def scaling() -> tuple[str, float, float, str]:
    """Compare the cost of a job in a queue ten times as long."""
    small, large = settled(2_000, 10_000), settled(2_000, 100_000)
    times: dict[int, list[float]] = {len(small.jobs): [], len(large.jobs): []}
    for _ in range(3):
        for state in (small, large):
            gc.collect()
            times[len(state.jobs)].append(timed(lambda state=state: assess(state, cut(state))))
    per_job = [statistics.median(measured) / jobs for jobs, measured in times.items()]
    print(f"     a job: {per_job[0] * 1e6:.1f} us of 12,000, {per_job[1] * 1e6:.1f} us of 102,000")
    return ("cost of a job, 100,000 waiting / 10,000 waiting", per_job[1] / per_job[0], 1.25, "")


def memory() -> tuple[str, float, float, str]:
    """Measure what a state and its assessment hold."""
    state = settled(2_000, 10_000)
    text = json.dumps(state.to_dict())
    change = cut(state)
    del state
    gc.collect()
    tracemalloc.start()
    kept = parse_state(text)
    of_state, _ = tracemalloc.get_traced_memory()
    assessment = assess(kept, change)
    gc.collect()
    of_both, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    jobs = len(assessment.jobs)
    parts = [f"{size / jobs:.0f} B {what}" for size, what in ((of_state, "state"), (of_both, "both"), (peak, "peak"))]
    print(f"     a job: {', '.join(parts)}")
    return ("memory of a job, state and assessment", of_both / jobs, 1024, " B")


def cut(state: QueueState) -> Change:
    """Give a change that lowers every limit of a share that borrows by 2."""
    limits = {unit: amount - 2 for unit, amount in state.shares["team-03"].limits.items()}
    return Change(shares={"team-03": {"limits": limits}})


def timed(question: object) -> float:
    start = time.process_time()
    question()  # type: ignore[operator]
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
