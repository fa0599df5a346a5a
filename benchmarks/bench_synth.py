"""How long a synthesis takes, against the same resources written by hand with the L1 constructs.

A queue with 20 shares of 5 limits, in fresh processes that take turns, the CDK's own validation off in both; then how
much a further app costs in a process that has one already. Processor seconds of Python and Node count, and of those the
least: what else the machine does can only add.

    python benchmarks/bench_synth.py [RUNS]
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent / "synth"
MOST_RATIO = 1.10
MOST_FURTHER = 0.05
LIFECYCLES = ("managed", "native")
FURTHER_APPS = 10
_SEVERAL = """
import sys
import ours
for number in range(int(sys.argv[2])):
    ours.build(f"{sys.argv[1]}/{number}", "managed")
"""


def processor_seconds(*command: str) -> float:
    """Run a command with this interpreter, and give the processor time of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=FOLDER, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def kinds(outdir: str) -> Counter:
    """Count the resources of a synthesized stack by type."""
    template = json.loads((Path(outdir) / "Bench.template.json").read_text())
    return Counter(declared["Type"] for declared in template["Resources"].values())


def main(runs: int) -> int:
    """Measure, print, and say with the exit code whether the bounds hold."""
    measured: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs + 1):
            for lifecycle in LIFECYCLES:
                scripts = ("by_hand", "ours") if run % 2 else ("ours", "by_hand")
                for script in scripts:
                    took = processor_seconds(f"{script}.py", f"{folder}/{script}", lifecycle)
                    if run:  # the first one warms the caches
                        measured.setdefault((lifecycle, script), []).append(took)
                assert kinds(f"{folder}/ours") == kinds(f"{folder}/by_hand"), "not the same resources"
        several, one = (
            min(processor_seconds("-c", _SEVERAL, f"{folder}/{number}", str(number)) for _ in range(3))
            for number in (FURTHER_APPS + 1, 1)
        )
    holds = True
    for lifecycle in LIFECYCLES:
        ours, by_hand = (measured[lifecycle, script] for script in ("ours", "by_hand"))
        ratio = min(ours) / min(by_hand)
        holds &= ratio <= MOST_RATIO
        print(
            f"{lifecycle}: ratio {ratio:.3f} of at most {MOST_RATIO:.2f} "
            f"({min(ours):.2f} s against {min(by_hand):.2f} s; "
            f"medians {statistics.median(ours):.2f} s and {statistics.median(by_hand):.2f} s)"
        )
    further = (several - one) / FURTHER_APPS / one
    holds &= further <= MOST_FURTHER
    print(f"a further app in the same process: {further:.3f} of a fresh one, of at most {MOST_FURTHER:.2f}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
