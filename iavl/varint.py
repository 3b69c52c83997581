"""Protobuf varints, as ready-made bytes for small numbers.

IAVL writes height, size and version of a node as Go's `binary.PutVarint` (zig-zag) and lengths as
`PutUvarint`. Encoding them in Python each time costs more than the hash they go into, hence tables.
"""

_TABLE = 8192


def encode_uvarint(number: int) -> bytes:
    """`number` (0 or more) in base 128, least significant group first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


UVARINT: tuple[bytes, ...] = tuple(map(encode_uvarint, range(_TABLE)))
VARINT: tuple[bytes, ...] = tuple(encode_uvarint(number << 1) for number in range(_TABLE))


def uvarint(number: int) -> bytes:
    """An unsigned varint."""
    return UVARINT[number] if number < _TABLE else encode_uvarint(number)


def varint(number: int) -> bytes:
    """A signed (zig-zag) varint of a number that is 0 or more."""
    return VARINT[number] if number < _TABLE else encode_uvarint(number << 1)


def decode_uvarint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned varint of `data` at offset `at`, and the offset after it.

    Raises:
        ValueError: `data` ends within it, or it is longer than ten bytes.
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
    raise ValueError("varint cut short or too long")
