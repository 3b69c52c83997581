"""Which numbers of a JSON text Go's encoding/json refuses to read as float64: those beyond its range.

Decided by whole numbers, exactly, so that no float is near chain code.
"""

import re
from collections.abc import Iterator
from typing import Final

from ibc_core.wire.gojson import Json, Number, Object

_LIMIT: Final = 2**1024 - 2**970
"""The least number that rounds to infinity: half a step above the largest float64."""
_DIGITS: Final = 309
"""Of `_LIMIT`."""
_EXPONENT_DIGITS: Final = 9
"""An exponent of more is beyond whatever the digits before it can make good, in any text that fits memory."""

_may_overflow = re.compile(rf"[0-9][eE]|[0-9]{{{_DIGITS}}}").search
_parts = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?").fullmatch


def overflows(text: str, parsed: Json) -> bool:
    """Whether a number in `text`, of which `parsed` was read, is beyond float64: a duplicate's counts too."""
    return _may_overflow(text) is not None and any(is_beyond(each.text) for each in _numbers(parsed))


def is_beyond(number: str) -> bool:
    """Whether a JSON number is beyond float64's range; what is too small for it is zero."""
    found = _parts(number)
    if found is None:
        raise ValueError(f"no JSON number: {number[:32]!a}")
    whole, fraction, sign, exponent = found.groups("")
    digits = (whole + fraction).lstrip("0")
    power = exponent.lstrip("0")
    if not digits or (len(power) > _EXPONENT_DIGITS and sign == "-"):
        return False
    if len(power) > _EXPONENT_DIGITS:
        return True
    shift = int(power or "0") * (-1 if sign == "-" else 1) - len(fraction)
    size = len(digits) + shift  # digits before the point
    if size != _DIGITS:
        return size > _DIGITS
    return int(digits[:_DIGITS].ljust(_DIGITS, "0")) >= _LIMIT


def _numbers(parsed: Json) -> Iterator[Number]:
    pending = [parsed]
    while pending:
        each = pending.pop()
        if isinstance(each, Number):
            yield each
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, Object):
            pending += [value for _, value in each.members]
