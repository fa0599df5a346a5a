"""Where a trace comes from: a file, standard input, or the live queue of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.cli.failure import Failure
from quota_constructs.cli.sources import is_live, problems_of, read_bytes, read_state
from quota_constructs.simulation.trace import Trace, parse_trace
from quota_scheduler import DocumentError

if TYPE_CHECKING:
    from quota_constructs.cli.sources import Account


def read_trace(source: str, account: Account) -> Trace:
    """Read a trace or a state from a file, from standard input, or from the live queue of that name.

    Raises:
        Failure: It cannot be read, is neither, or there is no such queue.
    """
    if is_live(source):
        state, notes = read_state(source, account)
        return Trace(state, {}, notes=notes)
    try:
        return parse_trace(read_bytes(source))
    except DocumentError as error:
        name = "standard input" if source == "-" else source
        raise Failure(f"{name} is no trace or queue state: {problems_of(error)}") from error
