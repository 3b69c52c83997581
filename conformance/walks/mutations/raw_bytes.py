"""Mutations of raw bytes."""

from conformance.walks.choices import Choices


def flip_bit(choices: Choices, raw: bytes) -> bytes:
    """Flip one bit."""
    mutated = bytearray(raw)
    mutated[choices.below(len(raw))] ^= 1 << choices.below(8)
    return bytes(mutated)


def set_byte(choices: Choices, raw: bytes) -> bytes:
    """Set one byte, preferring extreme values."""
    mutated = bytearray(raw)
    mutated[choices.below(len(raw))] = choices.pick((0, 1, 0x7F, 0x80, 0xFF, choices.below(256)))
    return bytes(mutated)


def cut(choices: Choices, raw: bytes) -> bytes:
    """Truncate."""
    return raw[: choices.below(len(raw))]


def drop(choices: Choices, raw: bytes) -> bytes:
    """Remove a few bytes."""
    at = choices.below(len(raw))
    return raw[:at] + raw[at + choices.between(1, 4) :]


def insert(choices: Choices, raw: bytes) -> bytes:
    """Insert a few bytes."""
    at = choices.below(len(raw) + 1)
    return raw[:at] + choices.raw(choices.between(1, 4)) + raw[at:]


def flip_many(choices: Choices, raw: bytes) -> bytes:
    """Flip several bits."""
    for _ in range(choices.between(2, 6)):
        raw = flip_bit(choices, raw)
    return raw


MUTATIONS = (flip_bit, flip_bit, flip_bit, set_byte, cut, drop, insert, flip_many)
"""All mutations; repeated entries are chosen more often."""


def mutate(choices: Choices, raw: bytes) -> bytes:
    """Return `raw` with a random mutation; if empty, random bytes."""
    return choices.pick(MUTATIONS)(choices, raw) if raw else choices.raw(choices.between(1, 9))
