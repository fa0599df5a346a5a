"""Pytest fixtures for those who test against AWS Batch quota management.

    local_batch     a LocalBatch in the test's process, whose clock stands still until `advance`
    local_cloud     a LocalCloud in a process of its own, with CloudFormation, Lambda and the rest, in real time

Both are fresh for every test. pytest loads this module in every run, so nothing is imported before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quota_constructs.local.batch import LocalBatch
    from quota_constructs.local.cloud import LocalCloud


@pytest.fixture
def local_batch() -> LocalBatch:
    """AWS Batch with quota management, in this process.

    Time passes only with `local_batch.advance(seconds)`. The ids of its jobs are the same in every run.
    """
    try:
        import boto3  # noqa: F401 - the client needs it; say so before it is asked for

        from quota_constructs.local.batch import LocalBatch
    except ModuleNotFoundError as error:
        _missing("local_batch", error)
    return LocalBatch(seed=0)


@pytest.fixture
def local_cloud() -> Iterator[LocalCloud]:
    """A local cloud on a free port of this machine, stopped when the test is over."""
    try:
        import boto3  # noqa: F401 - as above, for all that the cloud needs
        import hypercorn  # noqa: F401
        import ministack  # noqa: F401

        from quota_constructs.local.cloud import LocalCloud
    except ModuleNotFoundError as error:
        _missing("local_cloud", error)
    with LocalCloud() as cloud:
        yield cloud


def _missing(fixture: str, error: ModuleNotFoundError) -> NoReturn:
    pytest.fail(f"fixture {fixture} needs {error.name}; install quota-constructs[local]", pytrace=False)
