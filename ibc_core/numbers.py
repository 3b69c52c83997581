"""Fixed-width integers, as protobuf and keys have them: Python's never overflow."""

from ibc_core.errors import InvalidRequest

MAX_U32 = 2**32 - 1
MAX_U64 = 2**64 - 1
MAX_I64 = 2**63 - 1
MAX_U256 = 2**256 - 1
"""The highest amount of a coin."""


def u64(number: int, field: str) -> int:
    """`number` if it fits an unsigned 64-bit integer.

    Raises:
        InvalidRequest: it does not; `field` names it.
    """
    if not 0 <= number <= MAX_U64:
        raise InvalidRequest(f"{field} {number} is outside 0..2^64-1")
    return number


def be8(number: int) -> bytes:
    """Eight bytes, big-endian: the encoding of sequences and times in the store."""
    return number.to_bytes(8, "big")


def parse_u64(text: str) -> int | None:
    """The number in `text`, ASCII digits without leading zeros, else None."""
    if not text.isascii() or not text.isdigit() or len(text) > 20 or (len(text) > 1 and text[0] == "0"):
        return None
    number = int(text)
    return number if number <= MAX_U64 else None
