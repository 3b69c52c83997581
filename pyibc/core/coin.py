"""Coins: an amount of a denomination, and its text in events."""

import re
from typing import NamedTuple

from pyibc.core.numbers import MAX_U256
from pyibc.core.value import sealed

_DENOM = re.compile("[a-zA-Z][a-zA-Z0-9/:._-]{2,127}").fullmatch


@sealed
class Coin(NamedTuple):
    """`amount` units of `denom`; the text is amount and denomination run together."""

    denom: str
    amount: int
    text: str


def coin(denom: str, amount: int) -> Coin:
    """Return a coin of `amount` units of `denom`."""
    return Coin(denom, amount, f"{amount}{denom}")


def is_denom(text: str) -> bool:
    """Return whether `text` is a valid SDK denomination: a letter, then 2-127 letters, digits or /:._-."""
    return _DENOM(text) is not None


_BASES = {"b": 2, "B": 2, "o": 8, "O": 8, "x": 16, "X": 16}
_MAX_DIGITS = {2: 256, 8: 86, 10: 78, 16: 64}
_DIGITS = {base: frozenset("0123456789abcdefABCDEF"[: base if base <= 10 else 22]) for base in (2, 8, 10, 16)}


def parse_amount(text: str) -> int | None:
    """Return the number that Go's `big.Int.SetString(text, 0)` reads; None if it fails or exceeds 2^256-1.

    ibc-go parses ICS-20 amounts this way, and both chains must agree on the amount of a packet: `0x10` is 16,
    `010` is 8, `1_000` is 1000, and a sign is allowed. The time is linear in the text's length.
    """
    if text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 78:
        return int(text)  # the form that wallets write
    negative, digits = text[:1] == "-", text[1:] if text[:1] in {"+", "-"} else text
    base = 10
    if digits[:1] == "0" and len(digits) > 1:
        base = _BASES.get(digits[1], 8)
        digits = digits[2:] if digits[1] in _BASES else digits[1:]
        digits = digits[1:] if digits[:1] == "_" else digits  # an underscore may follow the prefix
    if not digits or digits[0] == "_" or digits[-1] == "_" or "__" in digits:
        return None
    significant = digits.replace("_", "").lstrip("0") or "0"
    if not _DIGITS[base].issuperset(digits.replace("_", "")) or len(significant) > _MAX_DIGITS[base]:
        return None
    number = int(significant, base)
    if number > MAX_U256:
        return None
    return -number if negative else number
