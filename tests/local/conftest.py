"""The two faces of the local Batch; every test that takes `face` runs on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from local_support import Face, InProcess, OverHttp

from quota_constructs.local import LocalCloud

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def batch_server() -> Iterator[LocalCloud]:
    """A server with the Batch API alone, whose clocks stand still."""
    with LocalCloud(batch_only=True, speed=0, delays="realistic") as cloud:
        yield cloud


@pytest.fixture(params=["in process", "over HTTP"])
def face(request: pytest.FixtureRequest) -> Face:
    if request.param == "in process":
        return InProcess()
    return OverHttp(request.getfixturevalue("batch_server").endpoint_url)
