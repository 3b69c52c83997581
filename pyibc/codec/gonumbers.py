"""Doubles and durations as parsed by Go, computed with integers only.

A double is a `Fraction` with the exact value that `strconv.ParseFloat` returns, so that further
computations are the same on every machine. Durations have the syntax of Go's `time.ParseDuration`, such as
`90s`, `2m30.5s`, `-1.5h`.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from pyibc.codec.gojson_members import STRING
from pyibc.core.value import sealed

Double = Fraction
"""Exact value of a double."""
_MANTISSA: Final = 53
_SMALLEST: Final = -1022
_DIGITS: Final = 800
"""Number of significant digits used; of further digits, only whether one is nonzero affects rounding."""
_CHUNK: Final = 400
"""Number of digits converted at once: Python may be configured to convert at most 640."""
_LONGEST: Final = 309
"""Number of integer digits of the largest double."""
_BEYOND: Final = "".join(
    [str((2**1024 - 2**970) // 10**at % 10**103).rjust(103, "0") for at in (206, 103, 0)]
)
"""Digits of the least number out of range: halfway from the largest double to 2^1024."""

_number = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?").fullmatch
_strings = re.compile(STRING)
_suspect = re.compile(rb"[0-9]{200}|[0-9][eE][+]?+0*+[0-9]{3}").search
"""Search for enough digits to be out of range, or for a large exponent."""
_numbers = re.compile(rb"[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+").findall
_SHORTEST: Final = len("9e308")


@sealed
class _Decimal(NamedTuple):
    """The decimal number 0.`digits` times 10^`point`."""

    sign: str
    digits: str  # the first is not 0; "" for zero
    point: int

    @property
    def is_out_of_range(self) -> bool:
        return self.point > _LONGEST or (self.point == _LONGEST and self.digits >= _BEYOND)


def parse_double(text: str) -> Double | None:
    """Return the double nearest to a JSON number; None if it is out of range in Go.

    Args:
        text: A JSON number.

    Raises:
        ValueError: the text is not a JSON number.
    """
    sign, digits, point = decimal = _decimal(text)
    if decimal.is_out_of_range:
        return None
    if not digits or point < -330:
        return Fraction(0)
    kept = digits[:_DIGITS] + ("1" if digits[_DIGITS:].strip("0") else "")
    power = point - len(kept)
    double = nearest_double(Fraction(_int(kept) * 10 ** max(power, 0), 10 ** max(-power, 0)))
    return -double if sign else double


def nearest_double(exact: Fraction) -> Double:
    """Return the double nearest to a number from 0 to the largest double, rounding half to even."""
    top, bottom = exact.numerator, exact.denominator
    power = top.bit_length() - bottom.bit_length()
    if top << max(-power, 0) < bottom << max(power, 0):
        power -= 1  # 2^power <= exact < 2^(power + 1)
    shift = _MANTISSA - 1 - max(power, _SMALLEST)
    unit = bottom << max(-shift, 0)
    whole, rest = divmod(top << max(shift, 0), unit)
    if 2 * rest > unit or (2 * rest == unit and whole % 2):
        whole += 1
    return Fraction(whole << max(-shift, 0), 1 << max(shift, 0))


def has_overflow(json: bytes) -> bool:
    """Return whether JSON has a number out of a double's range, for which Go refuses to decode to `any`."""
    if _suspect(json) is None:  # most JSON, including its strings
        return False
    numbers = [each for each in _numbers(_strings.sub(b"", json)) if len(each) >= _SHORTEST]
    return any(_decimal(each.decode()).is_out_of_range for each in numbers)


def _decimal(text: str) -> _Decimal:
    found = _number(text)
    if found is None:
        raise ValueError(f"no JSON number: {text[:64]!a}")
    sign, whole, fraction, exponent_sign, exponent = found.groups("")
    written = whole + fraction
    digits = written.lstrip("0")
    if not digits:
        return _Decimal(sign, "", 0)
    point = len(whole) - (len(written) - len(digits))
    power = int(exponent.lstrip("0")[:5] or "0")  # Go ignores further digits from 10,000 on
    return _Decimal(sign, digits, point - power if exponent_sign == "-" else point + power)


def _int(digits: str) -> int:
    value = 0
    for at in range(0, len(digits), _CHUNK):
        part = digits[at : at + _CHUNK]
        value = value * 10 ** len(part) + int(part)
    return value


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
MAX_LENGTH: Final = 256
"""Maximum length of a duration in characters; Go has no limit, but there are only six units."""
_MAX: Final = 1 << 63
_U64: Final = (1 << 64) - 1
_ACCUMULATED: Final = (_MAX - 1) // 10
_FRACTION_DIGITS: Final = 40
"""Number of fractional digits used; further digits of an hour are less than a nanosecond."""

_part = re.compile(r"([0-9]*+)(?:\.([0-9]*+))?+([^.0-9]++)").match


def parse_duration(text: str) -> int:
    """Return the nanoseconds of a duration, from -2^63 to 2^63-1.

    Raises:
        ValueError: Go refuses `text`, or it has more than `MAX_LENGTH` characters.
    """
    # guard: h250-durations-of-any-length test_h250_a_duration_has_so_many_characters
    if len(text) > MAX_LENGTH:
        raise _refused(text)
    total, at = 0, 1 if text[:1] in {"+", "-"} else 0
    if text[at:] == "0":
        return 0
    if at == len(text):
        raise _refused(text)
    while at < len(text):
        found = _part(text, at)
        if found is None or not (found[1] or found[2]) or found[3] not in _UNITS:
            raise _refused(text)
        total = (total + _ns(text, found)) & _U64  # overflows as in Go
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
    """Return the nanoseconds of a fraction, with the rounding of Go's doubles."""
    taken = digits[:_FRACTION_DIGITS]
    zeros = len(taken) - len(taken.lstrip("0"))
    taken = taken[: zeros + 19]
    while (value := int(taken or "0")) > _MAX or value // 10 > _ACCUMULATED:
        taken = taken[:-1]
    if not value:
        return 0
    of_unit, shift = _scaled(unit, len(taken))
    return _rounded(_rounded(value) * of_unit) >> shift


def _rounded(number: int) -> int:
    """Round to 53 significant bits, half to even, as a double."""
    excess = number.bit_length() - _MANTISSA
    if excess <= 0:
        return number
    kept, rest, half = number >> excess, number & ((1 << excess) - 1), 1 << (excess - 1)
    return (kept + (rest > half or (rest == half and kept & 1))) << excess


@lru_cache(512)
def _scaled(unit: int, digits: int) -> tuple[int, int]:
    """Return the double nearest to `unit` / 10^`digits` as an integer and a binary exponent."""
    scale = Fraction(1)
    for _ in range(digits):
        scale = nearest_double(scale * 10)
    double = nearest_double(Fraction(unit * scale.denominator, scale.numerator))
    return double.numerator, double.denominator.bit_length() - 1


def _refused(text: str) -> ValueError:
    return ValueError(f"no duration: {text[:64]!a}")
