"""Protobuf's varints by hand, for where messages are not enough: proofs, frames, what a parser drops."""

_SHORT = {number: bytes((number,)) for number in range(0x80)}
"""The varints of one byte: nearly all tags and lengths."""


class MalformedVarint(ValueError):
    """A varint is cut off, or longer than ten bytes."""


def read_varint(raw: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
    """The unsigned number at `raw[at:end]`, and where it ends.

    Ten bytes hold 70 bits. What is beyond 64 is the caller's to judge: Go's readers differ, gogoproto's
    generated code drops it, others refuse it.

    Raises:
        MalformedVarint: it is cut off, or longer than ten bytes.
    """
    number = shift = 0
    while at < end and shift < 70:
        byte = raw[at]
        at += 1
        if byte < 0x80:
            return number | byte << shift, at
        number |= (byte & 0x7F) << shift
        shift += 7
    raise MalformedVarint("malformed varint")


def encode_varint(number: int) -> bytes:
    """The shortest varint of a number that is not negative."""
    short = _SHORT.get(number)
    if short is not None:
        return short
    if 0 < number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
