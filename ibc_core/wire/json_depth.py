"""How deep JSON goes, and how long its numbers are, told without reading it: for readers in C."""

import re
from itertools import accumulate

MAX_JSON_DEPTH = 200
"""Arrays and objects inside each other that applications get to read. Python's own reader recurses in C."""

MAX_JSON_DIGITS = 640
"""Digits of a number: Python reads so many, whatever its limit is set to (`sys.set_int_max_str_digits`)."""

_long = re.compile(rb"[0-9]{%d}" % (MAX_JSON_DIGITS + 1)).search
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_STEP = dict.fromkeys(b"[{", 1) | dict.fromkeys(b"]}", -1)
_OTHERS = bytes(each for each in range(256) if each not in _STEP)


def is_deeper(text: bytes | str, limit: int = MAX_JSON_DEPTH) -> bool:
    """Whether a reader of `text` could have more than `limit` containers open at once.

    Of text that is no JSON it may say more than a reader meets before it stops, never less.
    """
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    brackets = _STRINGS.sub(b"", raw).translate(None, _OTHERS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > limit


def has_long_number(raw: bytes) -> bool:
    """Whether a number in JSON has more than `MAX_JSON_DIGITS` digits in a row, outside of strings."""
    return _long(raw) is not None and _long(_STRINGS.sub(b"", raw)) is not None
