"""`google.protobuf.Timestamp` and `Duration` as JSON, as gogoproto's jsonpb reads and prints them.

Read is what Go's `time.Parse` and `time.ParseDuration` take, so `1h` too; printed are 0, 3, 6 or 9 decimals.
The protobuf library's own readers are not used: they take blanks, underscores and other scripts' digits, by
functions that change with the release of Python.
"""

from ibc_core.wire.goduration import parse_duration
from ibc_core.wire.gotime import NANOSECONDS, format_rfc3339, is_timestamp, parse_rfc3339

_MOST_SECONDS = 315_576_000_000  # of a Duration: 10,000 years


def read_timestamp(text: str) -> tuple[int, int]:
    """Unix seconds and nanoseconds of an RFC 3339 time.

    Raises:
        ValueError: Go would refuse `text`, or the time is not in years 1 to 9999.
    """
    seconds, nanos = divmod(parse_rfc3339(text), NANOSECONDS)
    if not is_timestamp(seconds, nanos):
        raise ValueError(f"a time outside of years 1 to 9999: {text[:64]!a}")
    return seconds, nanos


def print_timestamp(seconds: int, nanos: int) -> str:
    """The time, in UTC.

    Raises:
        ValueError: it is not in years 1 to 9999, or has more than a second of nanoseconds.
    """
    if not is_timestamp(seconds, nanos):
        raise ValueError(f"no time: {seconds} seconds and {nanos} nanoseconds")
    return f"{format_rfc3339(seconds * NANOSECONDS)[:-1]}{_decimals(nanos)}Z"


def read_duration(text: str) -> tuple[int, int]:
    """Seconds and nanoseconds of a duration, both of its sign.

    Raises:
        ValueError: Go would refuse `text`; that includes what exceeds 63 bits of nanoseconds.
    """
    ns = parse_duration(text)
    seconds, nanos = divmod(abs(ns), NANOSECONDS)
    return (seconds, nanos) if ns >= 0 else (-seconds, -nanos)


def print_duration(seconds: int, nanos: int) -> str:
    """The duration in seconds.

    Raises:
        ValueError: it is longer than 10,000 years, has more than a second of nanoseconds, or two signs.
    """
    if abs(seconds) > _MOST_SECONDS or abs(nanos) >= NANOSECONDS or seconds * nanos < 0:
        raise ValueError(f"no duration: {seconds} seconds and {nanos} nanoseconds")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_decimals(abs(nanos))}s"


def _decimals(nanos: int) -> str:
    """Behind the point: of three groups of digits those that are needed."""
    digits = f"{nanos:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""
