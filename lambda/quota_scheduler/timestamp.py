"""Points in time: ISO 8601 UTC in documents, whole milliseconds since 1970 in values.

Calculated here and not with `datetime`: a full queue has 40,000 of them, and a time that is only compared and
subtracted needs no object.
"""

from __future__ import annotations

MILLISECONDS_PER_HOUR = 3_600_000
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MILLISECONDS_PER_DAY = 24 * MILLISECONDS_PER_HOUR
_day_of: dict[str, int] = {}  # a queue's jobs fall on few days


def parse_timestamp(text: str) -> int:
    """Read an ISO 8601 time in UTC.

    Args:
        text: `2026-11-29T12:00:00Z`, with a fraction of seconds or with `+00:00` instead of the `Z` if you like.
            Digits beyond milliseconds are cut off.

    Returns:
        Milliseconds since 1970-01-01T00:00:00Z.

    Raises:
        ValueError: it is no such time.
    """
    date = text[:10]
    day = _day_of.get(date)
    if day is None:
        day = _parse_day(date)
        if len(_day_of) < 10_000:
            _day_of[date] = day
    clock = text[10:19]
    if (
        len(clock) != 9
        or clock[0] != "T"
        or clock[3] != ":"
        or clock[6] != ":"
        or not (clock.isascii() and (clock[1:3] + clock[4:6] + clock[7:9]).isdecimal())
    ):
        raise ValueError(_what(text))
    hour, minute, second = int(clock[1:3]), int(clock[4:6]), int(clock[7:9])
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(_what(text))
    moment = day + (hour * 60 + minute) * 60_000 + second * 1000
    rest = text[19:]
    return moment if rest == "Z" else moment + _parse_fraction(rest, text)


def format_timestamp(moment: int) -> str:
    """Write a time as ISO 8601 UTC, with milliseconds only where there are any.

    Args:
        moment: milliseconds since 1970-01-01T00:00:00Z.

    Returns:
        For example `2026-11-29T12:00:00Z`.
    """
    days, in_day = divmod(moment, _MILLISECONDS_PER_DAY)
    year, month, day = _civil(days)
    seconds, milliseconds = divmod(in_day, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    fraction = f".{milliseconds:03d}" if milliseconds else ""
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}{fraction}Z"


def _what(text: str) -> str:
    shown = text if len(text) <= 40 else text[:40] + "…"
    return f"time must be ISO 8601 in UTC like 2026-11-29T12:00:00Z, got {shown!r}"


def _parse_day(date: str) -> int:
    """Give the milliseconds at the start of a day `YYYY-MM-DD`."""
    digits = date[:4] + date[5:7] + date[8:10]
    if len(date) != 10 or date[4] != "-" or date[7] != "-" or not (digits.isascii() and digits.isdecimal()):
        raise ValueError(_what(date))
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
    if year < 1 or not 1 <= month <= 12:
        raise ValueError(_what(date))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= (29 if month == 2 and leap else _DAYS[month - 1]):
        raise ValueError(_what(date))
    return _days_since_1970(year, month, day) * _MILLISECONDS_PER_DAY


def _parse_fraction(rest: str, text: str) -> int:
    """Give the milliseconds of what follows the seconds, for example `.250Z` or `+00:00`."""
    for zone in ("Z", "+00:00"):
        if rest.endswith(zone):
            fraction = rest[: -len(zone)]
            digits = fraction[1:]
            if not fraction:
                return 0
            if fraction[0] == "." and digits.isascii() and digits.isdecimal():
                return int((digits + "00")[:3])
    raise ValueError(_what(text))


def _days_since_1970(year: int, month: int, day: int) -> int:
    """Count days in the proleptic Gregorian calendar, with years that begin in March."""
    if month <= 2:
        year -= 1
    month_from_march = (month + 9) % 12
    return year * 365 + year // 4 - year // 100 + year // 400 + (month_from_march * 153 + 2) // 5 + day - 719_469


def _civil(days: int) -> tuple[int, int, int]:
    """Give year, month and day of a count of days since 1970; the inverse of `_days_since_1970`."""
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * of_year + 2) // 153
    day = of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    return year_of_era + era * 400 + (month <= 2), month, day
