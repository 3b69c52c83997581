"""Times in JSON as parsed and printed by Go, in Unix nanoseconds; `Timestamp` and `Duration` in protojson.

Go's `time.Time` in JSON is RFC 3339 with some tolerance: an hour of one digit, a comma before the fraction,
and any number of decimals, of which nine count. Leap seconds (60) are refused.

In protojson, times and durations are parsed as by `time.Parse` and `time.ParseDuration`, which accept `1h`,
and printed with 0, 3, 6 or 9 decimals. The protobuf library's own parsers are not used: they accept white
space, underscores and digits of other scripts, depending on the version of Python.
"""

import re

from pyibc.codec.gonumbers import parse_duration

NANOSECONDS = 10**9
GO_ZERO_SECONDS = -62_135_596_800
GO_ZERO_TIME_NS = GO_ZERO_SECONDS * NANOSECONDS
"""Go's zero time, 0001-01-01T00:00:00Z, which absent signatures have."""

_YEAR_10000 = 253_402_300_800  # in unix seconds
_MAX_DURATION_SECONDS = 315_576_000_000  # 10,000 years
_INT64 = 1 << 63
_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAY = 86_400
_DAYS_TO_1970 = 719_468  # from 0000-03-01, the start of the calendar's 400-year cycles
_CYCLE = 146_097  # days of 400 years


def is_timestamp(seconds: int, nanos: int) -> bool:
    """Return whether a protobuf `Timestamp` is valid: years 1 to 9999, less than 10^9 nanoseconds."""
    return GO_ZERO_SECONDS <= seconds < _YEAR_10000 and 0 <= nanos < NANOSECONDS


def duration_ns(seconds: int, nanos: int) -> int | None:
    """Return the nanoseconds of a protobuf `Duration`; None if it is invalid or exceeds 64 bits in Go."""
    total = seconds * NANOSECONDS + nanos
    in_range = abs(seconds) <= _MAX_DURATION_SECONDS and abs(nanos) < NANOSECONDS
    # guard: durations-of-64-bits {-_INT64 => -_INT64 + 1} test_the_longest_duration_backwards_is_one
    in_range = in_range and -_INT64 <= total < _INT64
    return None if not in_range or seconds * nanos < 0 else total


def parse_rfc3339(text: str) -> int:
    """Return Unix nanoseconds of a time such as `2020-09-14T16:33:54.21191421Z`, as `Time.UnmarshalJSON`.

    The year in the text is 0000 to 9999; offsets have at most 24 hours and 60 minutes.

    Raises:
        ValueError: Go refuses `text`.
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
    """Return the shortest RFC 3339 form, in UTC, of Unix nanoseconds, as Go's `Time.MarshalJSON`.

    Raises:
        ValueError: the year is outside 0000 to 9999.
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
    """Return the days since 1970-01-01 in the proleptic Gregorian calendar, with years from March."""
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


def read_timestamp(text: str) -> tuple[int, int]:
    """Return Unix seconds and nanoseconds of an RFC 3339 time.

    Raises:
        ValueError: Go refuses `text`, or the time is outside the years 1 to 9999.
    """
    seconds, nanos = divmod(parse_rfc3339(text), NANOSECONDS)
    if not is_timestamp(seconds, nanos):
        raise ValueError(f"a time outside of years 1 to 9999: {text[:64]!a}")
    return seconds, nanos


def print_timestamp(seconds: int, nanos: int) -> str:
    """Return the RFC 3339 form of a time, in UTC.

    Raises:
        ValueError: the time is outside the years 1 to 9999, or has 10^9 nanoseconds or more.
    """
    if not is_timestamp(seconds, nanos):
        raise ValueError(f"no time: {seconds} seconds and {nanos} nanoseconds")
    return f"{format_rfc3339(seconds * NANOSECONDS)[:-1]}{_decimals(nanos)}Z"


def read_duration(text: str) -> tuple[int, int]:
    """Return seconds and nanoseconds of a duration, both with its sign.

    Raises:
        ValueError: Go refuses `text`, or the nanoseconds exceed 64 bits.
    """
    ns = parse_duration(text)
    seconds, nanos = divmod(abs(ns), NANOSECONDS)
    return (seconds, nanos) if ns >= 0 else (-seconds, -nanos)


def print_duration(seconds: int, nanos: int) -> str:
    """Return a duration as text in seconds.

    Raises:
        ValueError: it exceeds 10,000 years, has 10^9 nanoseconds or more, or different signs.
    """
    if abs(seconds) > _MAX_DURATION_SECONDS or abs(nanos) >= NANOSECONDS or seconds * nanos < 0:
        raise ValueError(f"no duration: {seconds} seconds and {nanos} nanoseconds")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_decimals(abs(nanos))}s"


def _decimals(nanos: int) -> str:
    """Return the decimals, in as many groups of three digits as needed."""
    digits = f"{nanos:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""
