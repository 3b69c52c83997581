"""Fixed-width integers of protobuf fields and store keys."""

from pyibc.core.errors import InvalidRequest

MAX_U32 = 2**32 - 1
MAX_U64 = 2**64 - 1
MAX_I64 = 2**63 - 1
MAX_U256 = 2**256 - 1
"""Maximum amount of a coin."""


def u64(number: int, field: str) -> int:
    """Return `number` if it fits an unsigned 64-bit integer.

    Raises:
        InvalidRequest: the number does not fit; the error names `field`.
    """
    if not 0 <= number <= MAX_U64:
        raise InvalidRequest(f"{field} {number} is outside 0..2^64-1")
    return number


def be8(number: int) -> bytes:
    """Return the 8-byte big-endian encoding, which sequences and times have in the store."""
    return number.to_bytes(8, "big")


def parse_u64(text: str) -> int | None:
    """Return the number in `text`; None unless it consists of ASCII digits without leading zeros."""
    if not text.isascii() or not text.isdigit() or len(text) > 20 or (len(text) > 1 and text[0] == "0"):
        return None
    number = int(text)
    return number if number <= MAX_U64 else None
