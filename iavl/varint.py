"""Protobuf varints, with precomputed bytes for small numbers.

IAVL writes height, size and version of a node as Go's `binary.PutVarint` (zig-zag) and lengths as
`PutUvarint`. Encoding them in Python each time costs more than hashing them, hence the tables.
"""

_TABLE = 8192
_SPLIT = _TABLE << 14
"""Limit below which a number from 2^14 is encoded as two precomputed parts."""


def encode_uvarint(number: int) -> bytes:
    """Encode `number` (0 or more) in base 128, least significant group first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_LOW = tuple(bytes((low & 0x7F | 0x80, low >> 7 | 0x80)) for low in range(1 << 14))
"""Encodings of the two least significant groups of a longer number."""
UVARINT: tuple[bytes, ...] = tuple(map(encode_uvarint, range(_TABLE)))
VARINT: tuple[bytes, ...] = tuple(encode_uvarint(number << 1) for number in range(_TABLE))


def uvarint(number: int) -> bytes:
    """Encode an unsigned varint."""
    if number < _TABLE:
        return UVARINT[number]
    if 1 << 14 <= number < _SPLIT:
        return _LOW[number & 0x3FFF] + UVARINT[number >> 14]
    return encode_uvarint(number)


def varint(number: int) -> bytes:
    """Encode a non-negative number as a signed (zig-zag) varint."""
    return VARINT[number] if number < _TABLE else uvarint(number << 1)


def decode_uvarint(data: bytes, at: int) -> tuple[int, int]:
    """Decode the unsigned varint in `data` at offset `at`; return it and the offset after it.

    Raises:
        ValueError: `data` ends within the varint, or it is longer than ten bytes.
    """
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("varint is truncated or too long")
