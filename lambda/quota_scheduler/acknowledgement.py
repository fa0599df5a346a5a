"""What a deployment carries to say: this loss is known and accepted.

    <hash>-<most jobs>-<most GPU-hours, rounded up>

The hash stands for the change and the jobs it would terminate, so that the acknowledgement of one change does not let
another one through. It passes while those are the same and no more can be lost than was accepted.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from quota_scheduler.assessment import Assessment, Bounds
    from quota_scheduler.change import Change

_HASH_DIGITS = 12
_MOST_DIGITS = 18  # of a number of jobs or hours that can be meant


def acknowledgement(change: Change, terminated: Iterable[str], bounds: Bounds) -> str:
    """Give what acknowledges a change.

    Args:
        change: the change.
        terminated: ids of the jobs it would terminate, sorted.
        bounds: what may be lost to jobs that wait; only the most counts.

    Returns:
        For example `3f1c9a20b7de-2-96`.
    """
    import json  # here: these two cost more to import than the whole module, and not all callers get here
    from hashlib import sha256

    named = json.dumps([change.to_dict(), sorted(terminated)], sort_keys=True, separators=(",", ":"))
    digest = sha256(named.encode()).hexdigest()[:_HASH_DIGITS]
    return f"{digest}-{bounds.jobs[1]}-{_rounded_up(bounds.gpu_hours[1])}"


def acknowledges(given: str, assessment: Assessment) -> bool:
    """Say whether one of several acknowledgements lets a change through.

    Args:
        given: acknowledgements, comma-separated; spaces around them do not matter.
        assessment: the change as it is assessed now.

    Returns:
        Whether one of them is of the same change and the same terminated jobs, and accepts at least as much.
    """
    digest, jobs, hours = assessment.acknowledge.split("-")
    for each in given.split(","):
        parts = each.strip().split("-")
        if (
            len(parts) == 3
            and parts[0] == digest
            and all(part.isascii() and part.isdecimal() and len(part) <= _MOST_DIGITS for part in parts[1:])
            and int(parts[1]) >= int(jobs)
            and int(parts[2]) >= int(hours)
        ):
            return True
    return False


def _rounded_up(hours: float) -> int:
    whole = int(hours)
    return whole if whole == hours else whole + 1
