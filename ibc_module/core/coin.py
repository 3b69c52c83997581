"""Coins: an amount of a denomination, with the text that events carry."""

from typing import NamedTuple

from ibc_module.core.numbers import MAX_U256

_DENOM_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DENOM_REST = _DENOM_START | frozenset("0123456789/:._-")


class Coin(NamedTuple):
    """`amount` units of `denom`; the text is amount and denomination run together."""

    denom: str
    amount: int
    text: str


def coin(denom: str, amount: int) -> Coin:
    """A coin with its text."""
    return Coin(denom, amount, f"{amount}{denom}")


def is_denom(text: str) -> bool:
    """Whether `text` may name a coin on a Cosmos chain: a letter, then 2 to 127 letters, digits, / : . _ -"""
    return 3 <= len(text) <= 128 and text[0] in _DENOM_START and _DENOM_REST.issuperset(text)


def parse_amount(text: str) -> int | None:
    """The number that `text` spells in plain decimal digits, None where it does not or exceeds 2^256-1.

    Leading zeros and signs are refused: ibc-go reads amounts with Go's base prefixes, where `010` is 8
    (docs/adr/0008-decimal-amounts.md).
    """
    if (
        not 1 <= len(text) <= 78
        or not text.isascii()
        or not text.isdigit()
        or (text[0] == "0" and len(text) > 1)
    ):
        return None
    number = int(text)
    return number if number <= MAX_U256 else None
