"""Numbers of JSON as Go reads them into a `float64`, by whole numbers alone.

A value is a `Fraction`: exactly the double that `strconv.ParseFloat` returns, so that what is made of it
(truncated, compared) is the same on every machine.
"""

import re
from fractions import Fraction
from typing import Final, NamedTuple

from ibc_core.value import sealed
from ibc_core.wire.gojson_skip import STRING

Double = Fraction
"""A double's value."""
_MANTISSA: Final = 53
_SMALLEST: Final = -1022
_DIGITS: Final = 800
"""Significant digits that are read; of the others only whether one is not zero, which decides rounding."""
_CHUNK: Final = 400
"""Digits converted at once: Python may be set to convert no more than 640."""
_LONGEST: Final = 309
"""Digits before the point of the largest double."""
_BEYOND: Final = "".join(
    [str((2**1024 - 2**970) // 10**at % 10**103).rjust(103, "0") for at in (206, 103, 0)]
)
"""The least number that is out of range: halfway to 2^1024, which would be the next double."""

_number = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?").fullmatch
_strings = re.compile(STRING)
_suspect = re.compile(rb"[0-9]{200}|[0-9][eE][+]?+0*+[0-9]{3}").search
"""Digits enough to be out of range, or an exponent."""
_numbers = re.compile(rb"[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+").findall
_SHORTEST: Final = len("9e308")


@sealed
class _Decimal(NamedTuple):
    """0.`digits` times 10^`point`."""

    sign: str
    digits: str  # the first is not 0; "" for zero
    point: int

    @property
    def is_out_of_range(self) -> bool:
        return self.point > _LONGEST or (self.point == _LONGEST and self.digits >= _BEYOND)


def parse_double(text: str) -> Double | None:
    """The double that a JSON number stands for; None: Go says that it is out of range.

    Args:
        text: of a number by JSON's syntax.

    Raises:
        ValueError: it is not a number.
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
    """The double next to a number from 0 up to the largest double; halves to even."""
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
    """Whether a number in JSON is out of a double's range: Go makes no `any` of such JSON."""
    if _suspect(json) is None:  # so most JSON, its texts included
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
    power = int(exponent.lstrip("0")[:5] or "0")  # Go reads no digit more once it is 10,000 or more
    return _Decimal(sign, digits, point - power if exponent_sign == "-" else point + power)


def _int(digits: str) -> int:
    value = 0
    for at in range(0, len(digits), _CHUNK):
        part = digits[at : at + _CHUNK]
        value = value * 10 ** len(part) + int(part)
    return value
