"""What the function costs before it does anything: its import and a Batch client, in a fresh process.

    python benchmarks/bench_cold_start.py

Compares with `import boto3; boto3.client("batch")` in the same run, process against process in turn, and fails if the
median ratio is above 1.00. The second line adds what a guard needs beside it (the model, a CloudFormation client); it
has no bound.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

MOST_RATIO = 1.00
ROUNDS = 11

BOTO3 = "import boto3; boto3.client('batch')"
HANDLER = "import quota_handler.handler as handler; handler.shared_clients().batch"
GUARD = (
    "import quota_handler.handler as handler; clients = handler.shared_clients(); clients.batch; "
    "clients.cloudformation; import quota_handler.guard, quota_handler.report"
)


def seconds(code: str) -> float:
    """Time one fresh process."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1] / "lambda"),
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
    }
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - begun


def main() -> int:
    """Measure, print, judge."""
    for code in (BOTO3, HANDLER, GUARD):
        seconds(code)  # byte code and file cache
    rounds = [(seconds(BOTO3), seconds(HANDLER), seconds(GUARD)) for _ in range(ROUNDS)]
    ratio = statistics.median(handler / boto3 for boto3, handler, _ in rounds)
    guard = statistics.median(whole / boto3 for boto3, _, whole in rounds)
    boto3 = statistics.median(each for each, _, _ in rounds)
    print(f"import boto3 and client          {boto3 * 1000:6.0f} ms")
    print(f"import handler and client        {ratio:6.2f} of that, at most {MOST_RATIO:.2f}")
    print(f"the same with what a guard needs {guard:6.2f} of that")
    return int(ratio > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
