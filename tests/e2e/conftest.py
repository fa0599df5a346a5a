"""One local cloud for all of the longer deployments; each test has stacks and queues of its own in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from e2e_support import Account

from quota_constructs.local import LocalCloud

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """A bootstrapped account."""
    with LocalCloud() as cloud:
        account = Account(cloud, tmp_path_factory.mktemp("account"))
        account.bootstrap()
        yield account
