"""Durations as text, as Go's `time.ParseDuration` reads them: `90s`, `2m30.5s`, `-1.5h`."""

import re
from fractions import Fraction
from typing import Final

from ibc_core.wire.godouble import nearest_double

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # the micro sign
    "\u03bcs": 10**3,  # the Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_MAX: Final = 1 << 63
_U64: Final = (1 << 64) - 1
_ACCUMULATED: Final = (_MAX - 1) // 10
_NOTHING_LEFT: Final = 10**40
"""Beyond this scale no fraction of an hour is a nanosecond."""

_part = re.compile(r"([0-9]*+)(?:\.([0-9]*+))?+([^.0-9]++)").match


def parse_duration(text: str) -> int:
    """Nanoseconds, from -2^63 to 2^63-1.

    Raises:
        ValueError: Go would refuse `text`.
    """
    total, at = 0, 1 if text[:1] in {"+", "-"} else 0
    if text[at:] == "0":
        return 0
    if at == len(text):
        raise _refused(text)
    while at < len(text):
        found = _part(text, at)
        if found is None or not (found[1] or found[2]) or found[3] not in _UNITS:
            raise _refused(text)
        total = (total + _ns(text, found)) & _U64  # as Go's, which 2^64 leaves at nothing
        if total > _MAX:
            raise _refused(text)
        at = found.end()
    if text[0] == "-":
        return -total
    if total == _MAX:
        raise _refused(text)
    return total


def _ns(text: str, found: re.Match[str]) -> int:
    unit, digits = _UNITS[found[3]], found[1].lstrip("0")
    whole = int(digits or "0") if len(digits) <= 19 else _MAX + 1
    if whole > _MAX // unit:
        raise _refused(text)
    ns = whole * unit + _fraction(found[2] or "", unit)
    if ns > _MAX:
        raise _refused(text)
    return ns


def _fraction(digits: str, unit: int) -> int:
    """The nanoseconds behind the point, with the rounding of Go's doubles."""
    value, scale = 0, Fraction(1)
    for digit in digits:
        if value > _ACCUMULATED:
            break
        more = value * 10 + int(digit)
        if more > _MAX:
            break
        value, scale = more, nearest_double(scale * 10)
        if scale > _NOTHING_LEFT:
            return 0
    if not value:
        return 0
    return int(nearest_double(nearest_double(Fraction(value)) * nearest_double(unit / scale)))


def _refused(text: str) -> ValueError:
    return ValueError(f"no duration: {text[:64]!a}")
