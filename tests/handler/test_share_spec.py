"""What a share is to be, and whose it is, read from texts that others wrote."""

from __future__ import annotations

from typing import Any

import pytest
from handler_support import G5, share_properties

from quota_handler.ownership import MOST_CHARACTERS, configuration_from_text, configuration_text, owner_of
from quota_handler.request import parse_request
from quota_handler.share_spec import SpecError, parse_spec
from quota_handler.stack_phase import Phase, phase_of
from quota_scheduler import Share


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"Share": None}, "property Share must be the JSON text of a share, got null"),
        ({"Share": "{"}, "property Share must be the JSON text of a share"),
        ({"Share": "[" * 100_000}, "property Share must be the JSON text of a share"),
        ({"Share": "{}"}, "property Share is no share"),
        (
            {"Share": '{"quotaShareName":"a","capacityLimits":[{"capacityUnit":"x","maxCapacity":"many"}]}'},
            "is no share",
        ),
        ({"Share": '{"version":3,"quotaShareName":"a"}'}, "property Share has version 3, this handler knows 1"),
        ({"Share": '{"version":true,"quotaShareName":"a"}'}, "property Share has version true, this handler knows 1"),
        ({"Share": '{"version":1.0,"quotaShareName":"a"}'}, "property Share has version 1.0, this handler knows 1"),
        ({"Share": '{"quotaShareName":"a","tags":[1]}'}, "property Share is no share"),
        ({"Share": '{"quotaShareName":"a","tags":[]}'}, "property Share is no share"),
        ({"JobQueue": "training"}, 'property JobQueue must be the ARN of a job queue, got "training"'),
        ({"OnRemoval": "LATER"}, "property OnRemoval must be one of REFUSE_IF_BUSY, TERMINATE, RETAIN"),
    ],
    ids=str,
)
def test_fails_for_properties_that_are_no_share(change: dict[str, Any], want: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(share_properties() | change)
    assert want in str(caught.value)


def test_what_is_missing_is_as_by_default() -> None:
    properties = share_properties()
    del properties["OnRemoval"], properties["AdoptExisting"]
    spec = parse_spec(properties)
    assert (spec.on_removal, spec.adopt_existing) == ("REFUSE_IF_BUSY", False)


@pytest.mark.parametrize(
    "share",
    [
        Share("A", {G5: 3}, "RESERVE"),
        Share("A", {G5: 3}, "LEND_AND_BORROW", -1, True, "DISABLED"),
        Share(
            "A",
            {f"ml.p6e-gb200.{number}6xlarge": 2_147_483_647 for number in range(5)},
            "LEND_AND_BORROW",
            2_147_483_647,
        ),
    ],
    ids=["small", "all", "largest"],
)
def test_a_configuration_fits_into_a_tag_and_comes_back(share: Share) -> None:
    text = configuration_text(share)
    assert len(text) <= MOST_CHARACTERS
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.:/=+-@")
    assert configuration_from_text("A", text) == share


@pytest.mark.parametrize(
    "text", ["", "LEND", "LEND in=ENABLED state=ENABLED", "LEND in=ENABLED state=ENABLED x=many", "?"]
)
def test_a_configuration_that_somebody_changed_is_not_guessed(text: str) -> None:
    assert configuration_from_text("A", text) is None


def owner(stack: str, logical_id: str) -> str:
    return owner_of(
        parse_request(
            {
                "RequestType": "Create",
                "RequestId": "r",
                "ResponseURL": "https://x/",
                "StackId": f"arn:aws:cloudformation:eu-west-1:000000000000:stack/{stack}/{'1' * 36}",
                "LogicalResourceId": logical_id,
                "ResourceType": "Custom::QuotaShare",
            }
        )
    )


def test_owners_with_long_names_differ_and_fit() -> None:
    long = "L" * 200
    first, second = owner("s" * 128, long + "A"), owner("s" * 128, long + "B")
    assert first != second
    assert {len(first), len(second)} == {MOST_CHARACTERS}
    assert first.startswith("arn:aws:cloudformation:eu-west-1:000000000000:stack/" + "s" * 128)
    assert owner("ml", "QS1").endswith("/QS1")


def test_a_status_that_nobody_knows_is_no_phase() -> None:
    assert [phase_of(status) for status in (None, "", "SOMETHING_NEW")] == [Phase.UNKNOWN] * 3
