"""Protobuf varints, for data that is not parsed as messages: proofs, frames, unknown fields."""

_SHORT = {number: bytes((number,)) for number in range(0x80)}
"""One-byte varints, which nearly all tags and lengths are."""


class MalformedVarint(ValueError):
    """Raised for a varint that is truncated or longer than ten bytes."""


def read_varint(raw: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
    """Return the unsigned varint at `raw[at:end]`, and its end.

    Ten bytes have 70 bits. The caller must handle numbers beyond 64 bits: gogoproto's generated code drops
    the upper bits, other decoders of Go refuse them.

    Raises:
        MalformedVarint: the varint is truncated or longer than ten bytes.
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
    """Return the shortest varint of a non-negative number."""
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
