"""What all tests share.

Counts that a test records stand in the summary of the run, also with several workers. Programs that tests start can be
interrupted, also where the run itself was started with interruptions turned off, as a shell does in the background.
"""

from __future__ import annotations

import signal
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

COUNTS = ("fault points", "lost answers", "rollbacks in the middle")


def pytest_configure() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    totals: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name in COUNTS and report.when == "call":
                    totals[name] += value
    if totals:
        terminalreporter.write_line("tried: " + ", ".join(f"{totals[name]} {name}" for name in COUNTS if totals[name]))
