"""Lists page by page."""

from __future__ import annotations

from typing import Any

import pytest

from quota_live.paging import CLOUDFORMATION_TOKEN, pages


@pytest.mark.parametrize("last", [{}, {"NextToken": ""}, {"NextToken": None}], ids=["no token", "empty", "null"])
def test_each_page_is_asked_for_with_the_token_of_the_one_before(last: dict[str, Any]) -> None:
    answers = [{"NextToken": "2"}, {"NextToken": "3"}, last]
    asked: list[dict[str, object]] = []

    def ask(**members: object) -> dict[str, Any]:
        asked.append(members)
        return answers[len(asked) - 1]

    assert answers == list(pages(ask, CLOUDFORMATION_TOKEN, StackName="s"))
    assert asked == [
        {"StackName": "s"},
        {"StackName": "s", "NextToken": "2"},
        {"StackName": "s", "NextToken": "3"},
    ]
