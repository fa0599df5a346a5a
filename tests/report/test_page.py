"""What a page says and what it leaves out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cli_support import TYPE, job, share, state
from report_support import DEMO, assessed, realistic, realistic_change

from quota_constructs.report.html import render_html
from quota_constructs.report.markdown import render_markdown
from quota_constructs.report.text import short
from quota_constructs.report.words import owner_label


def page_of(document: dict[str, Any], change: dict[str, Any]) -> str:
    return render_html([assessed(document, change)])


def legends(page: str) -> list[list[str]]:
    """The texts of each legend."""
    return [
        re.findall(r"</i>([^<]*)</span>", legend) for legend in re.findall(r'<div class="legend">(.*?)</div>', page)
    ]


def test_legends_have_what_their_pictures_have() -> None:
    never = job("big", "QS2", "RUNNABLE", uses=3)
    runs = job("runs", "QS1")
    document = state({"QS1": share(2), "QS2": share(1)}, [runs, never])
    assert legends(page_of(document, {"shares": {"QS2": {"limits": {TYPE: 2}}}})) == [
        ["in use, within the limit", "limit"],
        ["safe"],
    ]
    assert legends(page_of(*DEMO["busy-share-removed"][:2])) == [
        ["in use, within the limit", "in use, above the limit", "limit"],
        ["terminated", "still to run"],
    ]


def test_a_waiting_job_has_a_status_and_a_running_one_a_time() -> None:
    page = page_of(*DEMO["busy-share-removed"][:2])
    assert re.findall(r'data-k="(runs for|status)"[^>]*>([^<]*)<', page) == [
        ("runs for", "1h 55m"),
        ("runs for", "1h 55m"),
        ("status", "runnable"),
    ]


def test_one_other_job_is_one_job() -> None:
    page = page_of(realistic(), realistic_change())
    assert re.findall(r"<summary>([^<]*job[^<]*)</summary>", page) == ["1 other unfinished job"]


def test_labels_of_bars_can_be_told_apart_and_have_the_whole_name_beside_them() -> None:
    page = page_of(realistic(), realistic_change())
    labels = dict(re.findall(r'<span class="name" title="([^"]*)">([^<]*)</span>', page))
    assert len(labels) == len(set(labels.values())) == 5
    assert {name in labels for name in realistic()["shares"]} == {True}
    assert max(map(len, labels.values())) <= 36


def test_numbers_beside_bars_have_separators() -> None:
    page = page_of(realistic(), realistic_change())
    assert re.findall(r'<td class="words">([^<]*)</td>', page) == [
        "9,000 of 8,000, 1,000 over",
        "9,000 of 6,000, 3,000 over",
        "0 of 4,000",
        "0 of 6,000",
    ]


OWNERS = {
    "a session": ("arn:aws:sts::111122223333:assumed-role/DataScience/ann", "DataScience/ann"),
    "a role with a path": ("arn:aws:iam::111122223333:role/teams/vision", "teams/vision"),
    "a user in another partition": ("arn:aws-cn:iam::111122223333:user/ann", "ann"),
    "a name with a colon": ("arn:aws:sts::111122223333:federated-user/a:b", "a:b"),
    "the account": ("arn:aws:iam::111122223333:root", "root"),
    "something else": ("arn:aws:batch:eu-west-1:111122223333:job-queue/q", "job-queue/q"),
    "a name": ("team-vision", "team-vision"),
    "no more than its beginning": ("arn:aws:iam", "arn:aws:iam"),
    "nothing behind the account": ("arn:aws:iam::111122223333:", "arn:aws:iam::111122223333:"),
    "a kind without a name": ("arn:aws:iam::111122223333:role/", "role/"),
    "nobody": ("", ""),
}


@pytest.mark.parametrize(("owner", "want"), OWNERS.values(), ids=OWNERS)
def test_owner_label(owner: str, want: str) -> None:
    assert owner_label(owner) == want


def test_every_format_says_owners_the_same_way_and_json_keeps_the_whole() -> None:
    plan = assessed(realistic(), realistic_change())
    whole = "arn:aws:sts::111122223333:assumed-role/DataScience/ann@example.com"
    assert f'title="{whole}">DataScience/ann@example.com<' in render_html([plan])
    for text in (render_markdown([plan]), short(plan)):
        assert "DataScience/" in text
        assert "arn:aws" not in text
    owners = {outcome["owner"] for outcome in plan.assessment.to_dict()["jobs"].values()}
    assert whole in owners
