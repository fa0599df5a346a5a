"""Which instance types SageMaker Training takes, and how many accelerators each has.

The list of names grows with every release of the SDK: a name that is not in it may be newer than this package, so it
is never an error. Left out: in which Region a type is offered, and which types AWS Batch itself accepts (neither is
published as data).

Source: `TrainingInstanceType` of the SageMaker API; the EC2 instance type guide for the counts.
"""

from __future__ import annotations

from quota_scheduler.instance_types_data import GPUS, KNOWN

__all__ = ["GPUS", "KNOWN", "accelerators", "suggest"]

PREFIX = "ml."
_CLOSE_ENOUGH = 0.8


def accelerators(instance_type: str) -> int | None:
    """Say how many accelerators one instance of a type has: GPUs, or Trainium chips.

    Args:
        instance_type: name as in the SageMaker API, for example `ml.p4d.24xlarge`.

    Returns:
        The count, or None for a type without accelerators and for one that this package does not know. Losses of
        such types are counted in instance-hours.

    >>> accelerators("ml.p4d.24xlarge"), accelerators("ml.m5.large")
    (8, None)
    """
    return GPUS.get(instance_type)


def suggest(instance_type: str) -> str | None:
    """Find the known type that somebody meant who wrote an unknown one.

    Args:
        instance_type: what was written.

    Returns:
        The closest name, or None if nothing is close or if `instance_type` is a known name.

    >>> suggest("p4d.24xlarge"), suggest("ml.p4d.24xlrage"), suggest("ml.p9.48xlarge")
    ('ml.p4d.24xlarge', 'ml.p4d.24xlarge', None)
    """
    if instance_type in KNOWN:
        return None
    tidy = "".join(instance_type.split()).lower().replace("_", ".")
    for candidate in (tidy, PREFIX + tidy):
        if candidate in KNOWN:
            return candidate
    # Imported here: only needed for a name that is wrong, and its import would be paid by everybody.
    from difflib import get_close_matches

    wanted = tidy if tidy.startswith(PREFIX) else PREFIX + tidy
    candidates = [name for name in sorted(KNOWN) if _generation(name) == _generation(wanted)]
    matches = get_close_matches(wanted, candidates, n=1, cutoff=_CLOSE_ENOUGH)
    return matches[0] if matches else None


def _generation(instance_type: str) -> str:
    """Give class and generation, `p4` of `ml.p4d.24xlarge`: who writes another one means another, maybe newer, type."""
    name = instance_type.removeprefix(PREFIX)
    letters = next((i for i, character in enumerate(name) if character.isdigit()), len(name))
    digits = next((i for i, character in enumerate(name) if i > letters and not character.isdigit()), len(name))
    return name[:digits]
