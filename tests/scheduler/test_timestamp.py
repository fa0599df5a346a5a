"""Times are those of the calendar, to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_support import examples

from quota_scheduler.timestamp import format_timestamp, parse_timestamp

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31))  # noqa: DTZ001  # hypothesis adds none


@examples
@given(MOMENTS)
def test_times_agree_with_the_calendar(moment):
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
    milliseconds = (whole - EPOCH) // timedelta(milliseconds=1)

    assert parse_timestamp(whole.isoformat()) == milliseconds
    assert parse_timestamp(whole.isoformat().replace("+00:00", "Z")) == milliseconds
    assert parse_timestamp(format_timestamp(milliseconds)) == milliseconds
    assert datetime.fromisoformat(format_timestamp(milliseconds)) == whole


def test_milliseconds_are_written_only_where_there_are_any():
    assert (format_timestamp(0), format_timestamp(1)) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-29",
        "2026-11-29T12:00:00",
        "2026-11-29 12:00:00Z",
        "2026-11-29T24:00:00Z",
        "2026-11-29T12:60:00Z",
        "2026-11-29T12:00:61Z",
        "2026-13-01T12:00:00Z",
        "2026-02-29T12:00:00Z",
        "0000-01-01T12:00:00Z",
        "2026-11-29T12:00:00.Z",
        "2026-11-29T12:00:00,5Z",
        "2026-11-29T12:00:00+01:00",
        "2026-11-29T12:00:00-00:00",
        "٢٠٢٦-11-29T12:00:00Z",
        "2026-11-29T+1:00:00Z",
    ],
)
def test_fails_for_what_is_no_time_in_utc(text):
    with pytest.raises(ValueError, match="time must be ISO 8601 in UTC"):
        parse_timestamp(text)
