"""Stable pseudonyms for what names people and accounts, so that a snapshot can go into a bug report.

The same name gets the same pseudonym within one snapshot, numbered in the order of first appearance; no key and no
hash of the name is left in the file. Amounts, times, statuses and priorities stay, as the scheduler sees only those.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quota_scheduler import Job, QueueState

_ACCOUNT = "000000000000"


class _Pseudonyms:
    def __init__(self, prefix: str, width: int = 0) -> None:
        self._prefix = prefix
        self._width = width
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        number = len(self._given) + 1
        return self._given.setdefault(name, f"{self._prefix}-{number:0{self._width}d}")


def redact(state: QueueState) -> QueueState:
    """Replace queue, account, share names, job ids, job names and owners by pseudonyms.

    The order of names matters to the scheduler where nothing else decides (shares by name, jobs by id), so pseudonyms
    are handed out in that order and padded to sort alike.

    Args:
        state: The state as it was read.

    Returns:
        The same state to the scheduler, without names of anybody.
    """
    jobs = _Pseudonyms("job", len(str(len(state.jobs))))
    shares = _Pseudonyms("share", len(str(len(state.shares))))
    names, owners = _Pseudonyms("name"), _Pseudonyms("owner")
    for name in sorted(state.shares):
        shares.of(name)
    for identifier in sorted(job.id for job in state.jobs):
        jobs.of(identifier)

    def redacted(job: Job) -> Job:
        return replace(
            job,
            id=jobs.of(job.id),
            share=shares.of(job.share),
            name=None if job.name is None else names.of(job.name),
            owner=None if job.owner is None else owners.of(job.owner),
            stopping_for=None if job.stopping_for is None else jobs.of(job.stopping_for),
        )

    return replace(
        state,
        queue=None if state.queue is None else "queue",
        account=None if state.account is None else _ACCOUNT,
        shares=MappingProxyType(
            {shares.of(name): replace(share, name=shares.of(name)) for name, share in state.shares.items()}
        ),
        jobs=tuple(redacted(job) for job in state.jobs),
    )
