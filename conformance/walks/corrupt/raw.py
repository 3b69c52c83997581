"""Bytes spoilt wherever they stand."""

from conformance.walks.choices import Choices


def flip_bit(choices: Choices, raw: bytes) -> bytes:
    """One bit the other way."""
    spoilt = bytearray(raw)
    spoilt[choices.below(len(raw))] ^= 1 << choices.below(8)
    return bytes(spoilt)


def set_byte(choices: Choices, raw: bytes) -> bytes:
    """One byte another, extreme ones as often as the rest."""
    spoilt = bytearray(raw)
    spoilt[choices.below(len(raw))] = choices.pick((0, 1, 0x7F, 0x80, 0xFF, choices.below(256)))
    return bytes(spoilt)


def cut(choices: Choices, raw: bytes) -> bytes:
    """Only the beginning."""
    return raw[: choices.below(len(raw))]


def drop(choices: Choices, raw: bytes) -> bytes:
    """A few bytes gone from the middle."""
    at = choices.below(len(raw))
    return raw[:at] + raw[at + choices.between(1, 4) :]


def insert(choices: Choices, raw: bytes) -> bytes:
    """A few bytes more in the middle."""
    at = choices.below(len(raw) + 1)
    return raw[:at] + choices.raw(choices.between(1, 4)) + raw[at:]


def flip_many(choices: Choices, raw: bytes) -> bytes:
    """Several bits the other way."""
    for _ in range(choices.between(2, 6)):
        raw = flip_bit(choices, raw)
    return raw


WAYS = (flip_bit, flip_bit, flip_bit, set_byte, cut, drop, insert, flip_many)
"""All ways; bit flips more often than the others."""


def spoil(choices: Choices, raw: bytes) -> bytes:
    """`raw` with something wrong in it; of nothing, something."""
    return choices.pick(WAYS)(choices, raw) if raw else choices.raw(choices.between(1, 9))
