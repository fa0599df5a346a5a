"""Who makes room for whom: preemptions that have begun and whose preemptor has not been dispatched yet.

What stopped jobs free is held for their preemptor until the last of them has ended, so that nobody else takes it.
Source: scheduling model, "what they free is held for it" (docs/model.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_constructs.local.records import ServiceJob


@dataclass(slots=True)
class Claim:
    """Room that is being made for one waiting job.

    Args:
        stopping: the jobs that still have to end, by id.
        held: those that have ended, whose room is held.
    """

    stopping: dict[str, ServiceJob] = field(default_factory=dict)
    held: list[ServiceJob] = field(default_factory=list)


class Claims:
    """The claims of one queue, by the id of the preemptor."""

    def __init__(self) -> None:
        self._claims: dict[str, Claim] = {}

    def add(self, preemptor: str, target: ServiceJob) -> None:
        """A job is being stopped for this preemptor."""
        self._claims.setdefault(preemptor, Claim()).stopping[target.id] = target

    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._claims)

    def __contains__(self, job_id: object) -> bool:
        """Whether room is being made for this job."""
        return job_id in self._claims

    def ended(self, target: ServiceJob) -> str | None:
        """A job has ended: hold its room, or tell whose claim is complete with it."""
        for preemptor, claim in self._claims.items():
            if claim.stopping.pop(target.id, None) is not None:
                claim.held.append(target)
                return None if claim.stopping else preemptor
        return None

    def drop(self, preemptor: str) -> bool:
        """Give up a claim; what was held for it is free. Tells whether there was one."""
        return self._claims.pop(preemptor, None) is not None

    def holds_room_of(self, job: ServiceJob) -> bool:
        """Whether a job has made room for another one that has not been dispatched yet."""
        return any(target is job for _, target in self.held())

    def held(self) -> Iterator[tuple[str, ServiceJob]]:
        """The preemptor, and the job whose room is held for it."""
        for preemptor, claim in self._claims.items():
            for target in claim.held:
                yield preemptor, target
