"""How long a search for exact sets may take before it gives a bound instead."""

from __future__ import annotations

MOST_STEPS = 5_000
"""Steps for one waiting job of several types: some tenths of a second."""

MOST_STEPS_OF_A_PASS = 50_000
"""Steps for all waiting jobs of a pass together."""

MOST_STEPS_ON_BUDGET = 300
"""Steps in a pass with a budget, which only wants to know whether something is different."""
