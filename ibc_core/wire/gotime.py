"""Times of nodes' JSON as Go reads and writes them, in unix nanoseconds: datetime stops at microseconds.

Go's `time.Time` in JSON is RFC 3339, read with some tolerance: an hour of one digit, a comma before the
fraction, and any number of decimals, of which nine count. A second 60 is refused: Go knows no leap seconds.
"""

import re

NANOSECONDS = 10**9
GO_ZERO_SECONDS = -62_135_596_800
GO_ZERO_TIME_NS = GO_ZERO_SECONDS * NANOSECONDS
"""Go's zero time, 0001-01-01T00:00:00Z: the time of an absent signature."""

_YEAR_10000 = 253_402_300_800  # in unix seconds
_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAY = 86_400
_DAYS_TO_1970 = 719_468  # from 0000-03-01, the start of the calendar's 400-year cycles
_CYCLE = 146_097  # days of 400 years


def is_timestamp(seconds: int, nanos: int) -> bool:
    """Whether a protobuf `Timestamp` is one: years 1 to 9999, less than a second of nanoseconds."""
    return GO_ZERO_SECONDS <= seconds < _YEAR_10000 and 0 <= nanos < NANOSECONDS


def parse_rfc3339(text: str) -> int:
    """Unix nanoseconds of a time like `2020-09-14T16:33:54.21191421Z`, as Go's `Time.UnmarshalJSON` has it.

    The year is one of 0000 to 9999 where the text says it, offsets have 24 hours and 60 minutes at most.

    Raises:
        ValueError: Go would refuse `text`.
    """
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise ValueError(f"not an RFC 3339 time: {text[:64]!a}")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    days = _days(year, month, day)
    if not 1 <= month <= 12 or _date(days) != (year, month, day) or hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"no such time: {text[:64]!a}")
    seconds = days * _DAY + hour * 3600 + minute * 60 + second - _offset(found)
    return seconds * NANOSECONDS + int((found[7] or "")[:9].ljust(9, "0"))


def format_rfc3339(time_ns: int) -> str:
    """The shortest RFC 3339 form in UTC of unix nanoseconds, as Go's `Time.MarshalJSON` has it.

    Raises:
        ValueError: the year is not one of 0000 to 9999.
    """
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    days, rest = divmod(seconds, _DAY)
    year, month, day = _date(days)
    if not 0 <= year <= 9999:
        raise ValueError(f"year {year} is outside 0000 to 9999")
    fraction = f".{nanos:09}".rstrip("0") if nanos else ""
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}{fraction}"
    return f"{year:04}-{month:02}-{day:02}T{clock}Z"


def _offset(found: re.Match[str]) -> int:
    if found[8] is None:
        return 0
    hours, minutes = int(found[9]), int(found[10])
    if hours > 24 or minutes > 60:
        raise ValueError(f"no such offset: {found[0][:64]!a}")
    seconds = hours * 3600 + minutes * 60
    return seconds if found[8] == "+" else -seconds


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the proleptic Gregorian calendar; years begin in March here."""
    year -= month <= 2
    cycle, of_cycle = divmod(year, 400)
    of_year = (153 * (month + (9 if month <= 2 else -3)) + 2) // 5 + day - 1
    return cycle * _CYCLE + of_cycle * 365 + of_cycle // 4 - of_cycle // 100 + of_year - _DAYS_TO_1970


def _date(days: int) -> tuple[int, int, int]:
    cycle, of_cycle = divmod(days + _DAYS_TO_1970, _CYCLE)
    year = (of_cycle - of_cycle // 1460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * year + year // 4 - year // 100)
    march_month = (5 * of_year + 2) // 153
    day = of_year - (153 * march_month + 2) // 5 + 1
    month = march_month + (3 if march_month < 10 else -9)
    return cycle * 400 + year + (month <= 2), month, day
